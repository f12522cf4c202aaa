/** Which session a request belongs to: as the client says, else as the beginning of the conversation tells. */
import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { CallFields } from "../body/scan-call";
import type { TextRanges } from "../body/text-walk";
import type { SessionChoice } from "../proxy-request";

/** Longest id kept, characters. */
const MAX_ID_LENGTH = 200;
/** Bytes of text hashed from the system prompt, and as many from the first user message: 8 KiB in all. */
const MAX_HASHED_BYTES = 4096;

const NO_SESSION: SessionChoice = { id: null, source: "none" };

export interface SessionSource {
  readonly req: IncomingMessage;
  readonly body: Buffer;
  readonly fields: CallFields;
}

/** `secret` keys the hash; null derives nothing. */
export function resolveSession({ req, body, fields }: SessionSource, secret: string | null): SessionChoice {
  const named = headerLabel(req, "x-obleth-session-id") ?? headerLabel(req, "x-session-id") ?? fields.clientSession;
  if (named !== null) return { id: beginningOf(named), source: "client" };
  if (secret === null || fields.firstUserText.length === 0) return NO_SESSION;
  return { id: derivedId({ body, fields, secret }), source: "derived" };
}

function headerLabel(req: IncomingMessage, name: string): string | null {
  const value = req.headers[name];
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? null : text;
}

/** The part that is kept, copied: a slice would keep all of the client's text, 64 KB of it in a header, as long as the id. */
function beginningOf(named: string): string {
  return named.length <= MAX_ID_LENGTH ? named : Buffer.from(named.slice(0, MAX_ID_LENGTH)).toString();
}

/**
 * Later turns of a conversation repeat its beginning, so its hash names it. The system prompt and the first message have
 * bounds of their own: a long prompt that many conversations share must not hide what tells them apart.
 */
function derivedId({ body, fields, secret }: { body: Buffer; fields: CallFields; secret: string }): string {
  const { systemText, firstUserText } = fields;
  const secretBytes = Buffer.byteLength(secret);
  const bytes = Buffer.allocUnsafe(secretBytes + collectedBytes(systemText) + collectedBytes(firstUserText) + 2);
  bytes.write(secret);
  bytes[secretBytes] = 0;
  const afterSystem = collect(body, systemText, { into: bytes, at: secretBytes + 1 });
  bytes[afterSystem] = 0;
  const end = collect(body, firstUserText, { into: bytes, at: afterSystem + 1 });
  return `d-${hash("sha256", bytes.subarray(0, end), "base64url").slice(0, 27)}`;
}

/** At most what `collect` copies. */
function collectedBytes(ranges: TextRanges): number {
  let sum = 0;
  for (let i = 0; i + 1 < ranges.length && sum < MAX_HASHED_BYTES; i += 2) {
    sum += (ranges[i + 1] as number) - (ranges[i] as number) + 1;
  }
  return Math.min(sum, MAX_HASHED_BYTES);
}

/** Copies the beginning of the text, a zero byte between its stretches; returns the place after it. */
function collect(body: Buffer, ranges: TextRanges, { into, at }: { into: Buffer; at: number }): number {
  const limit = at + MAX_HASHED_BYTES;
  let place = at;
  for (let i = 0; i + 1 < ranges.length && place < limit; i += 2) {
    const start = ranges[i] as number;
    if (place > at) into[place++] = 0;
    place += body.copy(into, place, start, Math.min(ranges[i + 1] as number, start + limit - place));
  }
  return place;
}
