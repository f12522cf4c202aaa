/**
 * One request to one endpoint over one connection, under limits of time. Every attempt ends exactly once: with the answer's
 * end, or with a failure that says what went wrong and when.
 */
import { BadAnswer } from "./answer-head";
import type { Connection, ConnectionUser } from "./connection";
import type { Connections } from "./connections";
import { requestHead } from "./request-head";
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
  onHead(status: number, rawHeaders: readonly string[]): void;
  onData(chunk: Buffer): boolean;
  onEnd(): void;
  onFailure(failure: AttemptFailure): void;
}

/** Answer bytes read and dropped so that the connection can be used again; beyond, closing it is cheaper. */
const MAX_DRAINED_BYTES = 64 * 1024;

type Phase = "connecting" | "waiting" | "reading" | "over";

export class Attempt implements Watched, ConnectionUser {
  rosterPlace = -1;
  #phase: Phase = "connecting";
  #phaseSinceMs: number;
  #hadBytes = false;
  #isPaused = false;
  #drained = -1;
  #connection: Connection | null = null;

  constructor(
    private readonly connections: Connections,
    private readonly watchdog: Watchdog,
    private readonly limits: AttemptLimits,
    private readonly taker: AnswerTaker,
  ) {
    this.#phaseSinceMs = watchdog.nowMs();
  }

  /** `fresh` asks for a new connection. Nothing is told before this returns. */
  send(request: AttemptRequest, { fresh }: { fresh: boolean }): void {
    let head: string;
    try {
      head = requestHead(request, this.connections.host);
      this.#connection = this.connections.take({ fresh });
    } catch (error) {
      const failure = failureOf(error, "connecting");
      process.nextTick(() => this.#fail(failure));
      return;
    }
    this.watchdog.watch(this);
    this.#connection.send(head, request.body, this);
  }

  /** Goes on reading after a taker said to stop. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#hadBytes = true;
    this.#connection?.resume();
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

  onSent(): void {
    this.#enter("waiting");
  }

  onHead(status: number, rawHeaders: readonly string[]): void {
    this.#enter("reading");
    if (this.#drained < 0) this.taker.onHead(status, rawHeaders);
  }

  onBody(bytes: Buffer): boolean {
    this.#hadBytes = true;
    if (this.#drained >= 0) {
      this.#drained += bytes.length;
      if (this.#drained > MAX_DRAINED_BYTES) this.abort();
      return true;
    }
    this.#isPaused = !this.taker.onData(bytes) && this.#phase !== "over" && !this.#isDrained;
    return !this.#isPaused;
  }

  onEnd(isReusable: boolean): void {
    const isWanted = this.#drained < 0;
    const connection = this.#connection;
    this.#connection = null;
    this.#over();
    if (isReusable && connection !== null) this.connections.giveBack(connection);
    if (isWanted) this.taker.onEnd();
  }

  onLost(error: Error): void {
    this.#fail(failureOf(error, this.#phase));
  }

  /** The taker may have said so while it was being told something. */
  get #isDrained(): boolean {
    return this.#drained >= 0;
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#hadBytes = false;
    this.#phaseSinceMs = this.watchdog.nowMs();
  }

  #timeOut(kind: FailureKind): void {
    this.#fail({ kind, detail: `${kind} while ${this.#phase}` });
  }

  #fail(failure: AttemptFailure): void {
    if (this.#phase === "over") return;
    this.#over();
    this.#closeConnection();
    if (!this.#isDrained) this.taker.onFailure(failure);
  }

  #over(): void {
    this.#phase = "over";
    this.watchdog.unwatch(this);
  }

  #closeConnection(): void {
    this.#connection?.destroy();
    this.#connection = null;
  }
}

function failureOf(error: unknown, phase: Phase): AttemptFailure {
  const code = codeOf(error);
  const detail = `${code === "" ? "error" : code} while ${phase}: ${error instanceof Error ? error.message : "unknown"}`;
  if (code === "OBLETH_ADDRESS_REFUSED") return { kind: "address_refused", detail };
  if (phase === "connecting") return { kind: "connect_failed", detail };
  if (error instanceof BadAnswer) return { kind: "bad_answer", detail };
  return { kind: "broken", detail };
}

function codeOf(error: unknown): string {
  if (error === null || typeof error !== "object" || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}
