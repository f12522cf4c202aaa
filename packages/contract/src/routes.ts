/**
 * The route table: for each route its schemas, what it answers, who may call it and how it may refuse. Server
 * validation, the OpenAPI document and the typed client all come from here.
 */
import { z } from "zod";
import { auditPage, auditQuery, auditRow } from "./audit";
import { boost, boostCreate, boostQuery } from "./boosts";
import { capacity, capacityDiscovery, capacityPut, cluster, clusterSettings } from "./cluster";
import { dryRun, idOrName, page, uuid } from "./common";
import { endpoint, endpointCheck, endpointCreate, endpointList, endpointPatch } from "./endpoints";
import type { ErrorCode } from "./error";
import { explainAnswer, explainQuery } from "./fairshare-explain";
import { fairshareHistory, historyQuery } from "./fairshare-history";
import { fairshareLive, liveQuery } from "./fairshare-live";
import { previewAnswer, previewBody } from "./fairshare-preview";
import { group, groupCreate, groupPatch, groupQuery, groupWeights, groupWeightsResult } from "./groups";
import { key, keyCreate, keyPatch, keyQuery, keyRotate, keyWithSecret, tenantKeyQuery } from "./keys";
import {
  discoverBody,
  discoverResult,
  importQuery,
  importResult,
  model,
  modelCapacity,
  modelCapacityMode,
  modelCreate,
  modelPatch,
  modelQuery,
  modelsExport,
  modelsImport,
  modelWeight,
} from "./models";
import { overview } from "./overview";
import { paths, type RouteId } from "./paths";
import { sessionAffinity } from "./session-affinity";
import { configFile, health, versionInfo } from "./system";
import {
  modelCap,
  modelCapInput,
  modelCaps,
  tenant,
  tenantCreate,
  tenantGroup,
  tenantPatch,
  tenantQuery,
  tenantQuota,
  tenantWeight,
} from "./tenants";
import {
  usageExportQuery,
  usageRequests,
  usageRequestsQuery,
  usageSeries,
  usageSeriesQuery,
  usageSummary,
  usageSummaryQuery,
} from "./usage";
import {
  authState,
  login,
  loginResult,
  me,
  passwordChange,
  passwordReset,
  resetLink,
  user,
  userCreate,
  userPatch,
  userQuery,
} from "./users";

export interface RouteSpec {
  readonly summary: string;
  readonly tag: string;
  /** Who may call it; `session` is whoever is signed in, whatever the role. */
  readonly role: "public" | "session" | "viewer" | "admin";
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly status: 200 | 201 | 204;
  /** Absent with 204, and for files that are not JSON. */
  readonly response?: z.ZodType;
  readonly contentType?: string;
  /** A changing route that answers `?dry_run=true` with a preview. */
  readonly dryRun?: true;
  /** The answer carries an ETag; with `If-Match` a change refuses to overwrite a newer version. Also the live state's. */
  readonly etag?: true;
  readonly errors: readonly ErrorCode[];
}

const byId = z.strictObject({ id: uuid });
const byIdOrName = z.strictObject({ id: idOrName });
const byName = z.strictObject({ name: idOrName });
const byTenantModel = z.strictObject({ id: uuid, model: idOrName });
const byEndpoint = z.strictObject({ id: idOrName, eid: uuid });
const writing = z.strictObject(dryRun);

const read = { role: "viewer", status: 200, errors: [] } as const;
const readOne = { role: "viewer", status: 200, etag: true, errors: ["not_found"] } as const;
const create = { role: "admin", status: 201, query: writing, dryRun: true, errors: ["already_exists"] } as const;
const update = {
  role: "admin",
  status: 200,
  query: writing,
  dryRun: true,
  etag: true,
  errors: ["not_found", "already_exists", "stale_edit"],
} as const;
/** Several objects at once; their versions are in the body. */
const updateMany = {
  role: "admin",
  status: 200,
  query: writing,
  dryRun: true,
  errors: ["not_found", "already_exists", "stale_edit"],
} as const;
const remove = {
  role: "admin",
  status: 204,
  query: writing,
  dryRun: true,
  etag: true,
  errors: ["not_found", "stale_edit"],
} as const;

export const routes = {
  getHealth: {
    tag: "System",
    summary: "Is this gateway up",
    role: "public",
    status: 200,
    response: health,
    errors: [],
  },
  getVersion: {
    tag: "System",
    summary: "Which build this is",
    role: "public",
    status: 200,
    response: versionInfo,
    errors: [],
  },
  getAuthState: {
    tag: "Sign in",
    summary: "What the sign-in page needs",
    role: "public",
    status: 200,
    response: authState,
    errors: [],
  },
  login: {
    tag: "Sign in",
    summary: "Begin a session",
    role: "public",
    body: login,
    status: 200,
    response: loginResult,
    errors: ["wrong_credentials", "too_many_attempts"],
  },
  resetPassword: {
    tag: "Sign in",
    summary: "Choose a password with a reset token; ends every session of that user",
    role: "public",
    body: passwordReset,
    status: 204,
    errors: ["wrong_credentials", "too_many_attempts"],
  },
  logout: { tag: "Sign in", summary: "End this session", role: "session", status: 204, errors: [] },
  getMe: { tag: "Sign in", summary: "Who is calling", role: "session", status: 200, response: me, errors: [] },
  changePassword: {
    tag: "Sign in",
    summary: "Change one's own password; ends the other sessions",
    role: "session",
    body: passwordChange,
    status: 204,
    errors: ["wrong_credentials", "too_many_attempts", "conflict"],
  },

  getFairshareLive: {
    tag: "Fairshare",
    summary: "Who runs and who waits",
    ...read,
    query: liveQuery,
    response: fairshareLive,
    etag: true,
  },
  getFairshareHistory: {
    tag: "Fairshare",
    summary: "Samples of the last hour",
    ...read,
    query: historyQuery,
    response: fairshareHistory,
  },
  explainFairshare: {
    tag: "Fairshare",
    summary: "Why a tenant waits",
    ...read,
    query: explainQuery,
    response: explainAnswer,
    errors: ["not_found"],
  },
  previewFairshare: {
    tag: "Fairshare",
    summary: "What a change would do; writes nothing",
    ...read,
    body: previewBody,
    response: previewAnswer,
    errors: ["not_found"],
  },

  listGroups: { tag: "Groups", summary: "List groups", ...read, query: groupQuery, response: page(group) },
  createGroup: { tag: "Groups", summary: "Create a group", ...create, body: groupCreate, response: group, etag: true },
  setGroupWeights: {
    tag: "Groups",
    summary: "Change several weights at once, all or none",
    ...updateMany,
    body: groupWeights,
    response: groupWeightsResult,
  },
  getGroup: { tag: "Groups", summary: "Read a group", ...readOne, params: byName, response: group },
  updateGroup: {
    tag: "Groups",
    summary: "Change a group",
    ...update,
    params: byName,
    body: groupPatch,
    response: group,
    errors: ["not_found", "already_exists", "stale_edit", "conflict"],
  },
  deleteGroup: {
    tag: "Groups",
    summary: "Delete an empty group",
    ...remove,
    params: byName,
    errors: ["not_found", "stale_edit", "group_not_empty", "conflict"],
  },

  listTenants: { tag: "Tenants", summary: "List tenants", ...read, query: tenantQuery, response: page(tenant) },
  createTenant: {
    tag: "Tenants",
    summary: "Create a tenant",
    ...create,
    body: tenantCreate,
    response: tenant,
    etag: true,
  },
  getTenant: { tag: "Tenants", summary: "Read a tenant", ...readOne, params: byId, response: tenant },
  updateTenant: {
    tag: "Tenants",
    summary: "Change a tenant",
    ...update,
    params: byId,
    body: tenantPatch,
    response: tenant,
  },
  deleteTenant: { tag: "Tenants", summary: "Delete a tenant and its keys", ...remove, params: byId },
  setTenantWeight: {
    tag: "Tenants",
    summary: "Change the weight",
    ...update,
    params: byId,
    body: tenantWeight,
    response: tenant,
  },
  setTenantQuota: {
    tag: "Tenants",
    summary: "Replace tokens per minute and cap",
    ...update,
    params: byId,
    body: tenantQuota,
    response: tenant,
  },
  setTenantGroup: {
    tag: "Tenants",
    summary: "Move to another group",
    ...update,
    params: byId,
    body: tenantGroup,
    response: tenant,
  },
  listModelCaps: {
    tag: "Tenants",
    summary: "List caps by model",
    ...read,
    params: byId,
    response: modelCaps,
    errors: ["not_found"],
  },
  setModelCap: {
    tag: "Tenants",
    summary: "Set the cap on one model",
    ...update,
    params: byTenantModel,
    body: modelCapInput,
    response: modelCap,
  },
  deleteModelCap: { tag: "Tenants", summary: "Go back to the tenant's own cap", ...remove, params: byTenantModel },

  listTenantKeys: {
    tag: "Keys",
    summary: "List a tenant's keys",
    ...read,
    params: byId,
    query: tenantKeyQuery,
    response: page(key),
    errors: ["not_found"],
  },
  createKey: {
    tag: "Keys",
    summary: "Create a key; the secret is in this answer only",
    ...create,
    params: byId,
    body: keyCreate,
    response: keyWithSecret,
    errors: ["not_found", "idempotency_mismatch"],
  },
  listKeys: { tag: "Keys", summary: "List keys", ...read, query: keyQuery, response: page(key) },
  getKey: { tag: "Keys", summary: "Read a key", ...readOne, params: byId, response: key },
  updateKey: { tag: "Keys", summary: "Change a key", ...update, params: byId, body: keyPatch, response: key },
  deleteKey: { tag: "Keys", summary: "Revoke a key", ...remove, params: byId },
  rotateKey: {
    tag: "Keys",
    summary: "Give a new secret; the old one may overlap",
    ...update,
    params: byId,
    body: keyRotate,
    response: keyWithSecret,
  },
  endPreviousSecret: { tag: "Keys", summary: "End a rotation's overlap", ...update, params: byId, response: key },

  listModels: { tag: "Models", summary: "List models", ...read, query: modelQuery, response: page(model) },
  createModel: { tag: "Models", summary: "Create a model", ...create, body: modelCreate, response: model, etag: true },
  exportModels: {
    tag: "Models",
    summary: "Every model as an import file, without credentials",
    ...read,
    response: modelsExport,
  },
  importModels: {
    tag: "Models",
    summary: "Create and change models from a file, all or nothing",
    ...read,
    role: "admin",
    query: importQuery,
    body: modelsImport,
    response: importResult,
    errors: ["already_exists"],
  },
  discoverModels: {
    tag: "Models",
    summary: "What a provider serves",
    ...read,
    role: "admin",
    body: discoverBody,
    response: discoverResult,
    errors: ["upstream_failed"],
  },
  getModel: { tag: "Models", summary: "Read a model", ...readOne, params: byIdOrName, response: model },
  replaceModel: {
    tag: "Models",
    summary: "Replace a model; what is left out takes its default",
    ...update,
    params: byIdOrName,
    body: modelCreate,
    response: model,
  },
  updateModel: {
    tag: "Models",
    summary: "Change a model",
    ...update,
    params: byIdOrName,
    body: modelPatch,
    response: model,
  },
  deleteModel: { tag: "Models", summary: "Delete a model and its endpoints", ...remove, params: byIdOrName },
  setSessionAffinity: {
    tag: "Models",
    summary: "Replace the session affinity settings",
    ...update,
    params: byIdOrName,
    body: sessionAffinity,
    response: model,
  },
  setModelWeight: {
    tag: "Models",
    summary: "Change the admission weight",
    ...update,
    params: byIdOrName,
    body: modelWeight,
    response: model,
  },
  setModelCapacity: {
    tag: "Models",
    summary: "Change the pool size",
    ...update,
    params: byIdOrName,
    body: modelCapacity,
    response: model,
  },
  setModelCapacityMode: {
    tag: "Models",
    summary: "Change where the pool size comes from",
    ...update,
    params: byIdOrName,
    body: modelCapacityMode,
    response: model,
  },

  listEndpoints: {
    tag: "Endpoints",
    summary: "List a model's endpoints",
    ...read,
    params: byIdOrName,
    response: endpointList,
    errors: ["not_found"],
  },
  createEndpoint: {
    tag: "Endpoints",
    summary: "Add an endpoint",
    ...create,
    params: byIdOrName,
    body: endpointCreate,
    response: endpoint,
    etag: true,
    errors: ["not_found", "already_exists"],
  },
  updateEndpoint: {
    tag: "Endpoints",
    summary: "Change an endpoint",
    ...update,
    params: byEndpoint,
    body: endpointPatch,
    response: endpoint,
  },
  deleteEndpoint: { tag: "Endpoints", summary: "Delete an endpoint", ...remove, params: byEndpoint },
  checkEndpoint: {
    tag: "Endpoints",
    summary: "Ask the upstream whether it is there",
    ...read,
    role: "admin",
    params: byEndpoint,
    response: endpointCheck,
    errors: ["not_found"],
  },

  listBoosts: { tag: "Boosts", summary: "List boosts", ...read, query: boostQuery, response: page(boost) },
  createBoost: {
    tag: "Boosts",
    summary: "Boost a tenant; replaces its boost of the same scope",
    ...create,
    body: boostCreate,
    response: boost,
    errors: ["not_found"],
  },
  endBoost: { tag: "Boosts", summary: "End a boost", ...remove, params: byId },

  getCapacity: { tag: "Capacity", summary: "The global ceiling", ...read, response: capacity, etag: true },
  setCapacity: {
    tag: "Capacity",
    summary: "Change the global ceiling",
    ...update,
    body: capacityPut,
    response: capacity,
  },
  getCapacityDiscovery: {
    tag: "Capacity",
    summary: "Discovered pool sizes and where they come from",
    ...read,
    response: capacityDiscovery,
  },

  getUsageSummary: {
    tag: "Usage",
    summary: "Figures by tenant, key, model, group, admission or outcome",
    ...read,
    query: usageSummaryQuery,
    response: usageSummary,
  },
  getUsageSeries: {
    tag: "Usage",
    summary: "Figures over time",
    ...read,
    query: usageSeriesQuery,
    response: usageSeries,
  },
  listUsageRequests: {
    tag: "Usage",
    summary: "Single requests, newest first",
    ...read,
    query: usageRequestsQuery,
    response: usageRequests,
  },
  exportUsage: {
    tag: "Usage",
    summary: "Single requests as CSV",
    ...read,
    query: usageExportQuery,
    contentType: "text/csv",
  },

  getOverview: { tag: "Overview", summary: "What needs attention", ...read, response: overview },
  getCluster: { tag: "Cluster", summary: "Gateways, mode and stores", ...read, response: cluster },
  getClusterSettings: { tag: "Cluster", summary: "Settings in force", ...read, response: clusterSettings },

  listAudit: { tag: "Audit", summary: "Changes, newest first", ...read, query: auditQuery, response: auditPage },
  revertAudit: {
    tag: "Audit",
    summary: "Put a change back",
    role: "admin",
    status: 200,
    params: z.strictObject({ id: z.int().min(1) }),
    query: writing,
    dryRun: true,
    response: auditRow,
    errors: ["not_found", "changed_since", "not_reversible"],
  },

  listUsers: { tag: "Users", summary: "List users", ...read, role: "admin", query: userQuery, response: page(user) },
  createUser: {
    tag: "Users",
    summary: "Add a user",
    role: "admin",
    status: 201,
    body: userCreate,
    response: user,
    etag: true,
    errors: ["already_exists"],
  },
  getUser: { tag: "Users", summary: "Read a user", ...readOne, role: "admin", params: byId, response: user },
  updateUser: {
    tag: "Users",
    summary: "Change a user",
    role: "admin",
    status: 200,
    etag: true,
    params: byId,
    body: userPatch,
    response: user,
    errors: ["not_found", "already_exists", "stale_edit", "last_admin"],
  },
  deleteUser: {
    tag: "Users",
    summary: "Remove a user and their sessions",
    role: "admin",
    status: 204,
    etag: true,
    params: byId,
    errors: ["not_found", "stale_edit", "last_admin"],
  },
  createResetLink: {
    tag: "Users",
    summary: "Make a link with which the user chooses a password",
    role: "admin",
    status: 201,
    params: byId,
    response: resetLink,
    errors: ["not_found"],
  },
  endUserSessions: {
    tag: "Users",
    summary: "End every session of a user",
    role: "admin",
    status: 204,
    params: byId,
    errors: ["not_found"],
  },

  exportConfig: {
    tag: "Configuration",
    summary: "Everything configured, with hashes and sealed secrets",
    ...read,
    role: "admin",
    response: configFile,
    etag: true,
  },
  importConfig: {
    tag: "Configuration",
    summary: "Make the configuration what a file says, all or nothing",
    ...read,
    role: "admin",
    query: importQuery,
    body: configFile,
    response: importResult,
    etag: true,
    errors: ["already_exists", "stale_edit"],
  },
} as const satisfies Record<RouteId, RouteSpec>;

export type Routes = typeof routes;

/** Whether a change by this route can be made to depend on the version that was read. */
export function takesIfMatch(id: RouteId): boolean {
  const spec: RouteSpec = routes[id];
  return spec.etag === true && spec.status !== 201 && paths[id].method !== "GET";
}
