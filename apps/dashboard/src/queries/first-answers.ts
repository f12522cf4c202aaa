/** Answers that came with the page itself. */
import type { QueryClient } from "@tanstack/react-query";
import { learnServerTime, steadyNowMs } from "../lib/server-clock";
import { firstSample, liveKey } from "./live";
import { overviewQuery } from "./overview";
import type { Live, Overview } from "./wire";

export interface FirstAnswers {
  readonly live: {
    readonly pool: string | null;
    readonly state: Live;
    readonly etag: string | null;
    /** The gateway's clock as it answered. */
    readonly dateMs: number | null;
  } | null;
  readonly overview: Overview | null;
}

/** Puts them where the page's queries look for them. */
export function takeFirstAnswers(client: QueryClient, { live, overview }: FirstAnswers): void {
  if (live !== null) {
    client.setQueryData(liveKey(live.pool), firstSample(live));
    learnFromThisPage(live.dateMs);
  }
  if (overview !== null) client.setQueryData(overviewQuery(1).queryKey, overview);
}

/** The page was asked for before the gateway answered, and came after. */
function learnFromThisPage(dateMs: number | null): void {
  if (typeof window === "undefined" || dateMs === null) return;
  const [page] = performance.getEntriesByType("navigation");
  if (!(page instanceof PerformanceNavigationTiming)) return;
  learnServerTime({ sentMs: performance.timeOrigin + page.requestStart, receivedMs: steadyNowMs(), dateMs });
}
