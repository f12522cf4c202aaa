/** The gateways, how limits are shared between them, and the stores behind them. */
import { z } from "zod";
import { count, slots, tsMs } from "./common";
import { MODES } from "./fairshare-live";
import { CAPACITY_MODES, CAPACITY_SOURCES, CAPACITY_STATES } from "./models";

export const clusterReplica = z
  .strictObject({
    instance: z.string(),
    self: z.boolean(),
    started_ts_ms: tsMs.nullable(),
    version: z.string().nullable(),
    mode: z.enum(MODES).nullable(),
    heartbeat_age_ms: count.nullable(),
    ttl_ms: count,
    view_age_ms: count.nullable(),
    in_flight: count.nullable(),
    queued: count.nullable(),
    booked_slots: count.nullable().describe("Slots on its books in Redis."),
    config_version: count.nullable(),
  })
  .meta({ id: "ClusterReplica" });
export type ClusterReplica = z.infer<typeof clusterReplica>;

export const cluster = z
  .strictObject({
    ts_ms: tsMs,
    instance: z.string(),
    version: z.string(),
    mode: z.enum(MODES),
    mode_since_ts_ms: tsMs,
    shared_slots: z.boolean(),
    replica_aware: z.boolean(),
    replicas: z.array(clusterReplica),
    redis: z
      .strictObject({
        reachable: z.boolean(),
        call_p50_ms: z.number().nullable(),
        call_p99_ms: z.number().nullable(),
        errors_per_min: z.number(),
        last_reconcile_ts_ms: tsMs.nullable(),
        eviction_policy: z.string().nullable(),
        response_timeout_ms: count,
      })
      .nullable()
      .describe("Null: no Redis configured."),
    postgres: z.strictObject({
      reachable: z.boolean(),
      embedded: z.boolean(),
      version: z.string().nullable(),
      call_ms: z.number().nullable(),
    }),
    config_version: count,
    mode_changes: z.array(z.strictObject({ ts_ms: tsMs, mode: z.enum(MODES) })),
  })
  .meta({ id: "Cluster" });
export type Cluster = z.infer<typeof cluster>;

export const clusterSettings = z
  .strictObject({
    settings: z.array(
      z.strictObject({
        name: z.string().describe("The variable, such as OBLETH_ADMISSION_TIMEOUT_SECS."),
        helm: z.string().nullable(),
        default: z.string().nullable(),
        description: z.string(),
        values: z.array(
          z.strictObject({
            instance: z.string(),
            value: z.string().nullable().describe("Null when unset; secrets masked."),
            source: z.enum(["default", "environment", "database"]),
          }),
        ),
        agreed: z.boolean().describe("Every gateway that reports has the same value."),
      }),
    ),
  })
  .meta({ id: "ClusterSettings" });
export type ClusterSettings = z.infer<typeof clusterSettings>;

export const capacity = z
  .strictObject({
    global_max_in_flight: z.int().nullable().describe("Null: the setting is in force."),
    setting_global_max_in_flight: z.int(),
    effective_global_max_in_flight: z.int(),
    sum_of_pools: count.describe("Sizes of the enabled pools."),
    binds: z.boolean().describe("The ceiling is below the sum of the pools."),
    ceiling_reached: z.boolean(),
    version: count,
  })
  .meta({ id: "Capacity" });
export type Capacity = z.infer<typeof capacity>;
export const capacityPut = z.strictObject({ global_max_in_flight: slots.nullable() });

export const capacityDiscovery = z
  .strictObject({
    interval_ms: count,
    instance: z.string(),
    models: z.array(
      z.strictObject({
        model: z.string(),
        mode: z.enum(CAPACITY_MODES),
        source: z.enum(CAPACITY_SOURCES),
        state: z.enum(CAPACITY_STATES),
        reason: z.string().nullable(),
        size: count,
        ready_replicas: count.nullable(),
        per_replica_max_in_flight: z.int().nullable(),
        headroom: z.number(),
        read_ts_ms: tsMs.nullable(),
        changed_ts_ms: tsMs.nullable(),
      }),
    ),
  })
  .meta({ id: "CapacityDiscovery" });
export type CapacityDiscovery = z.infer<typeof capacityDiscovery>;
