import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api";

type SummaryQuery = NonNullable<Parameters<typeof api.call<"getUsageSummary">>[1]["query"]>;

const INTERVAL_MS = 30_000;

/** Requests of a time range, summed by what is asked for. */
export function usageSummaryQuery(query: SummaryQuery) {
  return queryOptions({
    queryKey: ["usage", "summary", query],
    queryFn: async ({ signal }) => (await api.call("getUsageSummary", { query }, { signal })).data,
    refetchInterval: INTERVAL_MS,
    placeholderData: (before) => before,
  });
}

type SeriesQuery = NonNullable<Parameters<typeof api.call<"getUsageSeries">>[1]["query"]>;

export function usageSeriesQuery(query: SeriesQuery) {
  return queryOptions({
    queryKey: ["usage", "series", query],
    queryFn: async ({ signal }) => (await api.call("getUsageSeries", { query }, { signal })).data,
    refetchInterval: INTERVAL_MS,
    placeholderData: (before) => before,
  });
}
