import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api";

const ALL = 500;

/** Keys of one tenant, or of all. */
export function keysQuery(tenantId: string | null) {
  return queryOptions({
    queryKey: ["keys", tenantId],
    queryFn: async ({ signal }) => {
      const query = { limit: ALL, ...(tenantId === null ? {} : { tenant_id: tenantId }) };
      return (await api.call("listKeys", { query }, { signal })).data;
    },
  });
}
