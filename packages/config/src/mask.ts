import type { Secrecy } from "./setting";

/**
 * A value as it may be shown: secrets by their length only, addresses without user, password and query. An address
 * that cannot be read is hidden whole, since nobody knows where its password sits.
 */
export function masked(value: string, secrecy: Secrecy): string {
  if (secrecy === "open") return `"${value}"`;
  const hidden = `(hidden, ${value.length} characters)`;
  if (secrecy === "secret" || !URL.canParse(value)) return hidden;
  const address = new URL(value);
  const user = address.username === "" && address.password === "" ? "" : "***@";
  const query = address.search === "" ? "" : "?***";
  return `"${address.protocol}//${user}${address.host}${address.pathname === "/" ? "" : address.pathname}${query}"`;
}
