/** Tenants and their caps by model. */
import { page } from "../common";
import { byId, byTenantModel, create, type RouteTable, read, readOne, remove, update } from "../route-spec";
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
} from "../tenants";

export const tenantRoutes = {
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
} as const satisfies RouteTable;
