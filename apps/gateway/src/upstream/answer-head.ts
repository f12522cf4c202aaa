/** Reads the head of an HTTP/1.1 answer: its status, its headers as they stand, and how its body is framed. */

/** What a backend sent is not an answer, or not one that can be framed for certain. */
export class BadAnswer extends Error {
  readonly code = "OBLETH_BAD_ANSWER";
  constructor(detail: string) {
    super(detail);
    this.name = "BadAnswer";
  }
}

export interface ParsedHead {
  readonly status: number;
  /** Flat list of names and values. */
  readonly headers: readonly string[];
  readonly isChunked: boolean;
  readonly contentLength: number | null;
  readonly keepsAlive: boolean;
  /** From a `Keep-Alive` header, ms. */
  readonly keepAliveMs: number | null;
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?\r\n/;
/** A name without white space around it, and a value without line breaks, NULs or folding; the line's end included. */
const HEADER_LINE = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)\r\n/y;
const LENGTH = /^\d{1,15} *$/;
const CHUNKED = /^chunked *$/i;

/** `text` is the head up to and with the line break behind its last header. Throws `BadAnswer`. */
export function parseHead(text: string): ParsedHead {
  const line = STATUS_LINE.exec(text);
  if (line === null) throw new BadAnswer("it does not begin like an HTTP/1 answer");
  const status = Number(line[2]);
  // Nobody asked for another protocol, and the old one knows no other words before the answer.
  if (status === 101 || (status < 200 && line[1] === "0")) throw new BadAnswer("it changes to another protocol");
  const frame = new Frame();
  const headers: string[] = [];
  let at = line[0].length;
  while (at < text.length) {
    HEADER_LINE.lastIndex = at;
    const match = HEADER_LINE.exec(text);
    if (match === null) throw new BadAnswer("a header line is malformed");
    const name = match[1] as string;
    const value = match[2] as string;
    frame.take(name, value);
    headers.push(name, withoutTrailingSpace(value));
    at = HEADER_LINE.lastIndex;
  }
  return frame.headOf(status, headers, line[1] === "1");
}

/** Whether a line, its end included, is one header. */
export function isHeaderLine(line: string): boolean {
  HEADER_LINE.lastIndex = 0;
  return HEADER_LINE.test(line) && HEADER_LINE.lastIndex === line.length;
}

/** What the headers say about framing, as they come by. */
class Frame {
  #isChunked = false;
  #contentLength: number | null = null;
  #connection = "";
  #keepAliveMs: number | null = null;

  take(name: string, value: string): void {
    switch (name.length) {
      case 10:
        this.#takeConnection(name.toLowerCase(), value);
        return;
      case 14:
        if (name.toLowerCase() !== "content-length") return;
        if (this.#contentLength !== null || !LENGTH.test(value)) throw new BadAnswer("its length is not one number");
        this.#contentLength = Number(value);
        return;
      case 17:
        if (name.toLowerCase() !== "transfer-encoding") return;
        if (this.#isChunked || !CHUNKED.test(value)) throw new BadAnswer("its transfer coding is unknown");
        this.#isChunked = true;
    }
  }

  #takeConnection(name: string, value: string): void {
    if (name === "connection") this.#connection += `,${value.toLowerCase()}`;
    else if (name === "keep-alive") {
      const seconds = /(?:^|[,\s])timeout=(\d{1,9})/i.exec(value);
      if (seconds !== null) this.#keepAliveMs = Number(seconds[1]) * 1000;
    }
  }

  headOf(status: number, headers: readonly string[], isCurrent: boolean): ParsedHead {
    if (this.#isChunked && (this.#contentLength !== null || !isCurrent)) throw new BadAnswer("it is framed twice");
    return {
      status,
      headers,
      isChunked: this.#isChunked,
      contentLength: this.#contentLength,
      keepsAlive: isCurrent ? !this.#names("close") : this.#names("keep-alive"),
      keepAliveMs: this.#keepAliveMs,
    };
  }

  #names(token: string): boolean {
    if (this.#connection === "") return false;
    return this.#connection.split(",").some((part) => part.trim() === token);
  }
}

function withoutTrailingSpace(value: string): string {
  let end = value.length;
  while (end > 0 && (value[end - 1] === " " || value[end - 1] === "\t")) end--;
  return end === value.length ? value : value.slice(0, end);
}
