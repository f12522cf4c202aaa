/** What needs attention, most urgent first. */
import { z } from "zod";
import { count, tsMs } from "./common";
import { MODES, waitReason } from "./fairshare-live";

/** The order is the order of attention. */
export const OVERVIEW_KINDS = [
  "stale",
  "fallback",
  "local_with_several",
  "full_waiting",
  "no_servers",
  "below_share",
  "gateway_late",
  "long_wait",
  "boost_ending",
  "budget_near",
  "full",
] as const;

export const overviewItem = z
  .strictObject({
    kind: z.enum(OVERVIEW_KINDS),
    urgent: z.boolean().describe("False: worth watching only."),
    object: z.strictObject({
      type: z.enum(["pool", "tenant", "model", "gateway", "boost", "key", "cluster"]),
      id: z.string(),
      name: z.string(),
      pool: z.string().nullable(),
    }),
    since_ts_ms: tsMs.nullable(),
    reason: waitReason.nullable(),
    numbers: z.record(z.string(), z.union([z.number(), z.string(), z.null()])),
  })
  .meta({ id: "OverviewItem" });
export type OverviewItem = z.infer<typeof overviewItem>;

export const overview = z
  .strictObject({
    ts_ms: tsMs,
    scope: z.enum(["cluster", "replica"]),
    replicas: count,
    replicas_reporting: count,
    mode: z.enum(MODES),
    state_age_ms: count,
    pools: count,
    pools_full: count,
    tenants_active: count,
    tenants_below_share: count,
    in_flight: count,
    held: count,
    queued: count,
    max_in_flight: count,
    hard_ceiling: count,
    oldest_wait_ms: count.nullable(),
    items: z.array(overviewItem),
    setup: z
      .strictObject({ has_models: z.boolean(), has_tenants: z.boolean(), has_keys: z.boolean() })
      .describe("What an empty installation still lacks."),
  })
  .meta({ id: "Overview" });
export type Overview = z.infer<typeof overview>;
