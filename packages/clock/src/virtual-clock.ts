import type { Clock, Timer } from "./clock";

interface Pending {
  readonly dueMs: number;
  readonly order: number;
  readonly fire: () => void;
  cancelled: boolean;
}

/**
 * Time that moves only when told to. Timers due at the same moment fire in the order they were set, so a test or a
 * simulation that uses it is repeatable.
 */
export class VirtualClock implements Clock {
  #nowMs: number;
  #order = 0;
  readonly #epochMs: number;
  readonly #pending: Pending[] = [];

  constructor(options: { startMs?: number; epochMs?: number } = {}) {
    this.#nowMs = options.startMs ?? 0;
    this.#epochMs = options.epochMs ?? 1_700_000_000_000;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#epochMs + Math.floor(this.#nowMs);
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    const entry: Pending = {
      dueMs: this.#nowMs + Math.max(0, delayMs),
      order: this.#order++,
      fire,
      cancelled: false,
    };
    this.#pending.push(entry);
    return {
      cancel: () => {
        entry.cancelled = true;
      },
    };
  }

  /** Moves time forward by `ms` (0 or more), firing every timer that falls due, in order, at its own moment. */
  advance(ms: number): void {
    const target = this.#nowMs + ms;
    for (let next = this.#takeDue(target); next !== undefined; next = this.#takeDue(target)) {
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.fire();
    }
    this.#nowMs = target;
  }

  /** Moves to the next pending timer and fires it. False when none is pending. */
  advanceToNext(): boolean {
    const next = this.#takeDue(Number.POSITIVE_INFINITY);
    if (next === undefined) return false;
    this.#nowMs = Math.max(this.#nowMs, next.dueMs);
    next.fire();
    return true;
  }

  #takeDue(limitMs: number): Pending | undefined {
    let best = -1;
    for (let i = this.#pending.length - 1; i >= 0; i--) {
      const entry = this.#pending[i] as Pending;
      if (entry.cancelled) {
        this.#pending.splice(i, 1);
        if (best > i) best--;
        continue;
      }
      const incumbent = this.#pending[best];
      if (entry.dueMs > limitMs) continue;
      if (
        incumbent === undefined ||
        entry.dueMs < incumbent.dueMs ||
        (entry.dueMs === incumbent.dueMs && entry.order < incumbent.order)
      ) {
        best = i;
      }
    }
    return best < 0 ? undefined : this.#pending.splice(best, 1)[0];
  }
}
