/**
 * When denied claims are tried again: at once when a freed slot is announced, and at a random moment 100 to 250 ms after
 * the denial in case the announcement is lost. Random, so that replicas do not ask in step.
 */
import type { Clock, Timer } from "@obleth/clock";
import type { PoolId } from "@obleth/fairshare";

/** Shortest and longest pause before a try that nobody announced, ms. Shorter asks too often, longer leaves slots idle. */
export const RETRY_MIN_MS = 100;
export const RETRY_MAX_MS = 250;

export interface RetriesOptions {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly rng: () => number;
  /** A denied claim may be tried again; null: in every pool. */
  readonly retry: (pool: PoolId | null) => void;
}

export class Retries {
  readonly #options: RetriesOptions;
  readonly #pools = new Map<PoolId, Timer>();
  #ceiling: Timer | undefined;

  constructor(options: RetriesOptions) {
    this.#options = options;
  }

  /** A claim was denied in the pool, or by the ceiling (null). `keptMs`: the slot is only kept for another until then. */
  denied(pool: PoolId | null, keptMs: number | null): void {
    const { clock, rng } = this.#options;
    if (pool === null ? this.#ceiling !== undefined : this.#pools.has(pool)) return;
    const randomMs = RETRY_MIN_MS + rng() * (RETRY_MAX_MS - RETRY_MIN_MS);
    const delayMs = keptMs === null ? randomMs : Math.min(randomMs, keptMs + 1);
    const timer = clock.setTimer(delayMs, () => this.#fire(pool));
    if (pool === null) this.#ceiling = timer;
    else this.#pools.set(pool, timer);
  }

  /** A slot of the pool (null: of any) is free: tries at once what was denied. Does nothing when nothing was. */
  announced(pool: PoolId | null): void {
    if (this.#ceiling !== undefined) {
      this.#ceiling.cancel();
      this.#fire(null);
    } else if (pool !== null) {
      this.#wake(pool);
    } else {
      for (const denied of [...this.#pools.keys()]) this.#wake(denied);
    }
  }

  /** Forgets all denials: in another mode they mean nothing. */
  clear(): void {
    for (const timer of this.#pools.values()) timer.cancel();
    this.#pools.clear();
    this.#ceiling?.cancel();
    this.#ceiling = undefined;
  }

  #wake(pool: PoolId): void {
    const timer = this.#pools.get(pool);
    if (timer === undefined) return;
    timer.cancel();
    this.#fire(pool);
  }

  #fire(pool: PoolId | null): void {
    if (pool === null) this.clear();
    else this.#pools.delete(pool);
    this.#options.retry(pool);
  }
}
