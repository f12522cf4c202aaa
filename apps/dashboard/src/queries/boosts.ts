import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api";
import { allPages } from "./all-pages";

const INTERVAL_MS = 10_000;

export function boostsQuery(state: "active" | "ended" | "all") {
  return queryOptions({
    queryKey: ["boosts", state],
    queryFn: ({ signal }) =>
      allPages(async (page) => (await api.call("listBoosts", { query: { state, ...page } }, { signal })).data),
    refetchInterval: INTERVAL_MS,
  });
}
