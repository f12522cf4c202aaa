/**
 * Reads one HTTP/1.1 answer off a connection, strictly: what two readers could frame differently is no answer at all
 * (RFC 9112, sections 6 and 11). It knows nothing of sockets and calls nobody: bytes go in, what they mean is in its fields.
 */
import { BadAnswer, isHeaderLine, parseHead } from "./answer-head";

/** Longest head, and longest trailer, in bytes. */
const MAX_HEAD_BYTES = 64 * 1024;
/** Hexadecimal digits of a chunk's size: far more than any chunk has, and exact as a number. */
const MAX_SIZE_DIGITS = 12;
/** Longest extension of a chunk's size, bytes. */
const MAX_EXTENSION_BYTES = 1024;

const CR = 0x0d;
const LF = 0x0a;
const TAB = 0x09;
const SPACE = 0x20;
const SEMICOLON = 0x3b;
const HEAD_END = Buffer.from("\r\n\r\n");

type Step =
  | "head"
  | "counted-body"
  | "body-until-close"
  | "size"
  | "extension"
  | "size-end"
  | "chunk"
  | "chunk-cr"
  | "chunk-lf"
  | "trailer"
  | "trailer-line"
  | "trailer-line-end"
  | "end-lf"
  | "done";

export class AnswerParser {
  status = 0;
  /** Flat list of names and values. */
  headers: readonly string[] = [];
  /** The head has been read; `status` and `headers` hold. */
  hasHead = false;
  /** The connection may carry another request when the answer is done. */
  keepsAlive = false;
  /** What the answer says an idle connection is kept for, ms; null when it says nothing. */
  keepAliveMs: number | null = null;
  #step: Step = "head";
  /** The beginning of a head that has not all come. */
  #held: Buffer | null = null;
  /** Bytes left of a counted body or a chunk. */
  #left = 0;
  #digits = 0;
  /** Bytes of an extension or a trailer so far. */
  #extra = 0;
  /** The trailer line that is being read. */
  #line = "";
  #body: Buffer[] = [];

  get isDone(): boolean {
    return this.#step === "done";
  }

  /**
   * Takes the next bytes; returns how many of them belong to the answer. Throws `BadAnswer`, after which it is of no use.
   */
  push(bytes: Buffer): number {
    if (this.#step !== "head") return this.#readBody(bytes, 0);
    const held = this.#held;
    const all = held === null ? bytes : Buffer.concat([held, bytes]);
    this.#held = null;
    const bodyAt = this.#readHead(all);
    return (bodyAt === all.length ? bodyAt : this.#readBody(all, bodyAt)) - (held?.length ?? 0);
  }

  /** The body's bytes since the last time, as a copy of their own; null when there are none. */
  takeBody(): Buffer | null {
    const pieces = this.#body;
    const [first] = pieces;
    if (first === undefined) return null;
    this.#body = [];
    return pieces.length === 1 ? Buffer.from(first) : Buffer.concat(pieces);
  }

  /** The connection has closed in order: true when that is how this answer ends, or it had ended. */
  close(): boolean {
    if (this.#step === "body-until-close") this.#step = "done";
    return this.#step === "done";
  }

  /** Reads heads until one is final; returns where its body begins, or the end of the bytes. */
  #readHead(bytes: Buffer): number {
    let from = 0;
    while (this.#step === "head") {
      const end = bytes.indexOf(HEAD_END, from);
      if ((end < 0 ? bytes.length : end) - from > MAX_HEAD_BYTES) throw new BadAnswer("its head is too long");
      if (end < 0) {
        if (from < bytes.length) this.#held = Buffer.from(bytes.subarray(from));
        return bytes.length;
      }
      this.#takeHead(bytes.toString("latin1", from, end + 2));
      from = end + HEAD_END.length;
    }
    return from;
  }

  #takeHead(text: string): void {
    const head = parseHead(text);
    // Word that the final head is still to come.
    if (head.status < 200) return;
    this.status = head.status;
    this.headers = head.headers;
    this.hasHead = true;
    this.keepsAlive = head.keepsAlive;
    this.keepAliveMs = head.keepAliveMs;
    if (head.status === 204 || head.status === 304) this.#step = "done";
    else if (head.isChunked) this.#step = "size";
    else if (head.contentLength === null) this.#untilClose();
    else {
      this.#left = head.contentLength;
      this.#step = head.contentLength === 0 ? "done" : "counted-body";
    }
  }

  #untilClose(): void {
    this.#step = "body-until-close";
    this.keepsAlive = false;
  }

  /** Reads from `at` on; returns the place behind the last byte that belongs to the answer. */
  #readBody(bytes: Buffer, from: number): number {
    let at = from;
    while (at < bytes.length && this.#step !== "done") {
      if (this.#step === "chunk" || this.#step === "counted-body") at = this.#takeCounted(bytes, at);
      else if (this.#step === "body-until-close") at = this.#takeAll(bytes, at);
      else this.#frame(bytes[at++] as number);
    }
    return at;
  }

  #takeCounted(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#body.push(bytes.subarray(at, end));
    this.#left -= end - at;
    if (this.#left === 0) this.#step = this.#step === "chunk" ? "chunk-cr" : "done";
    return end;
  }

  #takeAll(bytes: Buffer, at: number): number {
    this.#body.push(bytes.subarray(at));
    return bytes.length;
  }

  /** One byte of what stands between chunks and behind the last one. */
  #frame(byte: number): void {
    switch (this.#step) {
      case "size":
        this.#size(byte);
        return;
      case "extension":
        if (byte === CR) this.#step = "size-end";
        else this.#pass(byte, MAX_EXTENSION_BYTES);
        return;
      case "size-end":
        expectByte(byte, LF);
        this.#extra = 0;
        this.#digits = 0;
        this.#step = this.#left === 0 ? "trailer" : "chunk";
        return;
      case "chunk-cr":
        expectByte(byte, CR);
        this.#step = "chunk-lf";
        return;
      case "chunk-lf":
        expectByte(byte, LF);
        this.#step = "size";
        return;
      default:
        this.#trailer(byte);
    }
  }

  #size(byte: number): void {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      if (++this.#digits > MAX_SIZE_DIGITS) throw new BadAnswer("a chunk's size is too long");
      this.#left = this.#left * 16 + digit;
    } else if (this.#digits > 0 && (byte === CR || byte === SEMICOLON)) {
      this.#step = byte === CR ? "size-end" : "extension";
    } else {
      throw new BadAnswer("a chunk's size is no number");
    }
  }

  /** Trailers are read past: no client asked for them. */
  #trailer(byte: number): void {
    if (this.#step === "end-lf") {
      expectByte(byte, LF);
      this.#step = "done";
    } else if (this.#step === "trailer-line-end") {
      expectByte(byte, LF);
      if (!isHeaderLine(`${this.#line}\r\n`)) throw new BadAnswer("a trailer line is malformed");
      this.#line = "";
      this.#step = "trailer";
    } else if (byte === CR) {
      this.#step = this.#step === "trailer" ? "end-lf" : "trailer-line-end";
    } else {
      this.#step = "trailer-line";
      this.#line += String.fromCharCode(byte);
      this.#pass(byte, MAX_HEAD_BYTES);
    }
  }

  #pass(byte: number, most: number): void {
    if ((byte < SPACE && byte !== TAB) || ++this.#extra > most)
      throw new BadAnswer("its frame holds what does not belong there");
  }
}

function expectByte(byte: number, expected: number): void {
  if (byte !== expected) throw new BadAnswer("a chunk does not end where it says");
}

/** -1 when it is none. */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
