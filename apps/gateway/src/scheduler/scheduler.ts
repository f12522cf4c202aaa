import type { Clock, Timer } from "@obleth/clock";
import {
  createEngine,
  type Decision,
  decisionsSince,
  type EngineConfig,
  type EngineEvent,
  type EngineSnapshot,
  type LimitsChanged,
  type PolicyChanged,
  type PoolChanged,
  type PoolId,
  type PoolSample,
  sample,
  snapshot,
  step,
  waiterId,
  waitingTags,
} from "@obleth/fairshare";
import type { Admission, AdmissionRequest, Waiting } from "./admission";
import type { AdmissionOutcome } from "./admission-outcome";
import { type EffectTarget, performEffect } from "./perform-effect";
import type { SlotClaims } from "./slot-claims";
import { WaitingRequest } from "./waiting-request";

export interface SchedulerOptions {
  readonly engine: Partial<EngineConfig>;
  readonly clock: Clock;
  /** Longest wait for a slot, ms; null waits without end. */
  readonly timeoutMs: number | null;
  /** Asked in shared mode; left out where that mode never comes. */
  readonly slots?: SlotClaims;
  /** Hears every decision after its effects have been performed. May throw. */
  readonly onDecision?: (decision: Decision) => void;
  /** A callback of a caller or listener threw, or the engine found itself broken (an InvariantError). */
  readonly onFault?: (error: unknown) => void;
}

/**
 * Owns the engine's state and feeds it one event at a time, each to the end of its effects before the next. What
 * callers do from inside an answer (admit, release, cancel) is queued behind the event that is being worked on, so
 * decisions never interleave.
 */
export class Scheduler implements Admission {
  readonly #options: SchedulerOptions;
  readonly #clock: Clock;
  readonly #state: ReturnType<typeof createEngine>;
  readonly #pending: EngineEvent[] = [];
  readonly #target: EffectTarget;
  #latestId = 0;
  #latestDecision = 0;
  #isBusy = false;
  #isShutDown = false;
  #timer: Timer | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#state = createEngine(options.engine);
    this.#target = {
      slots: options.slots ?? REFUSING_SLOTS,
      finish: (id, actualTokens) => this.#feed({ kind: "finish", waiterId: id, actualTokens }),
      claimSettled: (id, outcome, sinceLastFinishMs) =>
        this.#feed({ kind: "claim_settled", waiterId: id, outcome, sinceLastFinishMs }),
      wakeAt: (atMs) => this.#wakeAt(atMs),
      failed: (error) => this.#failed(error),
    };
  }

  get stalls(): number {
    return this.#target.slots.stalls;
  }

  admit(request: AdmissionRequest, settle: (outcome: AdmissionOutcome) => void): Waiting | undefined {
    if (this.#isShutDown) {
      settle({ kind: "shutting-down", waitMs: 0 });
      return undefined;
    }
    this.#latestId += 1;
    const id = waiterId(this.#latestId);
    const waiting = new WaitingRequest(id, this.#clock.monotonicMs(), { settle, onCancel: this.#onCancel });
    const { pool, tenant, key, costTokens, session } = request;
    const { timeoutMs } = this.#options;
    this.#feed({ kind: "arrive", waiterId: id, pool, tenant, key, costTokens, session, timeoutMs, tag: waiting });
    return waiting.isSettled ? undefined : waiting;
  }

  /** Sizes and settings of one pool; running requests are never cut short. */
  setPool(change: PoolChanged): void {
    this.#feed(change);
  }

  /** Ceiling, mode, and the part of every limit that counts here. */
  setLimits(change: Omit<LimitsChanged, "kind">): void {
    this.#feed({ kind: "limits_changed", ...change });
  }

  /** Newer weights or caps, for who waits too. */
  policyChanged(change: PolicyChanged): void {
    this.#feed(change);
  }

  /** A slot may have come free elsewhere: refused claims are tried again, in one pool or in all (null). */
  retry(pool: PoolId | null): void {
    this.#feed({ kind: "retry", pool });
  }

  /** Everything about the present moment. */
  snapshot(): EngineSnapshot {
    return snapshot(this.#state, this.#clock.monotonicMs());
  }

  /** Counts only; cheap enough for every couple of seconds. */
  sample(): PoolSample[] {
    return sample(this.#state);
  }

  /** Requests that have a slot or are getting one. */
  get inFlight(): number {
    return this.#state.taken;
  }

  /** Answers everybody who waits, and every later request, with `shutting-down`. Running requests keep their slots. */
  shutdown(): void {
    this.#isShutDown = true;
    for (const waiting of waitingTags(this.#state)) if (waiting instanceof WaitingRequest) this.#settleGone(waiting);
  }

  readonly #onCancel = (waiting: WaitingRequest): void => {
    this.#abandon(waiting, { kind: "client-gone", waitMs: this.#clock.monotonicMs() - waiting.arrivedMs });
  };

  #settleGone(waiting: WaitingRequest): void {
    this.#abandon(waiting, { kind: "shutting-down", waitMs: this.#clock.monotonicMs() - waiting.arrivedMs });
  }

  /** Answered first, so that a grant that crosses finds it settled and gives the slot back. */
  #abandon(waiting: WaitingRequest, outcome: AdmissionOutcome): void {
    if (waiting.isSettled) return;
    try {
      waiting.settle(outcome);
    } catch (error) {
      this.#failed(error);
    }
    this.#feed({ kind: "cancel", waiterId: waiting.id });
  }

  #feed(event: EngineEvent): void {
    if (this.#isBusy) {
      this.#pending.push(event);
      return;
    }
    this.#isBusy = true;
    this.#apply(event);
    for (let i = 0; i < this.#pending.length; i++) this.#apply(this.#pending[i] as EngineEvent);
    this.#pending.length = 0;
    this.#isBusy = false;
  }

  #apply(event: EngineEvent): void {
    // An arrival that was queued behind the event in which the shutdown came.
    if (this.#isShutDown && event.kind === "arrive" && event.tag instanceof WaitingRequest) {
      this.#settleGone(event.tag);
      return;
    }
    try {
      for (const effect of step(this.#state, event, this.#clock.monotonicMs())) performEffect(effect, this.#target);
    } catch (error) {
      this.#failed(error);
    }
    if (this.#options.onDecision !== undefined) this.#tell(this.#options.onDecision);
  }

  #tell(listener: (decision: Decision) => void): void {
    for (const decision of decisionsSince(this.#state, this.#latestDecision)) {
      this.#latestDecision = decision.sequence;
      try {
        listener(decision);
      } catch (error) {
        this.#failed(error);
      }
    }
  }

  #wakeAt(atMs: number): void {
    this.#timer?.cancel();
    const delayMs = Math.ceil(Math.max(0, atMs - this.#clock.monotonicMs()));
    this.#timer = this.#clock.setTimer(delayMs, () => this.#feed({ kind: "wake" }));
  }

  #failed(error: unknown): void {
    try {
      this.#options.onFault?.(error);
    } catch {
      // A reporter that throws has nowhere left to report to.
    }
  }
}

/** Stands in where shared mode was never set up: nobody can answer, so every claim is put back. */
const REFUSING_SLOTS: SlotClaims = {
  stalls: 0,
  claim: (_claim, settle) => settle("unavailable", null),
  release: () => undefined,
  hold: () => undefined,
  dropHolds: () => undefined,
};
