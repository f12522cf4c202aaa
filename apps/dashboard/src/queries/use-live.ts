"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { usePathname, useSearchParams } from "next/navigation";
import { useEffect, useRef } from "react";
import { type Freshness, freshness } from "../lib/freshness";
import { nameInAddress } from "../lib/name-in-address";
import { usePausedAt } from "../lib/pause";
import { usePreferences } from "../lib/preferences";
import { clockSetting } from "../lib/server-clock";
import { useNow } from "../lib/use-now";
import { failedTries, type LiveSample, type LiveView, liveQuery } from "./live";

const FAIRSHARE_INTERVAL_MS = 1000;
const OVERVIEW_INTERVAL_MS = 2000;
const ELSEWHERE_INTERVAL_MS = 5000;

/** What the address in view polls: one pool in full while it is open, else the summary. */
export function useLiveView(): LiveView {
  const path = usePathname();
  const pool = nameInAddress(useSearchParams().get("pool"));
  const { refresh } = usePreferences();
  if (path === "/fairshare") return { pool, intervalMs: FAIRSHARE_INTERVAL_MS * refresh };
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
  const serverNowMs = useNow();
  const setting = clockSetting();
  const lastSetting = useRef(setting);
  const { refetch } = result;
  useEffect(() => {
    if (lastSetting.current !== setting) void refetch();
    lastSetting.current = setting;
  }, [setting, refetch]);
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
    retry: () => void refetch(),
  };
}

function usePolled(view: LiveView) {
  const client = useQueryClient();
  const isPaused = usePausedAt() !== null;
  return useQuery({ ...liveQuery(view, client), enabled: !isPaused });
}
