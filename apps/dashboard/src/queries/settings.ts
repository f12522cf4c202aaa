import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api";

/** Settings in force, per gateway. */
export function clusterSettingsQuery() {
  return queryOptions({
    queryKey: ["cluster", "settings"],
    queryFn: async ({ signal }) => (await api.call("getClusterSettings", {}, { signal })).data,
    staleTime: 60_000,
  });
}
