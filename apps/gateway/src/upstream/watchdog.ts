/**
 * Watches every open call with one timer instead of several per call: each tick asks each call whether it has
 * overstayed. Limits are kept to within one tick.
 */
import type { Clock, Timer } from "@obleth/clock";
import { type Listed, Roster } from "../roster";

export interface Watched extends Listed {
  /** Looks at its own limits; `nowMs` is monotonic. */
  checkLimits(nowMs: number): void;
}

/** Limits are seconds, so a tenth more is within what they say; each tick costs a look at every open call. */
const TICK_MS = 100;

export class Watchdog {
  readonly #watched = new Roster<Watched>();
  #timer: Timer | null = null;

  constructor(private readonly clock: Clock) {}

  nowMs(): number {
    return this.clock.monotonicMs();
  }

  watch(call: Watched): void {
    this.#watched.add(call);
    this.#timer ??= this.clock.setTimer(TICK_MS, () => this.#tick());
  }

  unwatch(call: Watched): void {
    this.#watched.delete(call);
  }

  #tick(): void {
    this.#timer = null;
    const now = this.clock.monotonicMs();
    for (const call of this.#watched) call.checkLimits(now);
    if (this.#watched.size > 0) this.#timer ??= this.clock.setTimer(TICK_MS, () => this.#tick());
  }
}
