/** The live state: per pool, group, tenant and key, who runs, who waits and what each is due. */
import { z } from "zod";
import { count, idOrName, isoTimeOut, tsMs } from "./common";

export const ALGORITHMS = ["hierarchical", "weighted"] as const;
export const MODES = ["local", "shared", "fallback", "split"] as const;
export const WAIT_REASONS = [
  "not_waiting",
  "no_servers",
  "tenant_cap",
  "key_cap",
  "global_ceiling",
  "fallback_split",
  "other_replica",
  "held_slots",
  "below_share",
  "next_in_line",
  "pool_full",
] as const;
export const NO_SERVERS_CAUSES = ["no_base_url", "no_enabled_endpoint", "no_ready_replica"] as const;

export const waitReason = z.enum(WAIT_REASONS);
export type WaitReason = z.infer<typeof waitReason>;
export type Mode = (typeof MODES)[number];

const usage = {
  in_flight: count.describe("Requests that have a slot."),
  queued: count.describe("Requests in the queue."),
  held: count.describe("Slots kept empty for a session's next step."),
};
const standing = {
  served_tokens: z.number(),
  share_score: z.number().describe("Tokens served per weight; lower goes first."),
  weight_share: z.number().describe("0 to 1."),
  expected_slots: z.number().describe("The fair share, a fraction."),
};
const oldestWait = count.nullable().describe("Milliseconds; null when nothing waits.");

export const liveBoost = z
  .strictObject({
    id: z.string(),
    factor: z.number(),
    weight: z.int().nullable(),
    model: z.string().nullable(),
    reason: z.string(),
    expires_at: isoTimeOut,
    created_by: z.string(),
  })
  .meta({ id: "LiveBoost" });

export const liveGroup = z
  .strictObject({
    name: z.string(),
    weight: z.int(),
    color: z.int(),
    ...usage,
    slot_cap: count.describe("Whole slots it may hold before it borrows."),
    borrowed: count,
    ...standing,
  })
  .meta({ id: "LiveGroup" });
export type LiveGroup = z.infer<typeof liveGroup>;

export const liveTenant = z
  .strictObject({
    tenant_id: z.string(),
    name: z.string(),
    group: z.string(),
    weight: z.int(),
    effective_weight: z.int(),
    boost: liveBoost.nullable(),
    max_in_flight: z.int().nullable().describe("The cap in force in this pool."),
    cap_source: z.enum(["tenant", "model"]).nullable().describe("Where the cap comes from; null without one."),
    ...usage,
    slot_share: count.describe("Whole slots it may hold before it borrows."),
    borrowed: count,
    ...standing,
    oldest_wait_ms: oldestWait,
    below_share: z.boolean(),
    at_cap: z.boolean(),
    position: z.int().min(1).nullable().describe("Place among the tenants that wait here, from 1."),
    reason: waitReason,
    above_share_ms: count.nullable().describe("How long it has been above its share."),
  })
  .meta({ id: "LiveTenant" });
export type LiveTenant = z.infer<typeof liveTenant>;

/** A tenant over all pools of the answer: sums; `below_share` when so in any of them. */
export const liveTenantTotal = z
  .strictObject({
    tenant_id: z.string(),
    name: z.string(),
    group: z.string(),
    weight: z.int(),
    effective_weight: z.int().describe("With a boost for every pool; before any model's percentage."),
    boost: liveBoost.nullable(),
    max_in_flight: z.int().nullable().describe("The tenant's own cap."),
    ...usage,
    slot_share: count,
    borrowed: count,
    ...standing,
    oldest_wait_ms: oldestWait,
    below_share: z.boolean(),
    at_cap: z.boolean(),
  })
  .meta({ id: "LiveTenantTotal" });

export const liveKey = z
  .strictObject({
    key_id: z.string(),
    tenant_id: z.string(),
    name: z.string(),
    weight: z.int(),
    max_in_flight: z.int().nullable(),
    ...usage,
    ...standing,
    oldest_wait_ms: oldestWait,
    at_cap: z.boolean(),
  })
  .meta({ id: "LiveKey" });
export type LiveKey = z.infer<typeof liveKey>;

export const livePool = z
  .strictObject({
    model: z.string().describe("The model's name, or `(unrouted)`."),
    cap: count.describe("Slots in force."),
    configured_cap: count.describe("Slots asked for."),
    usable: count.describe("Slots the shares are split over; fewer than `cap` while the ceiling binds."),
    admission_weight: z.int(),
    capacity_state: z.enum(["ok", "no_servers"]),
    no_servers_cause: z.enum(NO_SERVERS_CAUSES).nullable(),
    ...usage,
    borrowed: count,
    oldest_wait_ms: oldestWait,
    cluster_in_flight: count.nullable(),
    replica_in_flight: count,
    replica_queued: count,
    virtual_time: z.number(),
    finishes_5m: count.describe("Requests that finished in the last five minutes."),
    tenants_total: count,
    keys_total: count,
    tenants_active: count,
    tenants_below_share: count,
    tenants_below_share_urgent: count.describe("Below share and not held back by their own cap."),
    waiting_by_reason: z.partialRecord(waitReason, count).describe("Waiting requests by why they wait."),
    groups: z.array(liveGroup),
    tenants: z.array(liveTenant).optional().describe("Left out with `fields=summary`."),
    keys: z.array(liveKey).optional().describe("Left out with `fields=summary`."),
  })
  .meta({ id: "LivePool" });
export type LivePool = z.infer<typeof livePool>;

export const fairshareLive = z
  .strictObject({
    algorithm: z.enum(ALGORITHMS),
    mode: z.enum(MODES),
    mode_since_ts_ms: tsMs,
    shared_slots: z.boolean(),
    replica_aware: z.boolean(),
    replicas: count,
    scope: z.enum(["cluster", "replica"]).describe("Whose counts these are."),
    scope_reason: z.string().nullable(),
    replicas_reporting: count,
    state_age_ms: count,
    instance: z.string(),
    started_ts_ms: tsMs,
    config_version: count,
    ts_ms: tsMs,
    max_in_flight: count.describe("Sum of the enabled pools that have servers."),
    configured_max_in_flight: count,
    hard_ceiling: count,
    configured_hard_ceiling: count,
    ceiling_reached: z.boolean(),
    default_model_max_in_flight: count,
    ...usage,
    borrowed: count,
    cluster_in_flight: count.nullable(),
    replica_in_flight: count,
    replica_queued: count,
    groups: z.array(liveGroup),
    tenants: z.array(liveTenantTotal).optional().describe("Left out with `fields=summary`."),
    pools: z.array(livePool).describe("Fullest first."),
  })
  .meta({ id: "FairshareLive" });
export type FairshareLive = z.infer<typeof fairshareLive>;

export const liveQuery = z.strictObject({
  pool: idOrName.optional().describe("One model's name, or `(unrouted)`."),
  fields: z.enum(["all", "summary"]).default("all"),
});
export type LiveQuery = z.infer<typeof liveQuery>;
