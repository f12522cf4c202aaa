"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { usePathname, useSearchParams } from "next/navigation";
import { offsetMs, UNKNOWN_OFFSET } from "../lib/clock-offset";
import { type Freshness, freshness } from "../lib/freshness";
import { usePausedAt } from "../lib/pause";
import { usePreferences } from "../lib/preferences";
import { useNow } from "../lib/use-now";
import { failedTries, type LiveSample, type LiveView, liveQuery } from "./live";

const FAIRSHARE_INTERVAL_MS = 1000;
const OVERVIEW_INTERVAL_MS = 2000;
const ELSEWHERE_INTERVAL_MS = 5000;

/** What the address in view polls: one pool in full while it is open, else the summary. */
export function useLiveView(): LiveView {
  const path = usePathname();
  const pool = useSearchParams().get("pool");
  const { refresh } = usePreferences();
  if (path === "/fairshare") return { pool: pool || null, intervalMs: FAIRSHARE_INTERVAL_MS * refresh };
  return { pool: null, intervalMs: (path === "/" ? OVERVIEW_INTERVAL_MS : ELSEWHERE_INTERVAL_MS) * refresh };
}

/** The live state of the address in view. Undefined until the first answer; keeps the last one when reading fails. */
export function useLive(): LiveSample | undefined {
  const view = useLiveView();
  return usePolled(view).data;
}

/** The summary over all pools whatever is in view, slowly where a single pool is. */
export function useLiveSummary(): LiveSample | undefined {
  const view = useLiveView();
  return usePolled(view.pool === null ? view : { pool: null, intervalMs: ELSEWHERE_INTERVAL_MS }).data;
}

export interface LiveFreshness {
  readonly state: Freshness;
  readonly sample: LiveSample | undefined;
  readonly intervalMs: number;
  /** Server time now, by the offset learnt. */
  readonly serverNowMs: number;
  readonly pausedAtMs: number | null;
  readonly error: Error | null;
  readonly retry: () => void;
}

/** How current the view's live state is; ticks once a second. */
export function useFreshness(): LiveFreshness {
  const view = useLiveView();
  const result = usePolled(view);
  const pausedAtMs = usePausedAt();
  const serverNowMs = useNow() + offsetMs(result.data?.clockOffset ?? UNKNOWN_OFFSET);
  const state = freshness({
    asOfMs: result.data?.asOfMs ?? null,
    serverNowMs,
    intervalMs: view.intervalMs,
    failures: failedTries(result.errorUpdateCount, result.data),
    isPaused: pausedAtMs !== null,
  });
  return {
    state,
    sample: result.data,
    intervalMs: view.intervalMs,
    serverNowMs,
    pausedAtMs,
    error: result.error,
    retry: () => void result.refetch(),
  };
}

/** A browser clock this far off is corrected; below, its ticks are good enough and never jump. */
const WORTH_CORRECTING_MS = 2000;

/** Server time in whole steps, for charts of what servers stamped. 0 before the first paint. */
export function useServerNow(stepMs: number): number {
  const nowMs = useNow(stepMs);
  const offset = offsetMs(useLive()?.clockOffset ?? UNKNOWN_OFFSET);
  return nowMs === 0 || Math.abs(offset) < WORTH_CORRECTING_MS ? nowMs : nowMs + Math.round(offset / 1000) * 1000;
}

function usePolled(view: LiveView) {
  const client = useQueryClient();
  const isPaused = usePausedAt() !== null;
  return useQuery({ ...liveQuery(view, client), enabled: !isPaused });
}
