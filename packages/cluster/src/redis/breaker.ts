/**
 * Keeps requests from waiting for a Redis that is known to be silent: after one failure every call is refused at once,
 * and a probe in the background asks once a second whether it answers again. For calls that are not slot calls; those
 * have a mode of their own (`slots/shared-slots.ts`).
 */
import type { Clock } from "@obleth/clock";
import { withDeadline } from "./deadline";

/** Pause between two probes, ms. */
const PROBE_MS = 1000;

/** A call was refused without being sent: Redis is known not to answer. */
export class BreakerOpenError extends Error {
  readonly code = "redis_down";

  constructor() {
    super("Redis is not answering");
    this.name = "BreakerOpenError";
  }
}

/** What a breaker is made with. */
export interface BreakerOptions {
  readonly clock: Clock;
  /** Longest wait for an answer, ms. */
  readonly timeoutMs: number;
  /** Resolves when Redis answers. */
  readonly probe: () => Promise<unknown>;
  /** Told once when it opens, with the reason, and once when it closes. */
  readonly onChange?: (isOpen: boolean, reason: unknown) => void;
}

/** Open from the first failure to the first probe that is answered, closed else. */
export class Breaker {
  readonly #options: BreakerOptions;
  #isOpen = false;
  #isClosed = false;

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  /** True while calls are refused. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Runs `call` under the deadline. Rejects with a `BreakerOpenError` at once while it is open, with a `DeadlineError`
   * when the answer is late, else with the call's own error. One that `isAnswer` accepts does not open it: Redis
   * answers.
   */
  async run<Answer>(call: () => Promise<Answer>, isAnswer: (error: unknown) => boolean = never): Promise<Answer> {
    if (this.#isOpen) throw new BreakerOpenError();
    try {
      return await withDeadline(this.#options.clock, this.#options.timeoutMs, call());
    } catch (error) {
      if (!isAnswer(error)) this.#open(error);
      throw error;
    }
  }

  /** Stops probing. */
  close(): void {
    this.#isClosed = true;
  }

  /** Refuses from here on, and begins to probe. Calls that are out already may still be answered. */
  #open(reason: unknown): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#options.onChange?.(true, reason);
    this.#probeLater();
  }

  /** One probe a second, each when the one before is over, until one is answered. */
  #probeLater(): void {
    this.#options.clock.setTimer(PROBE_MS, () => {
      if (this.#isClosed) return;
      withDeadline(this.#options.clock, this.#options.timeoutMs, this.#options.probe()).then(
        () => {
          this.#isOpen = false;
          this.#options.onChange?.(false, undefined);
        },
        () => this.#probeLater(),
      );
    });
  }
}

/** For calls whose every error means that Redis failed. */
function never(): boolean {
  return false;
}
