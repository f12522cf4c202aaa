import type { UsageRequest } from "@obleth/contract";
import {
  newestUsageMs,
  readTogether,
  toJson,
  type UsageDimension,
  type UsageFigures,
  type UsageFilter,
  type UsageRequestRow,
  usageBy,
  usageRequests,
  usageSeries,
  usageTotal,
} from "@obleth/db";
import type { ManagementDeps } from "../deps";
import { answer, type Handlers } from "../http/call";
import { Fault } from "../http/fault";
import { csvLine } from "./csv";
import { questionSql } from "./question-sql";
import { bucketWidth, usageFilter } from "./range";

type UsageRoute = "getUsageSummary" | "getUsageSeries" | "listUsageRequests" | "exportUsage";

/** Rows fetched at a time for an export: it streams, however long it is. */
const EXPORT_PAGE = 1000;

export function usageHandlers(deps: ManagementDeps): Pick<Handlers, UsageRoute> {
  const { db, clock } = deps;
  return {
    getUsageSummary: async ({ query }) => {
      const filter = usageFilter(query, clock.wallMs());
      const by = [...new Set(query.by.split(","))] as UsageDimension[];
      const { rows, total, newestMs } = await readTogether(db, async (tx) => ({
        rows: await usageBy(tx, filter, { by, sort: query.sort, limit: query.limit + 1 }),
        total: await usageTotal(tx, filter),
        newestMs: await newestUsageMs(tx),
      }));
      return answer("getUsageSummary", {
        from_ts_ms: filter.fromMs,
        to_ts_ms: filter.toMs,
        newest_ts_ms: newestMs,
        by,
        total: figuresJson(total),
        rows: rows.slice(0, query.limit).map(({ labels, ...figures }) => ({ ...labels, ...figuresJson(figures) })),
        truncated: rows.length > query.limit,
        sql: questionSql(filter, by),
      });
    },
    getUsageSeries: async ({ query }) => {
      const filter = usageFilter(query, clock.wallMs());
      const bucketMs = bucketWidth(filter.toMs - filter.fromMs, query.buckets);
      const { points, newestMs } = await readTogether(db, async (tx) => ({
        points: await usageSeries(tx, filter, bucketMs),
        newestMs: await newestUsageMs(tx),
      }));
      return answer("getUsageSeries", {
        from_ts_ms: filter.fromMs,
        to_ts_ms: filter.toMs,
        bucket_ms: bucketMs,
        newest_ts_ms: newestMs,
        points: points.map(({ tsMs, ...figures }) => ({ ts_ms: tsMs, ...figuresJson(figures) })),
      });
    },
    listUsageRequests: async ({ query }) => {
      const filter = {
        ...usageFilter(query, clock.wallMs()),
        sessionId: query.session_id,
        requestId: query.request_id,
        minWaitMs: query.min_wait_ms,
      };
      const after = query.cursor === undefined ? undefined : readCursor(query.cursor);
      const rows = await usageRequests(db, filter, { limit: query.limit + 1, after });
      const items = rows.slice(0, query.limit);
      const last = items.at(-1);
      return answer("listUsageRequests", {
        items: items as unknown as UsageRequest[],
        next_cursor: rows.length > query.limit && last !== undefined ? writeCursor(last) : null,
      });
    },
    exportUsage: async ({ query }) => {
      const filter = usageFilter(query, clock.wallMs());
      const body = await csvStream(deps, filter, query.max_rows);
      const headers = {
        "content-type": "text/csv; charset=utf-8; header=present",
        "content-disposition": 'attachment; filename="usage.csv"',
        "cache-control": "no-store",
      };
      return { response: new Response(body, { headers }) };
    },
  };
}

function figuresJson(figures: UsageFigures) {
  return { ...toJson(figures), outcomes: { ...figures.outcomes } };
}

const COLUMNS = [
  "ts",
  "request_id",
  "tenant_id",
  "tenant_name",
  "key_id",
  "key_name",
  "model",
  "endpoint_id",
  "admission",
  "outcome",
  "weight",
  "estimated_tokens",
  "input_tokens",
  "cached_tokens",
  "output_tokens",
  "queue_wait_ms",
  "ttft_ms",
  "total_ms",
  "status_code",
  "cost_usd",
  "session_id",
  "session_source",
  "protocol",
  "replica",
] as const;

/**
 * Pages of rows as lines; the next page is read only when the reader wants more. The first is read before the answer
 * begins, so a question that cannot be answered is a refusal and not a broken file.
 */
async function csvStream(
  deps: ManagementDeps,
  filter: UsageFilter,
  maxRows: number,
): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder();
  let left = maxRows;
  const read = async (after?: { tsMs: number; requestId: string }) => {
    const limit = Math.min(EXPORT_PAGE, left);
    const rows = limit === 0 ? [] : await usageRequests(deps.db, filter, { limit, after });
    left -= rows.length;
    return rows;
  };
  let next = await read();
  let isFirst = true;
  return new ReadableStream<Uint8Array>({
    pull: async (stream) => {
      const lines = next.map(csvRow).join("");
      stream.enqueue(encoder.encode(isFirst ? csvLine(COLUMNS) + lines : lines));
      isFirst = false;
      const last = next.at(-1);
      if (last === undefined || next.length < EXPORT_PAGE) return stream.close();
      next = await read({ tsMs: Number(last.ts_ms), requestId: String(last.request_id) });
      if (next.length === 0) stream.close();
    },
  });
}

function csvRow(row: UsageRequestRow): string {
  return csvLine(COLUMNS.map((name) => (name === "ts" ? new Date(Number(row.ts_ms)).toISOString() : row[name])));
}

function writeCursor(row: UsageRequestRow): string {
  return Buffer.from(JSON.stringify([row.ts_ms, row.request_id])).toString("base64url");
}

function readCursor(cursor: string): { tsMs: number; requestId: string } {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (Array.isArray(parsed) && parsed.length === 2) {
      const [tsMs, requestId] = parsed as unknown[];
      const isId = typeof requestId === "string" && /^[^\p{Cc}\p{Cs}]{1,400}$/u.test(requestId);
      if (Number.isSafeInteger(tsMs) && isId) return { tsMs: tsMs as number, requestId };
    }
  } catch {
    // Not ours.
  }
  throw new Fault("invalid_request", "cursor is not a cursor of this list.", { field: "cursor" });
}
