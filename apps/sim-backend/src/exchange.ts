/**
 * One request and its answer on the socket: reads the body, writes with back-pressure, notices the caller leaving, and
 * closes the request's visit in the census at the right moment, exactly once.
 */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Census, Visit } from "./census";

/** Larger bodies are refused; the same bound as the gateway's default. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

export class Exchange {
  readonly visit: Visit;
  /** Aborts when the caller's socket is gone before the answer was written. */
  readonly gone: AbortSignal;
  readonly #leave = new AbortController();
  /** Set once a failure was scripted or a request refused: what is then written fully still counts as failed. */
  isFailure = false;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    census: Census,
  ) {
    this.visit = census.enter(request.url ?? "");
    this.gone = this.#leave.signal;
    const socket = request.socket;
    const lost = () => {
      socket.off("end", lost);
      census.leave(this.visit, "aborted");
      this.#leave.abort();
    };
    // The socket's own end tells of a leaving caller a turn of the event loop earlier than the response does.
    socket.on("end", lost);
    response.on("close", lost);
    response.on("finish", () => census.leave(this.visit, this.isFailure ? "failed" : "completed"));
    response.on("error", () => undefined);
    request.on("error", () => undefined);
  }

  /** The whole body; undefined when it is too large or the caller left while sending. */
  async readBody(): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    let size = 0;
    try {
      for await (const part of this.request) {
        size += part.length;
        if (size > MAX_BODY_BYTES) return undefined;
        parts.push(part);
      }
    } catch {
      return undefined;
    }
    return Buffer.concat(parts);
  }

  sendJson(status: number, body: unknown, headers: Record<string, string> = {}): void {
    if (status >= 400) this.isFailure = true;
    this.response.writeHead(status, { "content-type": "application/json", ...headers });
    this.response.end(JSON.stringify(body));
  }

  openStream(): void {
    this.response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
    this.response.flushHeaders();
  }

  /** Writes and waits until the socket takes more; returns at once when the caller is gone. */
  async write(text: string): Promise<void> {
    if (this.gone.aborted || this.response.write(text)) return;
    await once(this.response, "drain", { signal: this.gone }).catch(() => undefined);
  }

  end(): void {
    this.response.end();
  }

  /** Breaks the connection the rude way: the peer sees a reset, not an end. */
  reset(): void {
    this.isFailure = true;
    this.request.socket.resetAndDestroy();
  }
}
