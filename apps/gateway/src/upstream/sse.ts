/** Server-sent events as bytes: where an event ends, and what its `data` is. */

const LF_LF = Buffer.from("\n\n");
/** The end of a blank line of CRLF, whatever ends the line before it. */
const LF_CRLF = Buffer.from("\n\r\n");

/**
 * The position after the blank line that ends the event beginning at `from`; -1 when it is not in these bytes. Cost is linear
 * in the event's length when there is one.
 */
export function eventEnd(bytes: Buffer, from: number): number {
  const lf = bytes.indexOf(LF_LF, from);
  const crlf = (lf < 0 ? bytes : bytes.subarray(0, lf)).indexOf(LF_CRLF, from);
  if (crlf >= 0) return crlf + LF_CRLF.length;
  return lf < 0 ? -1 : lf + LF_LF.length;
}

/** Whether these bytes end with a complete event. */
export function endsAtEventBoundary(bytes: Buffer): boolean {
  const last = bytes.length - 1;
  if (bytes[last] !== 0x0a) return false;
  return bytes[last - 1] === 0x0a || (bytes[last - 1] === 0x0d && bytes[last - 2] === 0x0a);
}

export interface SseEvent {
  /** "" when the event has no name. */
  readonly name: string;
  /** Lines of data joined by line feeds; null when there is none, as in a comment. */
  readonly data: string | null;
}

/** Reads one complete event's lines; comments and other fields are passed over. */
export function parseEvent(text: string): SseEvent {
  let name = "";
  let data: string | null = null;
  for (const line of text.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(":");
    if (colon === 0 || line === "") continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const rest = colon < 0 ? "" : line.slice(colon + 1);
    const value = rest.startsWith(" ") ? rest.slice(1) : rest;
    if (field === "event") name = value;
    else if (field === "data") data = data === null ? value : `${data}\n${value}`;
  }
  return { name, data };
}

/**
 * Cuts a stream of bytes into events, across any chunk edges and inside any character. An event longer than `maxBytes`
 * makes `push` return null: the stream is not one that can be understood.
 */
export class SseSplitter {
  #rest: Buffer | null = null;

  constructor(private readonly maxBytes: number) {}

  push(chunk: Buffer): SseEvent[] | null {
    const bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]);
    const events: SseEvent[] = [];
    let start = 0;
    for (let end = eventEnd(bytes, 0); end >= 0; end = eventEnd(bytes, start)) {
      events.push(parseEvent(bytes.toString("utf8", start, end)));
      start = end;
    }
    this.#rest = start === bytes.length ? null : Buffer.from(bytes.subarray(start));
    return (this.#rest?.length ?? 0) > this.maxBytes ? null : events;
  }

  /** What is left when the stream ends without a final blank line. */
  end(): SseEvent[] {
    const rest = this.#rest;
    this.#rest = null;
    return rest === null ? [] : [parseEvent(rest.toString("utf8"))];
  }
}
