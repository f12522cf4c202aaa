import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api";
import { allPages } from "./all-pages";

/** Keys of one tenant, or of all. */
export function keysQuery(tenantId: string | null) {
  return queryOptions({
    queryKey: ["keys", tenantId],
    queryFn: ({ signal }) =>
      allPages(async (page) => {
        const query = { ...page, ...(tenantId === null ? {} : { tenant_id: tenantId }) };
        return (await api.call("listKeys", { query }, { signal })).data;
      }),
  });
}
