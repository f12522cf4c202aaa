/** Which limits hold on this replica. A pure table; nothing here talks to Redis. */

/** How limits hold across replicas; the closed list, for metrics and the tests that cover it. */
export const CLUSTER_MODES = ["local", "shared", "fallback", "split"] as const;
/** One of `CLUSTER_MODES`. */
export type ClusterMode = (typeof CLUSTER_MODES)[number];

/** All that the mode follows from. */
export interface ModeFacts {
  /** Setting: slots are counted in Redis. */
  readonly sharedSlots: boolean;
  /** Setting: limits are divided when slots are not counted together. */
  readonly replicaAware: boolean;
  /** Living replicas as last known, from 1. */
  readonly replicas: number;
  /** What this replica holds is on the books, and Redis answers in time. */
  readonly isReconciled: boolean;
}

/** The mode with what follows from it. `divisor` is 1 in `local` and `shared`. */
export interface ModeState {
  readonly mode: ClusterMode;
  /** Living gateways as last known, from 1. */
  readonly replicas: number;
  /** What every limit is divided by here, rounded up and at least 1: the replicas under the split, else 1. */
  readonly divisor: number;
}

/**
 * The mode and the divisor that follow from the facts. Several gateways that neither share nor divide are each `local`:
 * every one of them has all of every limit, as its administrators asked.
 */
export function modeState(facts: ModeFacts): ModeState {
  const { sharedSlots, replicaAware, replicas, isReconciled } = facts;
  const parts = replicaAware ? replicas : 1;
  if (replicas <= 1) return { mode: "local", replicas: 1, divisor: 1 };
  if (sharedSlots && isReconciled) return { mode: "shared", replicas, divisor: 1 };
  if (sharedSlots) return { mode: "fallback", replicas, divisor: parts };
  return replicaAware ? { mode: "split", replicas, divisor: parts } : { mode: "local", replicas, divisor: 1 };
}

/** Heartbeat interval and expiry in force, ms: an interval of 0 reads as 5 s, an expiry is at least two intervals. */
export function heartbeatTimes(settings: { heartbeatSecs: number; ttlSecs: number }): {
  intervalMs: number;
  ttlMs: number;
} {
  const intervalMs = (settings.heartbeatSecs > 0 ? settings.heartbeatSecs : 5) * 1000;
  return { intervalMs, ttlMs: Math.max(settings.ttlSecs * 1000, 2 * intervalMs) };
}
