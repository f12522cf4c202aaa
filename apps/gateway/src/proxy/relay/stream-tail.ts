/**
 * Remembers enough of an event stream to tell a finished answer from one that merely stopped. HTTP cannot: a backend that
 * dies may leave a connection that closes cleanly. What a model writes stands inside JSON strings, where quotes and line
 * breaks are escaped, so that it cannot pass for the protocol's own words.
 */
import type { Protocol } from "../../error-response";
import type { CallRoute } from "../routes";

/** Which protocol's stream it is: the backend's, not the caller's. */
export interface StreamKind {
  readonly protocol: Protocol;
  readonly route: Pick<CallRoute, "answers" | "upstreamPath">;
}

/** Enough for the events that end an answer, usage included. */
const KEPT_BYTES = 4096;
/** Longest beginning of an event that names what it is. */
const NAME_BYTES = 64;
const LINE_FEED = 0x0a;
const COLON = 0x3a;
const COMMENT_START = Buffer.from("\n:");
const COMMENT = /(?<=\n):[^\n]*/g;
const BLANK_LINES = /(?:\r?\n){3,}/g;

export class StreamTail {
  /** Room for twice as many, so that they are moved seldom. Copies: the pieces of a stream are views of larger reads. */
  #bytes: Buffer | null = null;
  #end = 0;
  /** In the middle of a comment whose beginning is not kept. */
  #isInComment = false;
  /** Of a response's last event, which repeats all of the answer: its beginning has passed. */
  #hasResponseEnd = false;

  readonly #isOfResponses: boolean;

  constructor(private readonly kind: StreamKind) {
    this.#isOfResponses = kind.protocol === "openai" && kind.route.upstreamPath === "/responses";
  }

  push(piece: Buffer): void {
    const chunk = this.#isInComment ? this.#afterComment(piece) : piece;
    if (this.#bytes === null) this.#begin();
    if (this.#bytes === null) return;
    if (this.#isOfResponses && !this.#hasResponseEnd) {
      const before = this.#bytes.toString("latin1", Math.max(0, this.#end - NAME_BYTES), this.#end);
      this.#hasResponseEnd = RESPONSE_END.test(before + chunk.toString("latin1"));
    }
    if (chunk.length > KEPT_BYTES || this.#end + chunk.length > this.#bytes.length) this.#keepLast(chunk, this.#bytes);
    else this.#end += chunk.copy(this.#bytes, this.#end);
  }

  /** Comments may be as long as they like and come after the end, so they go first. */
  #keepLast(piece: Buffer, bytes: Buffer): void {
    const hasComment = bytes.subarray(0, this.#end).includes(COMMENT_START) || piece.includes(COMMENT_START);
    const chunk = hasComment || piece[0] === COLON ? this.#withoutComments(piece, bytes) : piece;
    const start = Math.max(0, chunk.length - KEPT_BYTES);
    // What is left out must not be bridged.
    if (start > 0) this.#end = 0;
    if (this.#end + chunk.length - start > bytes.length) {
      bytes.copyWithin(0, this.#end - KEPT_BYTES, this.#end);
      this.#end = KEPT_BYTES;
    }
    this.#end += chunk.copy(bytes, this.#end, start);
  }

  /** All that was kept and this piece. */
  #withoutComments(piece: Buffer, bytes: Buffer): Buffer {
    const all = Buffer.concat([bytes.subarray(0, this.#end), piece]);
    this.#end = 0;
    this.#isInComment = all[all.lastIndexOf(LINE_FEED) + 1] === COLON;
    return Buffer.from(all.toString("latin1").replace(COMMENT, "").replace(BLANK_LINES, "\n\n"), "latin1");
  }

  #afterComment(piece: Buffer): Buffer {
    const end = piece.indexOf(LINE_FEED);
    this.#isInComment = end < 0;
    return piece.subarray(end < 0 ? piece.length : end);
  }

  /** Whether the stream ended the way its protocol ends one, an error event included. */
  isFinished(): boolean {
    const text = this.#bytes?.toString("latin1", 0, this.#end).replace(COMMENT, "") ?? "";
    if (this.kind.protocol === "anthropic") return MESSAGE_END.test(text);
    if (this.#isOfResponses) return this.#hasResponseEnd || DONE.test(text);
    return DONE.test(text) || ERROR.test(text) || this.#endsInChoices(text);
  }

  /** Whether the choice that was told of last is complete. */
  #endsInChoices(text: string): boolean {
    const reason = [...text.matchAll(FINISH_REASON)].at(-1)?.[1];
    // Streams of pictures and sound end in several ways; where none is in sight the end of HTTP's frame has to do.
    if (reason === undefined && this.kind.route.answers === "bytes") return !PART.test(text) || LAST_PART.test(text);
    return reason !== undefined && reason !== "null" && reason !== '""';
  }

  /** A line feed stands before the first byte, which begins a line. */
  #begin(): void {
    this.#bytes = Buffer.allocUnsafeSlow(2 * KEPT_BYTES);
    this.#bytes[0] = LINE_FEED;
    this.#end = 1;
  }
}

const DONE = /[\r\n]data:[ \t]*\[DONE\]/;
const ERROR = /[\r\n]event:[ \t]*error|"error"\s*:\s*[{"]|"(?:object|type)"\s*:\s*"error"/;
/** Also null and the empty text, which some servers send with every piece. */
const FINISH_REASON = /"finish_reason"\s*:\s*(null|"[^"]*")/g;
const MESSAGE_END = /[\r\n]event:[ \t]*(?:message_stop|error)[\r\n]|"type"\s*:\s*"(?:message_stop|error)"/;
const RESPONSE_END =
  /(?:[\r\n]event:[ \t]*|"type"\s*:\s*")(?:response\.(?:completed|failed|incomplete|cancelled)|error)["\r\n]/;
const PART = /"type"\s*:\s*"[a-z_.]+\.delta"/;
const LAST_PART = /"type"\s*:\s*"[a-z_.]+\.done"/;
