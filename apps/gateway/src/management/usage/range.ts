/** The span of time and the filters that every question about usage has. */
import type { UsageFilter } from "@obleth/db";
import { Fault } from "../http/fault";

const HOUR_MS = 3_600_000;
/** Longest span of one question; the data itself is kept for less by default. */
const MAX_SPAN_MS = 400 * 24 * HOUR_MS;

interface UsageQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly tenant_id?: string | undefined;
  readonly key_id?: string | undefined;
  readonly model?: string | undefined;
  readonly group?: string | undefined;
  readonly admission?: string | undefined;
  readonly outcome?: string | undefined;
}

/** Left-out bounds mean the last hour. Refuses an empty, backward or overlong span. */
export function usageFilter(query: UsageQuery, nowMs: number): UsageFilter {
  const toMs = query.to === undefined ? nowMs + 1 : Date.parse(query.to);
  const fromMs = query.from === undefined ? Math.max(0, toMs - HOUR_MS) : Date.parse(query.from);
  if (fromMs >= toMs) throw new Fault("invalid_request", "from must be earlier than to.", { field: "from" });
  if (toMs - fromMs > MAX_SPAN_MS) {
    throw new Fault("invalid_request", "from must be at most 400 days before to.", { field: "from" });
  }
  const { model, group, admission, outcome } = query;
  return { fromMs, toMs, tenantId: query.tenant_id, keyId: query.key_id, model, group, admission, outcome };
}

const SECOND_MS = 1000;
/** Widths that read well on an axis. */
const WIDTHS_MS = [
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800].map((secs) => secs * SECOND_MS),
  ...[1, 2, 3, 6, 12, 24, 48, 168].map((hours) => hours * HOUR_MS),
];

/** The narrowest round width that gives at most about `buckets` over the span. */
export function bucketWidth(spanMs: number, buckets: number): number {
  const wanted = spanMs / buckets;
  return WIDTHS_MS.find((width) => width >= wanted) ?? Math.ceil(wanted / (168 * HOUR_MS)) * 168 * HOUR_MS;
}
