/**
 * Until when the store keeps this replica without another heartbeat, by this replica's own monotonic clock and on the
 * safe side. Counts how often that time was over: whoever stood still so long may have lost what it was granted before.
 */
import type { Clock } from "@obleth/clock";

/** One replica's expiry, renewed by its heartbeats. Counted from when each was sent, so it never lasts too long. */
export class Expiry {
  readonly #clock: Clock;
  #untilMs = Number.NEGATIVE_INFINITY;
  #stalls = 0;
  #isCounted = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The store may have let this replica expire. True before the first heartbeat. */
  get isOver(): boolean {
    return this.#clock.monotonicMs() >= this.#untilMs;
  }

  /** How often it was over after it had begun, the present time included. */
  get stalls(): number {
    if (this.isOver && !this.#isCounted && this.#untilMs !== Number.NEGATIVE_INFINITY) {
      this.#isCounted = true;
      this.#stalls++;
    }
    return this.#stalls;
  }

  /** A heartbeat was answered that was sent `agoMs` ago and holds for `ttlMs`. */
  renewed(agoMs: number, ttlMs: number): void {
    const wasOver = this.stalls > 0 && this.isOver;
    this.#untilMs = this.#clock.monotonicMs() - agoMs + ttlMs;
    // An answer that took so long has renewed nothing: the same time goes on.
    this.#isCounted = wasOver && this.isOver;
  }
}
