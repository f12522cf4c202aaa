/**
 * How far what a page shows can be trusted in time. The age is server time now minus the state's own time; both clocks
 * are reconciled by the offset learnt from the server's `Date`.
 */
export type Freshness = "loading" | "live" | "late" | "stale" | "paused";

export interface FreshnessInput {
  /** Server time the shown state is of; null before the first answer. */
  readonly asOfMs: number | null;
  /** Server time now. */
  readonly serverNowMs: number;
  readonly intervalMs: number;
  /** Tries that failed since the last answer. */
  readonly failures: number;
  readonly isPaused: boolean;
}

const LIVE_GRACE_MS = 2000;
const STALE_AFTER_MS = 10_000;
const STALE_AFTER_INTERVALS = 3;
const STALE_AFTER_FAILURES = 3;

export function ageMs(input: Pick<FreshnessInput, "asOfMs" | "serverNowMs">): number | null {
  return input.asOfMs === null ? null : Math.max(0, input.serverNowMs - input.asOfMs);
}

/** Paused wins, then loading; stale by age or by failed tries; late in between. */
export function freshness(input: FreshnessInput): Freshness {
  if (input.isPaused) return "paused";
  const age = ageMs(input);
  if (age === null) return input.failures >= STALE_AFTER_FAILURES ? "stale" : "loading";
  if (input.failures >= STALE_AFTER_FAILURES) return "stale";
  if (age <= input.intervalMs + LIVE_GRACE_MS) return "live";
  return age <= Math.max(STALE_AFTER_MS, STALE_AFTER_INTERVALS * input.intervalMs) ? "late" : "stale";
}

/** The next read's delay: the interval, or after failures 1 s and then each 2 s. */
export function nextPollMs(intervalMs: number, failures: number): number {
  if (failures === 0) return intervalMs;
  return failures === 1 ? 1000 : 2000;
}
