import type { ExplainQuery } from "@obleth/contract";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api";

/** Why tenants wait in a pool: one tenant, or every one that waits. Read once when asked for, then left alone. */
export function explainQuery(query: ExplainQuery) {
  return queryOptions({
    queryKey: ["explain", query],
    queryFn: async ({ signal }) => (await api.call("explainFairshare", { query }, { signal })).data,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}
