import type { FairshareLive } from "@obleth/contract";

/** 2026-11-30T09:00:00Z. */
export const NOW_MS = Date.UTC(2026, 10, 30, 9);

/** The live state of one gateway that has nothing to do. */
export function emptyLive(tsMs: number): FairshareLive {
  return {
    algorithm: "hierarchical",
    mode: "local",
    mode_since_ts_ms: NOW_MS,
    shared_slots: false,
    replica_aware: true,
    replicas: 1,
    scope: "replica",
    scope_reason: null,
    replicas_reporting: 1,
    state_age_ms: 0,
    instance: "test",
    started_ts_ms: NOW_MS,
    config_version: 1,
    ts_ms: tsMs,
    max_in_flight: 0,
    configured_max_in_flight: 0,
    hard_ceiling: 4096,
    configured_hard_ceiling: 4096,
    ceiling_reached: false,
    default_model_max_in_flight: 32,
    in_flight: 0,
    queued: 0,
    held: 0,
    borrowed: 0,
    cluster_in_flight: null,
    replica_in_flight: 0,
    replica_queued: 0,
    groups: [],
    tenants: [],
    pools: [],
  };
}
