/** Reads and filters header lists as undici's parser gives them: names and values by turns. */

/** Headers that describe one connection and never cross the gateway. */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

export function isHopByHop(lowercaseName: string): boolean {
  return HOP_BY_HOP.has(lowercaseName);
}

/** The first value of a header; `lowercaseName` as it says. */
export function headerValue(rawHeaders: readonly Buffer[], lowercaseName: string): string | undefined {
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as Buffer;
    if (name.length === lowercaseName.length && name.toString("latin1").toLowerCase() === lowercaseName) {
      return (rawHeaders[i + 1] as Buffer).toString("latin1");
    }
  }
  return undefined;
}

/** Names a `Connection` header adds to those that must not cross. */
export function connectionNames(connection: string | undefined): ReadonlySet<string> {
  if (connection === undefined) return NONE;
  const names = connection.split(",").map((name) => name.trim().toLowerCase());
  return names.every((name) => name === "close" || name === "keep-alive" || name === "") ? NONE : new Set(names);
}

const NONE: ReadonlySet<string> = new Set();
