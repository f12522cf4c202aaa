/** Answers that came with the page itself. */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { HistoryFacts } from "../lib/history-facts";
import { learnServerTime, steadyNowMs } from "../lib/server-clock";
import { recentChangesQuery } from "./audit";
import { boostsQuery } from "./boosts";
import { firstSample, liveKey } from "./live";
import { overviewQuery } from "./overview";
import type { AuditRow, Boost, Live, Overview } from "./wire";

export interface FirstAnswers {
  readonly live: {
    readonly pool: string | null;
    readonly state: Live;
    readonly etag: string | null;
    /** The gateway's clock as it answered. */
    readonly dateMs: number | null;
  } | null;
  readonly overview: Overview | null;
  /** Of one pool, or of all, over a range as the address names it. */
  readonly history: { readonly pool: string | null; readonly range: string; readonly facts: HistoryFacts } | null;
  /** Only those that are shown first. */
  readonly changes: readonly AuditRow[] | null;
  readonly boosts: { readonly items: Boost[]; readonly next_cursor: string | null; readonly total: number } | null;
}

/** Puts them where the page's queries look for them. */
export function takeFirstAnswers(client: QueryClient, first: FirstAnswers): void {
  const { live, overview, history, changes, boosts } = first;
  if (live !== null) {
    client.setQueryData(liveKey(live.pool), firstSample(live));
    learnFromThisPage(live.dateMs);
  }
  if (overview !== null) client.setQueryData(overviewQuery(1).queryKey, overview);
  if (history !== null) client.setQueryData(firstHistoryKey(history.pool, history.range), history.facts);
  if (boosts !== null) client.setQueryData(boostsQuery("active").queryKey, boosts);
  if (changes !== null) {
    // Some of them, so out of date at once: all are read as soon as somebody asks.
    const some = { items: [...changes], next_cursor: null };
    client.setQueryData(recentChangesQuery().queryKey, some, { updatedAt: 0 });
  }
}

/** What the page brought of a history, until it is read itself; for the first part that asks. */
export function useFirstHistory(pool: string | null, range: string): HistoryFacts | undefined {
  const client = useQueryClient();
  const [first] = useState(() => ({ range, facts: client.getQueryData<HistoryFacts>(firstHistoryKey(pool, range)) }));
  useEffect(() => {
    client.removeQueries({ queryKey: firstHistoryKey(pool, first.range) });
  }, [client, pool, first]);
  return first.range === range ? first.facts : undefined;
}

function firstHistoryKey(pool: string | null, range: string): readonly unknown[] {
  return ["first history", pool, range];
}

/** The page was asked for before the gateway answered, and came after. */
function learnFromThisPage(dateMs: number | null): void {
  if (typeof window === "undefined" || dateMs === null) return;
  const [page] = performance.getEntriesByType("navigation");
  if (!(page instanceof PerformanceNavigationTiming)) return;
  learnServerTime({ sentMs: performance.timeOrigin + page.requestStart, receivedMs: steadyNowMs(), dateMs });
}
