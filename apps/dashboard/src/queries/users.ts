import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api";

const ALL = 500;

export function usersQuery() {
  return queryOptions({
    queryKey: ["users"],
    queryFn: async ({ signal }) => (await api.call("listUsers", { query: { limit: ALL } }, { signal })).data,
  });
}
