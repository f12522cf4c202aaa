/**
 * Questions about usage. Every one is bounded in time, so only the partitions of those days are read. Sums come as text
 * and become numbers here: exact up to 2^53.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "../client";

export interface UsageFilter {
  /** Inclusive, and exclusive. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly tenantId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly model?: string | undefined;
  /** Tenants that are in this group at present. */
  readonly group?: string | undefined;
  readonly admission?: string | undefined;
  readonly outcome?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly minWaitMs?: number | undefined;
}

export interface UsageFigures {
  readonly requests: number;
  readonly fast: number;
  /** Waited and did not time out. */
  readonly queued: number;
  readonly rejected: number;
  readonly timedOut: number;
  readonly avgWaitMs: number | null;
  readonly p50WaitMs: number | null;
  readonly p95WaitMs: number | null;
  readonly maxWaitMs: number | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly estimatedTokens: number;
  readonly costUsd: number;
  readonly outcomes: Readonly<Record<UsageOutcome, number>>;
}

export const USAGE_OUTCOMES = [
  "completed",
  "upstream_error",
  "timed_out",
  "client_gone",
  "refused",
  "shutting_down",
] as const;
export type UsageOutcome = (typeof USAGE_OUTCOMES)[number];

/** What figures can be broken down by, each with the columns it adds. */
const DIMENSIONS = {
  tenant: { columns: sql`u.tenant_id, t.name as tenant_name`, groupBy: sql`u.tenant_id, t.name` },
  key: { columns: sql`u.key_id, k.name as key_name`, groupBy: sql`u.key_id, k.name` },
  model: { columns: sql`u.model`, groupBy: sql`u.model` },
  group: { columns: sql`g.name as "group"`, groupBy: sql`g.name` },
  admission: { columns: sql`u.admission`, groupBy: sql`u.admission` },
  outcome: { columns: sql`u.outcome`, groupBy: sql`u.outcome` },
} as const;
export type UsageDimension = keyof typeof DIMENSIONS;

const SORTS = {
  requests: sql`requests`,
  avg_wait_ms: sql`avg_wait_ms`,
  p95_wait_ms: sql`p95_wait_ms`,
  max_wait_ms: sql`max_wait_ms`,
  tokens: sql`tokens`,
  cost: sql`cost_usd`,
} as const;

export type UsageBreakdown = UsageFigures & { readonly labels: Readonly<Record<string, string | null>> };

/** Figures over everything that matches. */
export async function usageTotal(db: Tx, filter: UsageFilter): Promise<UsageFigures> {
  const rows = await db.execute<RawFigures>(sql`select ${FIGURES} ${fromUsage(filter)}`);
  return toFigures(rows[0]);
}

/** Figures by one or more dimensions, largest first; at most `limit` rows. */
export async function usageBy(
  db: Tx,
  filter: UsageFilter,
  question: { by: readonly UsageDimension[]; sort: keyof typeof SORTS; limit: number },
): Promise<UsageBreakdown[]> {
  const columns = sql.join(
    question.by.map((name) => DIMENSIONS[name].columns),
    sql`, `,
  );
  const groupBy = sql.join(
    question.by.map((name) => DIMENSIONS[name].groupBy),
    sql`, `,
  );
  const rows = await db.execute<RawFigures & Record<string, string | null>>(sql`
    select ${columns}, ${FIGURES} ${fromUsage(filter)}
    group by ${groupBy} order by ${SORTS[question.sort]} desc nulls last, requests desc, ${groupBy}
    limit ${question.limit}`);
  return rows.map((row) => ({ ...toFigures(row), labels: labelsOf(row) }));
}

/** Figures per bucket of time that has records, ascending. */
export async function usageSeries(
  db: Tx,
  filter: UsageFilter,
  bucketMs: number,
): Promise<(UsageFigures & { readonly tsMs: number })[]> {
  const rows = await db.execute<RawFigures & { bucket: string }>(sql`
    select (u.ts_ms / ${bucketMs}::bigint * ${bucketMs}::bigint)::text as bucket, ${FIGURES} ${fromUsage(filter)}
    group by 1 order by min(u.ts_ms)`);
  return rows.map((row) => ({ ...toFigures(row), tsMs: Number(row.bucket) }));
}

/** Time of the newest record, whatever is asked for; null when there is none. */
export async function newestUsageMs(db: Tx): Promise<number | null> {
  const rows = await db.execute<{ ts: string | null }>(sql`select max(ts_ms)::text as ts from "usage"`);
  const ts = rows[0]?.ts;
  return ts == null ? null : Number(ts);
}

export interface UsageRequestRow {
  readonly [column: string]: string | number | null;
}

/** Single requests, newest first, after the one named by `after`. Columns are in the API's names. */
export async function usageRequests(
  db: Tx,
  filter: UsageFilter,
  page: { limit: number; after?: { tsMs: number; requestId: string } | undefined },
): Promise<UsageRequestRow[]> {
  const { after } = page;
  const rest =
    after === undefined ? sql`` : sql`and (u.ts_ms, u.request_id) < (${after.tsMs}::bigint, ${after.requestId})`;
  return await db.execute<UsageRequestRow & Record<string, unknown>>(sql`
    select u.request_id, u.ts_ms::float8 as ts_ms, u.tenant_id, t.name as tenant_name, u.key_id, k.name as key_name,
      u.model, u.endpoint_id, u.admission, u.outcome, u.weight, u.estimated_tokens::float8 as estimated_tokens,
      u.input_tokens::float8 as input_tokens, u.cached_tokens::float8 as cached_tokens,
      u.output_tokens::float8 as output_tokens, round(u.queue_wait_ms) as queue_wait_ms, round(u.ttft_ms) as ttft_ms,
      round(u.total_ms) as total_ms, u.status_code, u.cost_usd, u.session_id, u.session_source, u.protocol, u.replica
    ${fromUsage(filter)} ${rest}
    order by u.ts_ms desc, u.request_id desc limit ${page.limit}`);
}

interface RawFigures extends Record<string, unknown> {
  requests: number;
  fast: number;
  queued: number;
  rejected: number;
  avg_wait_ms: number | null;
  p50_wait_ms: number | null;
  p95_wait_ms: number | null;
  max_wait_ms: number | null;
  input_tokens: string;
  output_tokens: string;
  cached_tokens: string;
  estimated_tokens: string;
  cost_usd: number;
  outcomes: number[];
}

const FIGURES = sql`
  count(*)::float8 as requests,
  (count(*) filter (where u.admission = 'fast'))::float8 as fast,
  (count(*) filter (where u.admission = 'queued' and u.outcome <> 'timed_out'))::float8 as queued,
  (count(*) filter (where u.admission = 'rejected'))::float8 as rejected,
  avg(u.queue_wait_ms) as avg_wait_ms,
  percentile_cont(0.5) within group (order by u.queue_wait_ms) as p50_wait_ms,
  percentile_cont(0.95) within group (order by u.queue_wait_ms) as p95_wait_ms,
  max(u.queue_wait_ms) as max_wait_ms,
  coalesce(sum(u.input_tokens), 0)::text as input_tokens,
  coalesce(sum(u.output_tokens), 0)::text as output_tokens,
  coalesce(sum(u.cached_tokens), 0)::text as cached_tokens,
  coalesce(sum(u.estimated_tokens), 0)::text as estimated_tokens,
  coalesce(sum(u.input_tokens), 0) + coalesce(sum(u.output_tokens), 0) as tokens,
  coalesce(sum(u.cost_usd), 0)::float8 as cost_usd,
  jsonb_build_array(${sql.join(
    USAGE_OUTCOMES.map((outcome) => sql`count(*) filter (where u.outcome = ${sql.raw(`'${outcome}'`)})`),
    sql`, `,
  )}) as outcomes`;

function fromUsage(filter: UsageFilter): SQL {
  const conditions = [
    sql`u.ts_ms >= ${filter.fromMs}::bigint`,
    sql`u.ts_ms < ${filter.toMs}::bigint`,
    filter.tenantId && sql`u.tenant_id = ${filter.tenantId}::uuid`,
    filter.keyId && sql`u.key_id = ${filter.keyId}::uuid`,
    filter.model && sql`u.model = ${filter.model}`,
    filter.group && sql`g.name = ${filter.group}`,
    filter.admission && sql`u.admission = ${filter.admission}`,
    filter.outcome && sql`u.outcome = ${filter.outcome}`,
    filter.sessionId && sql`u.session_id = ${filter.sessionId}`,
    filter.requestId && sql`u.request_id = ${filter.requestId}`,
    filter.minWaitMs === undefined ? undefined : sql`u.queue_wait_ms >= ${filter.minWaitMs}::float8`,
  ].filter((condition) => typeof condition === "object");
  return sql`from "usage" u left join tenants t on t.id = u.tenant_id left join groups g on g.id = t.group_id
    left join keys k on k.id = u.key_id where ${sql.join(conditions, sql` and `)}`;
}

function toFigures(row: RawFigures | undefined): UsageFigures {
  const counts = row?.outcomes ?? [];
  const outcomes = Object.fromEntries(USAGE_OUTCOMES.map((name, index) => [name, counts[index] ?? 0]));
  return {
    requests: row?.requests ?? 0,
    fast: row?.fast ?? 0,
    queued: row?.queued ?? 0,
    rejected: row?.rejected ?? 0,
    timedOut: outcomes.timed_out ?? 0,
    avgWaitMs: row?.avg_wait_ms ?? null,
    p50WaitMs: row?.p50_wait_ms ?? null,
    p95WaitMs: row?.p95_wait_ms ?? null,
    maxWaitMs: row?.max_wait_ms ?? null,
    inputTokens: Number(row?.input_tokens ?? 0),
    outputTokens: Number(row?.output_tokens ?? 0),
    cachedTokens: Number(row?.cached_tokens ?? 0),
    estimatedTokens: Number(row?.estimated_tokens ?? 0),
    costUsd: row?.cost_usd ?? 0,
    outcomes: outcomes as Record<UsageOutcome, number>,
  };
}

const LABELS = ["tenant_id", "tenant_name", "key_id", "key_name", "model", "group", "admission", "outcome"] as const;

function labelsOf(row: Record<string, unknown>): Record<string, string | null> {
  return Object.fromEntries(
    LABELS.filter((name) => Object.hasOwn(row, name)).map((name) => [name, (row[name] as string | null) ?? null]),
  );
}
