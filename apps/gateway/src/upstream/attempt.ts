/**
 * One request to one endpoint over one connection, at the level of raw bytes: undici's dispatch with its raw handler, so
 * nothing is wrapped or copied between the backend's socket and whoever takes the answer. Every attempt ends exactly once:
 * with the answer's end, or with a failure that says what went wrong and when.
 */
import { type Client, type Dispatcher, errors } from "undici";
import type { Connections } from "./connections";
import type { Watchdog, Watched } from "./watchdog";

export interface AttemptRequest {
  readonly method: "POST" | "GET";
  /** Path and query. */
  readonly path: string;
  /** Flat list of names and values. */
  readonly headers: string[];
  readonly body: Buffer | null;
}

/** All in ms; monotonic where it is a moment. */
export interface AttemptLimits {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  /** When the whole call must be over; null for never. */
  readonly deadlineAtMs: number | null;
}

export type FailureKind =
  | "connect_failed"
  | "connect_timeout"
  | "first_byte_timeout"
  | "idle_timeout"
  | "total_timeout"
  | "broken"
  | "bad_answer"
  | "address_refused"
  | "aborted";

export interface AttemptFailure {
  readonly kind: FailureKind;
  /** For the log only: may name hosts, never shown to clients. */
  readonly detail: string;
}

/** Takes the answer. Returning false stops the reading until `resume()`. */
export interface AnswerTaker {
  onHead(status: number, rawHeaders: readonly Buffer[]): boolean;
  onData(chunk: Buffer): boolean;
  onEnd(): void;
  onFailure(failure: AttemptFailure): void;
}

/** Answer bytes read and dropped so that the connection can be used again; beyond, closing it is cheaper. */
const MAX_DRAINED_BYTES = 64 * 1024;

type Phase = "connecting" | "waiting" | "reading" | "over";

export class Attempt implements Watched, Dispatcher.DispatchHandler {
  rosterPlace = -1;
  readonly #connections: Connections;
  readonly #watchdog: Watchdog;
  #phase: Phase = "connecting";
  #phaseSinceMs: number;
  #hadBytes = false;
  #isPaused = false;
  #isSending = false;
  #drained = -1;
  #abortConnection: ((error?: Error) => void) | null = null;
  #resume: (() => void) | null = null;
  #client: Client | null = null;

  constructor(
    { connections, watchdog }: { readonly connections: Connections; readonly watchdog: Watchdog },
    private readonly limits: AttemptLimits,
    private readonly taker: AnswerTaker,
  ) {
    this.#connections = connections;
    this.#watchdog = watchdog;
    this.#phaseSinceMs = watchdog.nowMs();
  }

  /** `fresh` asks for a new connection. Nothing is told before this returns. */
  send(request: AttemptRequest, { fresh }: { fresh: boolean }): void {
    try {
      this.#client = this.#connections.take({ fresh });
    } catch (error) {
      const failure = failureOf(error, "connecting");
      process.nextTick(() => this.#fail(failure));
      return;
    }
    this.#watchdog.watch(this);
    this.#isSending = true;
    this.#client.dispatch(
      { method: request.method, path: request.path, headers: request.headers, body: request.body, blocking: true },
      this,
    );
    this.#isSending = false;
  }

  /** Goes on reading after a taker said to stop. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#hadBytes = true;
    this.#resume?.();
  }

  /** Gives the call up: its connection closes, the backend sees it go, the taker hears nothing more. */
  abort(): void {
    if (this.#phase === "over") return;
    this.#over();
    this.#closeConnection();
  }

  /** The answer is not wanted: reads a short rest so that the connection stays usable, closes it otherwise. */
  discard(): void {
    if (this.#phase === "over") return;
    this.#drained = 0;
    this.resume();
  }

  checkLimits(nowMs: number): void {
    if (this.limits.deadlineAtMs !== null && nowMs >= this.limits.deadlineAtMs) {
      this.#timeOut("total_timeout");
    } else if (this.#phase === "connecting") {
      if (nowMs - this.#phaseSinceMs >= this.limits.connectMs) this.#timeOut("connect_timeout");
    } else if (this.#phase === "waiting") {
      if (nowMs - this.#phaseSinceMs >= this.limits.firstByteMs) this.#timeOut("first_byte_timeout");
    } else if (this.#hadBytes || this.#isPaused) {
      this.#hadBytes = false;
      this.#phaseSinceMs = nowMs;
    } else if (nowMs - this.#phaseSinceMs >= this.limits.idleMs) {
      this.#timeOut("idle_timeout");
    }
  }

  onConnect(abort: (error?: Error) => void): void {
    if (this.#phase === "over") {
      abort(new Error("given up"));
      return;
    }
    this.#abortConnection = abort;
    this.#enter("waiting");
  }

  onHeaders(status: number, rawHeaders: Buffer[], resume: () => void): boolean {
    if (status < 200) return true;
    this.#resume = resume;
    this.#enter("reading");
    if (this.#drained >= 0) return true;
    return this.#goOn(this.taker.onHead(status, rawHeaders));
  }

  onData(chunk: Buffer): boolean {
    this.#hadBytes = true;
    if (this.#phase === "over") return true;
    if (this.#drained >= 0) {
      this.#drained += chunk.length;
      if (this.#drained > MAX_DRAINED_BYTES) this.abort();
      return true;
    }
    return this.#goOn(this.taker.onData(chunk));
  }

  onComplete(): void {
    if (this.#phase === "over") return;
    const isWanted = this.#drained < 0;
    this.#over();
    if (this.#client !== null) this.#connections.giveBack(this.#client);
    if (isWanted) this.taker.onEnd();
  }

  onError(error: Error): void {
    if (this.#phase === "over") return;
    if (this.#isSending) {
      process.nextTick(() => this.onError(error));
      return;
    }
    const failure = failureOf(error, this.#phase);
    const isWanted = this.#drained < 0;
    this.#over();
    this.#closeConnection();
    if (isWanted) this.taker.onFailure(failure);
  }

  #goOn(wantsMore: boolean): boolean {
    if (wantsMore || this.#phase === "over") return true;
    // A taker may have called `discard` while it was being told; then nothing is paused.
    if (this.#drained >= 0) return true;
    this.#isPaused = true;
    return false;
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#hadBytes = false;
    this.#phaseSinceMs = this.#watchdog.nowMs();
  }

  #timeOut(kind: FailureKind): void {
    const detail = `${kind} while ${this.#phase}`;
    const isWanted = this.#drained < 0;
    this.#over();
    this.#closeConnection();
    if (isWanted) this.taker.onFailure({ kind, detail });
  }

  #fail(failure: AttemptFailure): void {
    if (this.#phase === "over") return;
    this.#over();
    this.taker.onFailure(failure);
  }

  #over(): void {
    this.#phase = "over";
    this.#watchdog.unwatch(this);
  }

  #closeConnection(): void {
    this.#abortConnection?.(new Error("given up"));
    // One that is still connecting closes as soon as it is connected, or at the time limit for that.
    void this.#client?.destroy().catch(() => {});
    this.#client = null;
  }
}

function failureOf(error: unknown, phase: Phase): AttemptFailure {
  const code = codeOf(error);
  const detail = `${code === "" ? "error" : code} while ${phase}: ${error instanceof Error ? error.message : "unknown"}`;
  if (code === "OBLETH_ADDRESS_REFUSED") return { kind: "address_refused", detail };
  if (code === "UND_ERR_CONNECT_TIMEOUT") return { kind: "connect_timeout", detail };
  if (phase === "connecting") return { kind: "connect_failed", detail };
  if (error instanceof errors.HTTPParserError || BAD_ANSWER_CODES.has(code)) return { kind: "bad_answer", detail };
  return { kind: "broken", detail };
}

const BAD_ANSWER_CODES = new Set(["UND_ERR_HEADERS_OVERFLOW", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH"]);

function codeOf(error: unknown): string {
  if (error === null || typeof error !== "object" || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}
