/**
 * One client request's way to a backend, from the first try to the end of the answer, inside one slot. It chooses
 * endpoints, repeats what is worth repeating while nothing has reached the client, and hands on exactly one result. Once
 * the first byte of an answer is handed on, nothing is repeated any more.
 */
import type { Clock, Timer } from "@obleth/clock";
import { GatheredBytes } from "../gathered-bytes";
import type { EndpointRecord, ModelRecord } from "../policy-cache/records";
import { type AnswerTaker, Attempt, type AttemptFailure, type AttemptLimits, type AttemptRequest } from "./attempt";
import type { EndpointState, Endpoints } from "./endpoints";
import { headerValue } from "./raw-headers";
import { backoffMs, isRetriable, retryAfterMs } from "./retry";
import type { AttemptOutcome, UpstreamEvents } from "./upstream-events";
import type { Watchdog } from "./watchdog";

/** Why no answer can be given. `credential` and `redirect` are faults in the endpoint's settings. */
export type NoAnswerReason = AttemptFailure["kind"] | "credential" | "redirect" | "no_endpoint" | "oversized_error";

export interface NoAnswer {
  readonly reason: NoAnswerReason;
  /** For the log only. */
  readonly detail: string;
  readonly endpoint: EndpointRecord | null;
}

/** A backend's refusal: complete, with a status from 400. */
export interface ErrorAnswer {
  readonly status: number;
  readonly rawHeaders: readonly Buffer[];
  readonly body: Buffer;
}

/** Takes the result: an answer piece by piece, or a backend's refusal whole, or word that there is none. */
export interface ResultTaker {
  /** A good answer begins; its first bytes, or its end, follow in the same turn. */
  onAnswer(endpoint: EndpointRecord, status: number, rawHeaders: readonly Buffer[]): void;
  /** False stops the reading until `resume()`. */
  onData(chunk: Buffer): boolean;
  onEnd(): void;
  /** The answer broke off after it began. */
  onBroken(failure: AttemptFailure): void;
  onErrorAnswer(endpoint: EndpointRecord, answer: ErrorAnswer): void;
  onNoAnswer(failure: NoAnswer): void;
}

export interface UpstreamRequest {
  readonly model: ModelRecord;
  readonly session: string | null;
  readonly protocols: readonly EndpointRecord["protocol"][];
  readonly limits: AttemptLimits;
  /** What to send to this endpoint. */
  requestFor(endpoint: EndpointState): AttemptRequest;
  /** A refusal may be about something we added: true when `requestFor` will leave it out from here on. */
  amendAfter(endpoint: EndpointRecord, status: number, body: Buffer): boolean;
}

export interface UpstreamCallDeps {
  readonly endpoints: Endpoints;
  readonly watchdog: Watchdog;
  readonly clock: Clock;
  readonly random: () => number;
  readonly events: UpstreamEvents;
}

/** Longest error answer that is read, bytes. */
const MAX_ERROR_BYTES = 256 * 1024;

export class UpstreamCall implements AnswerTaker {
  readonly #tried: string[] = [];
  #endpoint: EndpointState | null = null;
  #attempt: Attempt | null = null;
  /** A try whose answer is not wanted and may not have ended yet. */
  #discarded: Attempt | null = null;
  #tries = 0;
  #usedFreshRetry = false;
  #lastFailure: NoAnswer | null = null;
  #status = 0;
  #rawHeaders: readonly Buffer[] = [];
  #phase: "trying" | "holding-head" | "collecting-error" | "handing-on" | "over" = "trying";
  readonly #error = new GatheredBytes();
  #timer: Timer | null = null;
  #stopWaiting: (() => void) | null = null;
  /** Since when every endpoint has been at its cap; kept over several waits. */
  #waitingSinceMs: number | null = null;

  constructor(
    private readonly deps: UpstreamCallDeps,
    private readonly request: UpstreamRequest,
    private readonly taker: ResultTaker,
  ) {}

  /** The result comes after this returns, never within: a call may be started from the release of another one's slot. */
  start(): void {
    this.#nextEndpoint();
  }

  /** Gives up: nothing is sent or handed on any more. */
  abort(): void {
    if (this.#phase === "over") return;
    this.#phase = "over";
    this.#timer?.cancel();
    this.#stopWaiting?.();
    this.#discarded?.abort();
    if (this.#attempt === null) return;
    this.#attempt.abort();
    this.#leaveEndpoint("aborted");
  }

  resume(): void {
    this.#attempt?.resume();
  }

  onHead(status: number, rawHeaders: readonly Buffer[]): boolean {
    this.#status = status;
    this.#rawHeaders = rawHeaders;
    if (status < 300) {
      this.#phase = "holding-head";
      return true;
    }
    if (status < 400 || status === 401 || status === 407) {
      this.#refusedByEndpoint(status < 400 ? "redirect" : "credential");
      return true;
    }
    if (isRetriable(status) && this.#retryInsteadOf(status)) return true;
    this.#phase = "collecting-error";
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.#phase === "handing-on") return this.taker.onData(chunk);
    if (this.#phase === "holding-head") {
      this.#handOn();
      return this.taker.onData(chunk);
    }
    if (this.#phase !== "collecting-error") return true;
    this.#error.add(chunk);
    if (this.#error.size > MAX_ERROR_BYTES) this.#tooMuchError();
    return true;
  }

  onEnd(): void {
    if (this.#phase === "holding-head") this.#handOn();
    if (this.#phase === "handing-on") {
      this.#leaveEndpoint("answered");
      this.#phase = "over";
      this.taker.onEnd();
    } else if (this.#phase === "collecting-error") {
      this.#finishError();
    }
  }

  onFailure(failure: AttemptFailure): void {
    if (this.#phase === "over") return;
    const endpoint = this.#endpoint;
    const wasHandingOn = this.#phase === "handing-on";
    this.#leaveEndpoint(failure.kind);
    if (wasHandingOn) {
      this.#phase = "over";
      this.taker.onBroken(failure);
      return;
    }
    this.#phase = "trying";
    this.#lastFailure = { reason: failure.kind, detail: failure.detail, endpoint: endpoint?.record ?? null };
    if (ranOutOfTime(failure) || endpoint === null) {
      this.#noAnswer(this.#lastFailure);
    } else if (!this.#usedFreshRetry && failure.kind !== "address_refused" && failure.kind !== "connect_timeout") {
      this.#usedFreshRetry = true;
      this.#try(endpoint, { fresh: true });
    } else {
      this.#nextEndpoint();
    }
  }

  #nextEndpoint(): void {
    const { model, session, protocols } = this.request;
    const pick = this.deps.endpoints.pick({ model, session, protocols, tried: this.#tried });
    if (pick.kind === "endpoint") {
      this.#tried.push(pick.endpoint.record.id);
      this.#tries = 0;
      this.#usedFreshRetry = false;
      this.#try(pick.endpoint, { fresh: false });
    } else if (pick.kind === "all-full") {
      this.#waitForRoom();
    } else {
      this.#noAnswer(
        this.#lastFailure ?? {
          reason: "no_endpoint",
          detail: "no enabled endpoint speaks this protocol",
          endpoint: null,
        },
      );
    }
  }

  /** Until an endpoint has room, but no longer than a backend may take to begin its answer. */
  #waitForRoom(): void {
    const { deadlineAtMs, firstByteMs } = this.request.limits;
    const nowMs = this.deps.watchdog.nowMs();
    this.#waitingSinceMs ??= nowMs;
    const untilMs = deadlineAtMs ?? this.#waitingSinceMs + firstByteMs;
    const stop = this.deps.endpoints.waitForRoom(this.request.model.id, () => {
      this.#stopWaiting = null;
      this.#timer?.cancel();
      this.#nextEndpoint();
    });
    this.#stopWaiting = stop;
    this.#timer = this.deps.clock.setTimer(untilMs - nowMs, () => {
      this.#stopWaiting = null;
      stop();
      this.#noAnswer({ reason: "total_timeout", detail: "no endpoint had room in time", endpoint: null });
    });
  }

  #try(endpoint: EndpointState, { fresh }: { fresh: boolean }): void {
    this.#endpoint = endpoint;
    this.#tries++;
    this.#phase = "trying";
    this.deps.endpoints.enter(endpoint);
    const attempt = new Attempt(
      { connections: endpoint.connections, watchdog: this.deps.watchdog },
      this.request.limits,
      this,
    );
    this.#attempt = attempt;
    attempt.send(this.request.requestFor(endpoint), { fresh });
  }

  /** Ends the present try; `outcome` goes to metrics and the endpoint's health. */
  #leaveEndpoint(outcome: AttemptOutcome): void {
    const endpoint = this.#endpoint;
    if (endpoint === null || this.#attempt === null) return;
    this.#attempt = null;
    judge(endpoint, { outcome, status: this.#status, nowMs: this.deps.watchdog.nowMs() });
    this.deps.events.attemptFinished(endpoint.record.id, outcome);
    this.deps.endpoints.leave(endpoint, this.request.model.id);
  }

  /**
   * Ends the present try without its answer, which may still end by itself before the next try: a slot is one request at
   * the backend, so that what has not ended by then is given up.
   */
  #discardAttempt(outcome: AttemptOutcome): void {
    this.#discarded = this.#attempt;
    this.#leaveEndpoint(outcome);
    this.#discarded?.discard();
  }

  /** Nothing waits for the discarded answer: it counts as ended only if all of it has come with what is being read. */
  #endDiscardedSoon(): void {
    process.nextTick(() => this.#discarded?.abort());
  }

  #handOn(): void {
    const endpoint = this.#endpoint;
    if (endpoint === null) return;
    this.#phase = "handing-on";
    this.taker.onAnswer(endpoint.record, this.#status, this.#rawHeaders);
  }

  /** True when another try is under way or planned instead of handing on this status. */
  #retryInsteadOf(status: number): boolean {
    const endpoint = this.#endpoint;
    if (endpoint === null) return false;
    const { model } = this.request;
    const waitMs =
      this.#tries > model.maxRetries
        ? null
        : backoffMs({
            tries: this.#tries,
            baseMs: model.retryBackoffMs,
            retryAfterMs: retryAfterMs(headerValue(this.#rawHeaders, "retry-after"), this.deps.clock.wallMs()),
            random: this.deps.random(),
          });
    if (waitMs !== null && !this.#isTooLate(waitMs)) {
      this.#discardAttempt("error_status");
      this.#phase = "trying";
      this.#timer = this.deps.clock.setTimer(waitMs, () => this.#retryAt(endpoint));
      return true;
    }
    const { session, protocols } = this.request;
    const pick = this.deps.endpoints.pick({ model, session, protocols, tried: this.#tried });
    if (pick.kind !== "endpoint") return false;
    this.#lastFailure = { reason: "broken", detail: `status ${status}`, endpoint: endpoint.record };
    this.#discardAttempt("error_status");
    this.#endDiscardedSoon();
    this.#phase = "trying";
    this.#nextEndpoint();
    return true;
  }

  /** Whether the whole call's time is over after that wait. */
  #isTooLate(waitMs: number): boolean {
    const { deadlineAtMs } = this.request.limits;
    return deadlineAtMs !== null && this.deps.watchdog.nowMs() + waitMs >= deadlineAtMs;
  }

  #retryAt(endpoint: EndpointState): void {
    this.#timer = null;
    this.#discarded?.abort();
    if (this.#isTooLate(0)) {
      this.#noAnswer({ reason: "total_timeout", detail: "no time left for another try", endpoint: endpoint.record });
    } else {
      this.#try(endpoint, { fresh: false });
    }
  }

  #refusedByEndpoint(reason: "redirect" | "credential"): void {
    const record = this.#endpoint?.record ?? null;
    this.#lastFailure = { reason, detail: `status ${this.#status}`, endpoint: record };
    this.#discardAttempt("bad_answer");
    this.#endDiscardedSoon();
    this.#phase = "trying";
    this.#nextEndpoint();
  }

  #tooMuchError(): void {
    const record = this.#endpoint?.record ?? null;
    this.#discardAttempt("bad_answer");
    this.#endDiscardedSoon();
    this.#noAnswer({ reason: "oversized_error", detail: `status ${this.#status} with a huge body`, endpoint: record });
  }

  #finishError(): void {
    const endpoint = this.#endpoint;
    if (endpoint === null) return;
    const body = this.#error.takeWhole();
    this.#leaveEndpoint("error_status");
    if (this.request.amendAfter(endpoint.record, this.#status, body)) {
      this.#try(endpoint, { fresh: false });
      return;
    }
    this.#phase = "over";
    this.taker.onErrorAnswer(endpoint.record, { status: this.#status, rawHeaders: this.#rawHeaders, body });
  }

  #noAnswer(failure: NoAnswer): void {
    process.nextTick(() => {
      if (this.#phase === "over") return;
      this.#phase = "over";
      this.taker.onNoAnswer(failure);
    });
  }
}

/** The backend may be at work on it; one that fell silent behind its head has not begun either. */
function ranOutOfTime({ kind }: AttemptFailure): boolean {
  return kind === "total_timeout" || kind === "first_byte_timeout" || kind === "idle_timeout";
}

/** What an ended try says about the endpoint. A caller's fault or departure says nothing. */
function judge(
  endpoint: EndpointState,
  { outcome, status, nowMs }: { outcome: AttemptOutcome; status: number; nowMs: number },
): void {
  if (outcome === "aborted" || outcome === "total_timeout") endpoint.health.requestUnjudged();
  else if (outcome === "answered") endpoint.health.requestSucceeded();
  else if (outcome === "error_status" && status < 500) endpoint.health.requestUnjudged();
  else endpoint.health.requestFailed(nowMs, outcome === "error_status" ? `status ${status}` : outcome);
}
