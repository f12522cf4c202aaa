import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api";

const INTERVAL_MS = 2000;

export function overviewQuery(refresh: number) {
  return queryOptions({
    queryKey: ["live", "overview"],
    queryFn: async ({ signal }) => (await api.call("getOverview", {}, { signal })).data,
    refetchInterval: INTERVAL_MS * refresh,
    retry: false,
  });
}
