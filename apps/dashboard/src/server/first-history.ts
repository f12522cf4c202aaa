/** What a page's first sentence about a history tells, reckoned here: the samples themselves are too many to come with it. */
import { type HistoryFacts, historyFacts } from "../lib/history-facts";
import { EMPTY_HISTORY, historyView, mergeHistory } from "../lib/history-series";
import type { FairshareHistory } from "../queries/wire";

const MINUTE_MS = 60_000;
const SPANS_MS: ReadonlyMap<string, number> = new Map([
  ["15m", 15 * MINUTE_MS],
  ["1h", 60 * MINUTE_MS],
  ["24h", 1440 * MINUTE_MS],
]);

/** How far back a range of an address goes; null for what is no span up to now. */
export function spanOf(range: string): number | null {
  return SPANS_MS.get(range) ?? null;
}

/** The query for the samples of so long, by this server's clock. */
export function historyQuery(pool: string | null, spanMs: number): string {
  const query = new URLSearchParams({ since_ms: String(Date.now() - spanMs) });
  if (pool !== null) query.set("model", pool);
  return query.toString();
}

/** @param nowMs by the gateway's clock */
export function factsOf(history: FairshareHistory, span: { spanMs: number; nowMs: number }): HistoryFacts {
  const store = mergeHistory(EMPTY_HISTORY, history, span.nowMs);
  return historyFacts(historyView(store, { fromMs: span.nowMs - span.spanMs, toMs: span.nowMs }));
}
