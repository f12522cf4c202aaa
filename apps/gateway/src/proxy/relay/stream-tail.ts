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
  #chunks: Buffer[] = [];
  #bytes = 0;

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes >= 2 * KEPT_BYTES) this.#forget();
  }

  /** Lets go of what is not among the last bytes; seldom, because each event passes here. */
  #forget(): void {
    let kept = 0;
    let from = this.#chunks.length;
    while (from > 0 && kept < KEPT_BYTES) kept += this.#chunks[--from]?.length ?? 0;
    this.#chunks = this.#chunks.slice(from);
    this.#bytes = kept;
  }

  /** Whether the stream ended the way its protocol ends one, an error event included. */
  isFinished(kind: StreamKind): boolean {
    return endMarkers(kind).test(this.#text());
  }

  #text(): string {
    return Buffer.concat(this.#chunks, this.#bytes).toString("latin1");
  }
}

function endMarkers({ protocol, upstreamPath }: StreamKind): RegExp {
  if (protocol === "anthropic") return /message_stop|"?error"?/;
  if (upstreamPath === "/responses") return /response\.(?:completed|failed|incomplete|cancelled)|"error"|\[DONE\]/;
  return /\[DONE\]|"finish_reason"\s*:\s*"|"error"/;
}
