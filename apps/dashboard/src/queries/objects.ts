/** Objects with their ETag, as forms need them: a save names the version it was made from. */
import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api";
import { allPages } from "./all-pages";

/** An object as read, with the version to name in a change. */
export interface Versioned<Body> {
  readonly data: Body;
  readonly etag: string | null;
}

export function tenantQuery(id: string) {
  return queryOptions({
    queryKey: ["tenant", id],
    queryFn: async ({ signal }) => {
      const { data, etag } = await api.call("getTenant", { params: { id } }, { signal });
      return { data, etag };
    },
  });
}

export function keyQuery(id: string) {
  return queryOptions({
    queryKey: ["key", id],
    queryFn: async ({ signal }) => {
      const { data, etag } = await api.call("getKey", { params: { id } }, { signal });
      return { data, etag };
    },
  });
}

export function modelQuery(id: string) {
  return queryOptions({
    queryKey: ["model", id],
    queryFn: async ({ signal }) => {
      const { data, etag } = await api.call("getModel", { params: { id } }, { signal });
      return { data, etag };
    },
  });
}

export function groupsQuery() {
  return queryOptions({
    queryKey: ["groups"],
    queryFn: ({ signal }) => allPages(async (query) => (await api.call("listGroups", { query }, { signal })).data),
  });
}

export function tenantsQuery() {
  return queryOptions({
    queryKey: ["tenants"],
    queryFn: ({ signal }) => allPages(async (query) => (await api.call("listTenants", { query }, { signal })).data),
  });
}

export function modelsQuery() {
  return queryOptions({
    queryKey: ["models"],
    queryFn: ({ signal }) => allPages(async (query) => (await api.call("listModels", { query }, { signal })).data),
  });
}

export function clusterQuery(intervalMs: number | false = false) {
  return queryOptions({
    queryKey: ["cluster"],
    queryFn: async ({ signal }) => (await api.call("getCluster", {}, { signal })).data,
    refetchInterval: intervalMs,
  });
}

export function capacityQuery() {
  return queryOptions({
    queryKey: ["capacity"],
    queryFn: async ({ signal }) => {
      const { data, etag } = await api.call("getCapacity", {}, { signal });
      return { data, etag };
    },
  });
}

/** The newest change of an object. */
export function lastChangeQuery(objectId: string) {
  return queryOptions({
    queryKey: ["audit", "last", objectId],
    queryFn: async ({ signal }) => {
      const { data } = await api.call("listAudit", { query: { object: objectId, limit: 1 } }, { signal });
      return data.items[0] ?? null;
    },
  });
}
