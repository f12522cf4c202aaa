/** Server-sent events as bytes: where an event ends, and what its `data` is. */
import { GatheredBytes } from "../gathered-bytes";

const LF_LF = Buffer.from("\n\n");
/** The end of a blank line of CRLF, whatever ends the line before it. */
const LF_CRLF = Buffer.from("\n\r\n");

/**
 * The position after the blank line that ends the event beginning at `from`; -1 when it is not in these bytes. Cost is linear
 * in the event's length when there is one.
 */
export function eventEnd(bytes: Buffer, from: number): number {
  const lf = bytes.indexOf(LF_LF, from);
  const crlf = (lf < 0 ? bytes : bytes.subarray(0, lf + 1)).indexOf(LF_CRLF, from);
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

/** Bytes that may begin a blank line which the next bytes end. */
const BOUNDARY_BYTES = 2;

/**
 * Cuts a stream of bytes into events, across any chunk edges and inside any character. An event longer than `maxBytes`
 * makes `push` return null: the stream is not one that can be understood. Cost is linear in the stream's length, however
 * small its pieces.
 */
export class SseSplitter {
  readonly #rest = new GatheredBytes();
  /** The end of `#rest`. */
  #restEnd: Buffer = EMPTY;

  constructor(private readonly maxBytes: number) {}

  push(chunk: Buffer): SseEvent[] | null {
    const events: SseEvent[] = [];
    let start = 0;
    if (this.#rest.size > 0) {
      const end = eventEnd(Buffer.concat([this.#restEnd, chunk.subarray(0, LF_CRLF.length)]), 0);
      start = end < 0 ? eventEnd(chunk, 0) : end - this.#restEnd.length;
      if (start < 0) return this.#keep(chunk);
      this.#rest.add(chunk.subarray(0, start));
      events.push(parseEvent(this.#rest.takeWhole().toString("utf8")));
    }
    for (let end = eventEnd(chunk, start); end >= 0; end = eventEnd(chunk, start)) {
      events.push(parseEvent(chunk.toString("utf8", start, end)));
      start = end;
    }
    this.#restEnd = EMPTY;
    return start < chunk.length && this.#keep(chunk.subarray(start)) === null ? null : events;
  }

  /** What is left when the stream ends without a final blank line. */
  end(): SseEvent[] {
    return this.#rest.size === 0 ? [] : [parseEvent(this.#rest.takeWhole().toString("utf8"))];
  }

  /** No event ends in these bytes. Null when there are too many of them. */
  #keep(bytes: Buffer): SseEvent[] | null {
    this.#rest.add(this.#rest.size === 0 ? Buffer.from(bytes) : bytes);
    this.#restEnd = Buffer.concat([this.#restEnd, bytes.subarray(-BOUNDARY_BYTES)]).subarray(-BOUNDARY_BYTES);
    return this.#rest.size > this.maxBytes ? null : [];
  }
}

const EMPTY = Buffer.alloc(0);
