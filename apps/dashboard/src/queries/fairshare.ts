import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api";

/** Why tenants wait in a pool: one tenant, or every one that waits. Read once when asked for, then left alone. */
export function explainQuery(pool: string, tenantId?: string) {
  return queryOptions({
    queryKey: ["explain", pool, tenantId ?? null],
    queryFn: async ({ signal }) => {
      const query = tenantId === undefined ? { pool } : { pool, tenant_id: tenantId };
      return (await api.call("explainFairshare", { query }, { signal })).data;
    },
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}
