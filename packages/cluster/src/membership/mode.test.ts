import { describe, expect, it } from "vitest";
import { heartbeatTimes, modeState } from "./mode";

describe("the mode", () => {
  it.each([
    // sharedSlots, replicaAware, replicas, isReconciled, mode, divisor
    [true, true, 1, false, "local", 1],
    [true, true, 1, true, "local", 1],
    [true, true, 3, true, "shared", 1],
    [true, true, 3, false, "fallback", 3],
    [true, false, 3, true, "shared", 1],
    [true, false, 3, false, "fallback", 1],
    [false, true, 3, true, "split", 3],
    [false, true, 3, false, "split", 3],
    [false, true, 1, false, "local", 1],
    [false, false, 3, true, "local", 1],
    [false, false, 3, false, "local", 1],
  ] as const)(
    "with shared slots %s, replica-aware %s, %i replicas, reconciled %s is %s over %i",
    (sharedSlots, replicaAware, replicas, isReconciled, mode, divisor) => {
      expect(modeState({ sharedSlots, replicaAware, replicas, isReconciled })).toEqual({ mode, replicas, divisor });
    },
  );
});

describe("heartbeat times", () => {
  it.each([
    [5, 15, 5000, 15_000],
    [5, 5, 5000, 10_000],
    [10, 3, 10_000, 20_000],
    [0, 15, 5000, 15_000],
    [-1, 0, 5000, 10_000],
    [1, 3, 1000, 3000],
  ])("of (%d, %d) are an interval of %i ms and an expiry of %i ms", (heartbeatSecs, ttlSecs, intervalMs, ttlMs) => {
    expect(heartbeatTimes({ heartbeatSecs, ttlSecs })).toEqual({ intervalMs, ttlMs });
  });
});
