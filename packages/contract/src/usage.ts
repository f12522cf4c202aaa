/** What requests did: counts, waits, tokens and money, by whatever they are asked for. */
import { z } from "zod";
import { count, isoTime, line, paging, tsMs, uuid } from "./common";

export const ADMISSIONS = ["fast", "queued", "rejected"] as const;
export const OUTCOMES = [
  "completed",
  "upstream_error",
  "timed_out",
  "client_gone",
  "refused",
  "shutting_down",
] as const;
export const USAGE_DIMENSIONS = ["tenant", "key", "model", "group", "admission", "outcome"] as const;

const filters = {
  from: isoTime.optional().describe("Inclusive; left out: an hour before `to`."),
  to: isoTime.optional().describe("Exclusive; left out: now."),
  tenant_id: uuid.optional(),
  key_id: uuid.optional(),
  model: line.optional(),
  group: line.optional(),
  admission: z.enum(ADMISSIONS).optional(),
  outcome: z.enum(OUTCOMES).optional(),
};

const outcomes = z.strictObject({
  completed: count,
  upstream_error: count,
  timed_out: count,
  client_gone: count,
  refused: count,
  shutting_down: count,
});

const figures = {
  requests: count,
  fast: count,
  queued: count.describe("Waited and did not time out."),
  rejected: count,
  timed_out: count,
  avg_wait_ms: z.number().nullable(),
  p50_wait_ms: z.number().nullable(),
  p95_wait_ms: z.number().nullable(),
  max_wait_ms: z.number().nullable(),
  input_tokens: count,
  output_tokens: count,
  cached_tokens: count,
  estimated_tokens: count,
  cost_usd: z.number(),
  outcomes,
};

export const usageRow = z
  .strictObject({
    tenant_id: z.string().nullable().optional(),
    tenant_name: z.string().nullable().optional(),
    key_id: z.string().nullable().optional(),
    key_name: z.string().nullable().optional(),
    model: z.string().nullable().optional(),
    group: z.string().nullable().optional(),
    admission: z.enum(ADMISSIONS).optional(),
    outcome: z.enum(OUTCOMES).optional(),
    ...figures,
  })
  .meta({ id: "UsageRow" });

export const usageSummary = z
  .strictObject({
    from_ts_ms: tsMs,
    to_ts_ms: tsMs,
    newest_ts_ms: tsMs.nullable().describe("Of the newest record written, whatever is asked for."),
    by: z.array(z.enum(USAGE_DIMENSIONS)),
    total: z.strictObject(figures),
    rows: z.array(usageRow),
    truncated: z.boolean().describe("More rows match than are listed; the total includes all."),
    sql: z.string().describe("The question in SQL."),
  })
  .meta({ id: "UsageSummary" });
export type UsageSummary = z.infer<typeof usageSummary>;

export const usageSummaryQuery = z.strictObject({
  ...filters,
  by: z
    .string()
    .regex(/^(tenant|key|model|group|admission|outcome)(,(tenant|key|model|group|admission|outcome))*$/, {
      error: `must be one or more of ${USAGE_DIMENSIONS.join(", ")}, with commas`,
    })
    .default("tenant,admission"),
  sort: z.enum(["requests", "avg_wait_ms", "p95_wait_ms", "max_wait_ms", "tokens", "cost"]).default("requests"),
  limit: z.int().min(1).max(1000).default(200),
});

export const usageSeries = z
  .strictObject({
    from_ts_ms: tsMs,
    to_ts_ms: tsMs,
    bucket_ms: count,
    newest_ts_ms: tsMs.nullable(),
    points: z.array(z.strictObject({ ts_ms: tsMs, ...figures })).describe("One per bucket that has records."),
  })
  .meta({ id: "UsageSeries" });
export type UsageSeries = z.infer<typeof usageSeries>;
export const usageSeriesQuery = z.strictObject({
  ...filters,
  buckets: z.int().min(1).max(500).default(60).describe("About how many; the width is a round time."),
});

export const usageRequest = z
  .strictObject({
    request_id: z.string(),
    ts_ms: tsMs,
    tenant_id: z.string().nullable(),
    tenant_name: z.string().nullable(),
    key_id: z.string().nullable(),
    key_name: z.string().nullable(),
    model: z.string().nullable(),
    endpoint_id: z.string().nullable(),
    admission: z.enum(ADMISSIONS),
    outcome: z.enum(OUTCOMES),
    weight: z.int().nullable(),
    estimated_tokens: count,
    input_tokens: count.nullable(),
    cached_tokens: count.nullable(),
    output_tokens: count.nullable(),
    queue_wait_ms: count,
    ttft_ms: count.nullable(),
    total_ms: count,
    status_code: z.int(),
    cost_usd: z.number().nullable(),
    session_id: z.string().nullable(),
    session_source: z.enum(["client", "derived", "none"]),
    protocol: z.enum(["openai", "anthropic"]),
    replica: z.string(),
  })
  .meta({ id: "UsageRequest" });
export type UsageRequest = z.infer<typeof usageRequest>;

export const usageRequestsQuery = z.strictObject({
  ...filters,
  limit: paging.limit,
  cursor: paging.cursor,
  session_id: line.optional(),
  request_id: line.optional(),
  min_wait_ms: count.max(Number.MAX_SAFE_INTEGER).optional(),
});
export const usageRequests = z
  .strictObject({ items: z.array(usageRequest), next_cursor: z.string().nullable() })
  .meta({ id: "UsageRequests" });
export const usageExportQuery = z.strictObject({
  ...filters,
  max_rows: z.int().min(1).max(1_000_000).default(100_000),
});
