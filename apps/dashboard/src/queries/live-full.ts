"use client";

import { useQuery } from "@tanstack/react-query";
import { api } from "../lib/api";
import { usePausedAt } from "../lib/pause";
import { usePreferences } from "../lib/preferences";

const INTERVAL_MS = 5000;

/** The live state with every tenant and key, for pages about tenants; large, so read seldom. */
export function useLiveFull() {
  const isPaused = usePausedAt() !== null;
  const { refresh } = usePreferences();
  return useQuery({
    queryKey: ["live", "full"],
    queryFn: async ({ signal }) => (await api.call("getFairshareLive", { query: {} }, { signal })).data,
    refetchInterval: INTERVAL_MS * refresh,
    enabled: !isPaused,
    retry: false,
  }).data;
}
