/** Keys and their secrets. */
import { page } from "../common";
import { key, keyCreate, keyPatch, keyQuery, keyRotate, keyWithSecret, tenantKeyQuery } from "../keys";
import { byId, create, type RouteTable, read, readOne, remove, update } from "../route-spec";

export const keyRoutes = {
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
} as const satisfies RouteTable;
