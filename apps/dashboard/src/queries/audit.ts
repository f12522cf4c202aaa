import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api";

const INTERVAL_MS = 10_000;
const RECENT = 50;

/** The newest changes of anything, for marks on charts and the overview. */
export function recentChangesQuery() {
  return queryOptions({
    queryKey: ["audit", "recent"],
    queryFn: async ({ signal }) => (await api.call("listAudit", { query: { limit: RECENT } }, { signal })).data,
    refetchInterval: INTERVAL_MS,
  });
}
