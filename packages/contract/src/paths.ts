/** Method and path of every route, below `/api/v1`, without schemas: all that a browser needs at run time. */
export const API_BASE = "/api/v1";

export const paths = {
  getHealth: { method: "GET", path: "/health" },
  getVersion: { method: "GET", path: "/version" },
  getAuthState: { method: "GET", path: "/auth/state" },
  login: { method: "POST", path: "/auth/login" },
  resetPassword: { method: "POST", path: "/auth/reset" },
  logout: { method: "POST", path: "/auth/logout" },
  getMe: { method: "GET", path: "/auth/me" },
  changePassword: { method: "POST", path: "/auth/password" },

  getFairshareLive: { method: "GET", path: "/fairshare/live" },
  getFairshareHistory: { method: "GET", path: "/fairshare/history" },
  explainFairshare: { method: "GET", path: "/fairshare/explain" },
  previewFairshare: { method: "POST", path: "/fairshare/preview" },

  listGroups: { method: "GET", path: "/fairshare/groups" },
  createGroup: { method: "POST", path: "/fairshare/groups" },
  setGroupWeights: { method: "PUT", path: "/fairshare/groups/weights" },
  getGroup: { method: "GET", path: "/fairshare/groups/{name}" },
  updateGroup: { method: "PATCH", path: "/fairshare/groups/{name}" },
  deleteGroup: { method: "DELETE", path: "/fairshare/groups/{name}" },

  listTenants: { method: "GET", path: "/tenants" },
  createTenant: { method: "POST", path: "/tenants" },
  getTenant: { method: "GET", path: "/tenants/{id}" },
  updateTenant: { method: "PATCH", path: "/tenants/{id}" },
  deleteTenant: { method: "DELETE", path: "/tenants/{id}" },
  setTenantWeight: { method: "PATCH", path: "/tenants/{id}/weight" },
  setTenantQuota: { method: "PUT", path: "/tenants/{id}/quota" },
  setTenantGroup: { method: "PATCH", path: "/tenants/{id}/group" },
  listModelCaps: { method: "GET", path: "/tenants/{id}/model-caps" },
  setModelCap: { method: "PUT", path: "/tenants/{id}/model-caps/{model}" },
  deleteModelCap: { method: "DELETE", path: "/tenants/{id}/model-caps/{model}" },

  listTenantKeys: { method: "GET", path: "/tenants/{id}/keys" },
  createKey: { method: "POST", path: "/tenants/{id}/keys" },
  listKeys: { method: "GET", path: "/keys" },
  getKey: { method: "GET", path: "/keys/{id}" },
  updateKey: { method: "PATCH", path: "/keys/{id}" },
  deleteKey: { method: "DELETE", path: "/keys/{id}" },
  rotateKey: { method: "POST", path: "/keys/{id}/rotate" },
  endPreviousSecret: { method: "DELETE", path: "/keys/{id}/previous-secret" },

  listModels: { method: "GET", path: "/models" },
  createModel: { method: "POST", path: "/models" },
  exportModels: { method: "GET", path: "/models/export" },
  importModels: { method: "POST", path: "/models/import" },
  discoverModels: { method: "POST", path: "/models/discover" },
  getModel: { method: "GET", path: "/models/{id}" },
  replaceModel: { method: "PUT", path: "/models/{id}" },
  updateModel: { method: "PATCH", path: "/models/{id}" },
  deleteModel: { method: "DELETE", path: "/models/{id}" },
  setSessionAffinity: { method: "PUT", path: "/models/{id}/session-affinity" },
  setModelWeight: { method: "PUT", path: "/models/{id}/weight" },
  setModelCapacity: { method: "PUT", path: "/models/{id}/capacity" },
  setModelCapacityMode: { method: "PUT", path: "/models/{id}/capacity-mode" },

  listEndpoints: { method: "GET", path: "/models/{id}/endpoints" },
  createEndpoint: { method: "POST", path: "/models/{id}/endpoints" },
  updateEndpoint: { method: "PATCH", path: "/models/{id}/endpoints/{eid}" },
  deleteEndpoint: { method: "DELETE", path: "/models/{id}/endpoints/{eid}" },
  checkEndpoint: { method: "POST", path: "/models/{id}/endpoints/{eid}/check" },

  listBoosts: { method: "GET", path: "/boosts" },
  createBoost: { method: "POST", path: "/boosts" },
  endBoost: { method: "DELETE", path: "/boosts/{id}" },

  getCapacity: { method: "GET", path: "/capacity" },
  setCapacity: { method: "PUT", path: "/capacity" },
  getCapacityDiscovery: { method: "GET", path: "/capacity/discovery" },

  getUsageSummary: { method: "GET", path: "/usage/summary" },
  getUsageSeries: { method: "GET", path: "/usage/series" },
  listUsageRequests: { method: "GET", path: "/usage/requests" },
  exportUsage: { method: "GET", path: "/usage/export.csv" },

  getOverview: { method: "GET", path: "/overview" },
  getCluster: { method: "GET", path: "/cluster" },
  getClusterSettings: { method: "GET", path: "/cluster/settings" },

  listAudit: { method: "GET", path: "/audit" },
  revertAudit: { method: "POST", path: "/audit/{id}/revert" },

  listUsers: { method: "GET", path: "/users" },
  createUser: { method: "POST", path: "/users" },
  getUser: { method: "GET", path: "/users/{id}" },
  updateUser: { method: "PATCH", path: "/users/{id}" },
  deleteUser: { method: "DELETE", path: "/users/{id}" },
  createResetLink: { method: "POST", path: "/users/{id}/reset-link" },
  endUserSessions: { method: "DELETE", path: "/users/{id}/sessions" },

  exportConfig: { method: "GET", path: "/config/export" },
  importConfig: { method: "POST", path: "/config/import" },
} as const satisfies Record<string, { method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"; path: string }>;

export type RouteId = keyof typeof paths;

/** Puts parameters into a path, each encoded once, so a name with a slash stays one segment. */
export function fillPath(path: string, params: Readonly<Record<string, string | number>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name] ?? "")));
}
