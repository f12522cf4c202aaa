/**
 * The route table: for each route its schemas, what it answers, who may call it and how it may refuse. Server
 * validation, the OpenAPI document and the typed client all come from here.
 */
import { paths, type RouteId } from "./paths";
import type { RouteSpec } from "./route-spec";
import { auditRoutes } from "./routes/audit";
import { boostRoutes } from "./routes/boosts";
import { capacityRoutes } from "./routes/capacity";
import { configurationRoutes } from "./routes/configuration";
import { endpointRoutes } from "./routes/endpoints";
import { fairshareRoutes } from "./routes/fairshare";
import { groupRoutes } from "./routes/groups";
import { keyRoutes } from "./routes/keys";
import { modelRoutes } from "./routes/models";
import { operationRoutes } from "./routes/operation";
import { signInRoutes } from "./routes/sign-in";
import { systemRoutes } from "./routes/system";
import { tenantRoutes } from "./routes/tenants";
import { usageRoutes } from "./routes/usage";
import { userRoutes } from "./routes/users";

export const routes = {
  ...systemRoutes,
  ...signInRoutes,
  ...fairshareRoutes,
  ...groupRoutes,
  ...tenantRoutes,
  ...keyRoutes,
  ...modelRoutes,
  ...endpointRoutes,
  ...boostRoutes,
  ...capacityRoutes,
  ...usageRoutes,
  ...operationRoutes,
  ...auditRoutes,
  ...userRoutes,
  ...configurationRoutes,
} as const satisfies Record<RouteId, RouteSpec>;

export type Routes = typeof routes;

/** Whether a change by this route can be made to depend on the version that was read. */
export function takesIfMatch(id: RouteId): boolean {
  const spec: RouteSpec = routes[id];
  return spec.etag === true && spec.status !== 201 && paths[id].method !== "GET";
}
