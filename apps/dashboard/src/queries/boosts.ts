import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api";

const INTERVAL_MS = 10_000;

export function boostsQuery(state: "active" | "ended" | "all") {
  return queryOptions({
    queryKey: ["boosts", state],
    queryFn: async ({ signal }) => (await api.call("listBoosts", { query: { state, limit: 200 } }, { signal })).data,
    refetchInterval: INTERVAL_MS,
  });
}
