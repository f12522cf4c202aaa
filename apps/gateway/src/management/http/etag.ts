/** Versions as ETags: a change that names the version it read is refused when there is a newer one. */
import { Fault } from "./fault";

export const etagOf = (version: number) => `"${version}"`;

/** The version of `If-Match`; undefined without the header or with `*`. One that is not ours can never match: 412. */
export function expectedVersion(header: string | undefined): number | undefined {
  if (header === undefined || header.trim() === "*") return undefined;
  const match = /^\s*(?:W\/)?"(\d{1,15})"\s*$/.exec(header);
  if (match === null) throw new Fault("stale_edit", "If-Match must be the ETag that was read.", { field: "if-match" });
  return Number(match[1]);
}
