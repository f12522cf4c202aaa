import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api";
import { allPages } from "./all-pages";

export function usersQuery() {
  return queryOptions({
    queryKey: ["users"],
    queryFn: ({ signal }) => allPages(async (query) => (await api.call("listUsers", { query }, { signal })).data),
  });
}
