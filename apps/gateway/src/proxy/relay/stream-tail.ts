/**
 * Remembers the last bytes of an event stream, to tell a finished answer from one that merely stopped. HTTP cannot: a
 * backend that dies may leave a connection that closes cleanly.
 */
import type { Protocol } from "../../error-response";

/** Which protocol's stream it is: the backend's, not the caller's. */
export interface StreamKind {
  readonly protocol: Protocol;
  readonly upstreamPath: string;
}

/** Enough for the events that end an answer, usage included. */
const KEPT_BYTES = 4096;

export class StreamTail {
  /** Room for twice as many, so that they are moved seldom. Copies: the pieces of a stream are views of larger reads. */
  #bytes: Buffer | null = null;
  #end = 0;

  push(chunk: Buffer): void {
    this.#bytes ??= Buffer.allocUnsafeSlow(2 * KEPT_BYTES);
    const start = Math.max(0, chunk.length - KEPT_BYTES);
    // What is left out must not be bridged.
    if (start > 0) this.#end = 0;
    if (this.#end + chunk.length - start > this.#bytes.length) {
      this.#bytes.copyWithin(0, this.#end - KEPT_BYTES, this.#end);
      this.#end = KEPT_BYTES;
    }
    this.#end += chunk.copy(this.#bytes, this.#end, start);
  }

  /** Whether the stream ended the way its protocol ends one, an error event included. */
  isFinished(kind: StreamKind): boolean {
    return endMarkers(kind).test(this.#text());
  }

  #text(): string {
    return this.#bytes?.toString("latin1", 0, this.#end) ?? "";
  }
}

function endMarkers({ protocol, upstreamPath }: StreamKind): RegExp {
  if (protocol === "anthropic") return /message_stop|"?error"?/;
  if (upstreamPath === "/responses") return /response\.(?:completed|failed|incomplete|cancelled)|"error"|\[DONE\]/;
  return /\[DONE\]|"finish_reason"\s*:\s*"|"error"/;
}
