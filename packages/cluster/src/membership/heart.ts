/**
 * When heartbeats go out, and their deadline. One is under way at a time; what it says is its owner's business. An
 * answer that comes after the deadline, or after the heartbeat was dropped, is ignored.
 */
import type { Clock, Timer } from "@obleth/clock";
import type { Heartbeat, HeartbeatAnswer, SlotStore, StoreResult } from "../slots/slot-store";

/** What a heart is made with. */
export interface HeartOptions {
  readonly store: SlotStore;
  readonly clock: Clock;
  /** Longest wait for an answer, ms. */
  readonly timeoutMs: number;
  /** Runs later in the same turn of the event loop, after what has come in is read. */
  readonly defer: (run: () => void) => void;
  /** It is time for a heartbeat: `send` must follow, now or later. */
  readonly onDue: () => void;
  readonly onAnswer: (answer: HeartbeatAnswer, latencyMs: number) => void;
  /** In place of `onAnswer`. Whether the heartbeat was booked is not known then. */
  readonly onFailure: (reason: "timeout" | "error", error: unknown, latencyMs: number) => void;
}

/** One replica's heartbeats: at most one under way, at most one appointment. */
export class Heart {
  readonly #options: HeartOptions;
  #timer: Timer | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  #lastSentMs = Number.NEGATIVE_INFINITY;
  #sequence = 0;
  #isUnderWay = false;
  #isWantedAgain = false;
  #isStopped = false;

  constructor(options: HeartOptions) {
    this.#options = options;
  }

  /** Beats at the latest `delayMs` from now; an earlier appointment stands. */
  beatIn(delayMs: number): void {
    if (this.#isStopped || this.#isUnderWay) return;
    const dueMs = this.#options.clock.monotonicMs() + delayMs;
    if (dueMs >= this.#dueMs) return;
    this.#timer?.cancel();
    this.#dueMs = dueMs;
    this.#timer = this.#options.clock.setTimer(delayMs, () => {
      this.#dueMs = Number.POSITIVE_INFINITY;
      this.#isUnderWay = true;
      this.#options.onDue();
    });
  }

  /** Beats soon, but not within `gapMs` of the last one; behind the one under way if there is one. */
  beatSoon(gapMs: number): void {
    if (this.#isUnderWay) this.#isWantedAgain = true;
    else this.beatIn(Math.max(0, this.#lastSentMs + gapMs - this.#options.clock.monotonicMs()));
  }

  /** Sends one heartbeat at once. */
  send(beat: Heartbeat): void {
    const { clock, store, timeoutMs, defer, onAnswer, onFailure } = this.#options;
    this.#cancelTimer();
    this.#isUnderWay = true;
    this.#lastSentMs = clock.monotonicMs();
    const sequence = ++this.#sequence;
    const settle = (result: StoreResult<HeartbeatAnswer> | "timeout") => {
      timer.cancel();
      if (sequence !== this.#sequence) return;
      const latencyMs = clock.monotonicMs() - this.#lastSentMs;
      const isWantedAgain = this.#isWantedAgain;
      this.drop();
      if (result === "timeout") onFailure("timeout", undefined, latencyMs);
      else if (!result.ok) onFailure("error", result.error, latencyMs);
      else {
        onAnswer(result.answer, latencyMs);
        if (isWantedAgain) this.beatSoon(timeoutMs);
      }
    };
    const timer = clock.setTimer(timeoutMs, () => defer(() => settle("timeout")));
    store.heartbeat(beat, settle);
  }

  /** Forgets the heartbeat under way and any appointment. */
  drop(): void {
    this.#sequence++;
    this.#isUnderWay = false;
    this.#isWantedAgain = false;
    this.#cancelTimer();
  }

  /** No more heartbeats. */
  stop(): void {
    this.drop();
    this.#isStopped = true;
  }

  /** Takes the appointment back, if there is one. */
  #cancelTimer(): void {
    this.#timer?.cancel();
    this.#dueMs = Number.POSITIVE_INFINITY;
  }
}
