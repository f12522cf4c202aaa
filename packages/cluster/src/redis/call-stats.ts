/** How quick and how reliable the last calls to Redis were; for the cluster page. Bounded, O(1) per call. */
import type { Clock } from "@obleth/clock";

/** Latencies kept: about what a busy replica sends in a second. */
const KEPT = 512;
const MINUTE_MS = 60_000;
/** Errors remembered within a minute; more are counted as this many. */
const MAX_ERRORS = 10_000;

/** Latencies of the last 512 calls and errors of the last minute. */
export class CallStats {
  readonly #clock: Clock;
  readonly #latencies = new Float64Array(KEPT);
  #calls = 0;
  readonly #errorsAtMs: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A call was answered after so many ms. */
  answered(latencyMs: number): void {
    this.#latencies[this.#calls++ % KEPT] = latencyMs;
  }

  /** A call failed or came too late. */
  failed(): void {
    this.#forgetOldErrors();
    if (this.#errorsAtMs.length < MAX_ERRORS) this.#errorsAtMs.push(this.#clock.monotonicMs());
  }

  /** Errors in the last 60 s. */
  get errorsPerMin(): number {
    this.#forgetOldErrors();
    return this.#errorsAtMs.length;
  }

  /** The latency that a part (0 to 1) of the last calls stayed within, ms; null before the first. O(n log n). */
  quantile(part: number): number | null {
    const count = Math.min(this.#calls, KEPT);
    if (count === 0) return null;
    const sorted = this.#latencies.slice(0, count).sort();
    return sorted[Math.min(count - 1, Math.floor(part * count))] ?? null;
  }

  /** O(errors that are older than a minute). */
  #forgetOldErrors(): void {
    const sinceMs = this.#clock.monotonicMs() - MINUTE_MS;
    const first = this.#errorsAtMs.findIndex((atMs) => atMs > sinceMs);
    this.#errorsAtMs.splice(0, first === -1 ? this.#errorsAtMs.length : first);
  }
}
