"use client";

import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { api } from "../lib/api";
import { EMPTY_HISTORY, type HistoryStore, mergeHistory, nextSinceMs } from "../lib/history-series";
import { usePausedAt } from "../lib/pause";
import { serverNowMs } from "../lib/server-clock";

export function historyKey(model: string | null): readonly unknown[] {
  return ["live", "history", model];
}

/** A pool's history, or all pools', read in steps once it is wanted: each answer brings only what is new. */
export function useHistory(model: string | null, intervalMs: number, isWanted = true) {
  const store = useRef<HistoryStore>(EMPTY_HISTORY);
  const isPaused = usePausedAt() !== null;
  return useQuery({
    queryKey: historyKey(model),
    queryFn: async ({ signal }) => {
      const since = nextSinceMs(store.current);
      const query = { ...(model === null ? {} : { model }), ...(since === undefined ? {} : { since_ms: since }) };
      const { data } = await api.call("getFairshareHistory", { query }, { signal });
      store.current = mergeHistory(store.current, data, serverNowMs());
      return store.current;
    },
    refetchInterval: intervalMs,
    enabled: isWanted && !isPaused,
    retry: false,
    gcTime: 0,
    structuralSharing: false,
  });
}
