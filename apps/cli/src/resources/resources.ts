/** What the command line knows of each kind of object: its routes, its fields, how it is found and listed. */
import {
  boostCreate,
  boostQuery,
  groupCreate,
  groupPatch,
  groupQuery,
  keyCreate,
  keyPatch,
  keyQuery,
  modelCreate,
  modelPatch,
  modelQuery,
  type RouteId,
  tenantCreate,
  tenantPatch,
  tenantQuery,
} from "@obleth/contract";
import type { Fields } from "../fields";
import type { Column } from "../output/table";
import { type Row, textOf } from "./loose-client";

export interface Resource {
  readonly plural: "tenants" | "keys" | "models" | "groups" | "boosts";
  readonly singular: string;
  readonly list: RouteId;
  /** Null: read by searching the list. */
  readonly get: RouteId | null;
  readonly create: RouteId;
  /** Null: objects are replaced, never changed. */
  readonly update: RouteId | null;
  readonly remove: RouteId;
  /** Name of the path parameter. */
  readonly param: "id" | "name";
  /** Whether the API takes a name where it takes an id; otherwise names are looked up first. */
  readonly takesNames: boolean;
  /** Whether objects have names. */
  readonly hasName: boolean;
  /** Whether each belongs to a tenant, given with `--tenant`. */
  readonly isOfTenant: boolean;
  readonly createFields: Fields;
  readonly updateFields: Fields;
  readonly filters: Fields;
  readonly columns: readonly Column<Row>[];
  /** What is lost with one, for the question before a delete. */
  readonly loss: string;
}

const column = (title: string, field: string, align: "left" | "right" = "left"): Column<Row> => ({
  title,
  align,
  cell: (row) => textOf(row, field),
});

const tenants: Resource = {
  plural: "tenants",
  singular: "tenant",
  list: "listTenants",
  get: "getTenant",
  create: "createTenant",
  update: "updateTenant",
  remove: "deleteTenant",
  param: "id",
  takesNames: false,
  hasName: true,
  isOfTenant: false,
  createFields: tenantCreate.shape,
  updateFields: tenantPatch.shape,
  filters: tenantQuery.shape,
  columns: [
    column("NAME", "name"),
    column("GROUP", "group"),
    column("WEIGHT", "weight", "right"),
    column("CAP", "max_in_flight", "right"),
    column("STATUS", "status"),
    column("KEYS", "key_count", "right"),
    column("ID", "id"),
  ],
  loss: "its keys stop working at once",
};

const keys: Resource = {
  plural: "keys",
  singular: "key",
  list: "listKeys",
  get: "getKey",
  create: "createKey",
  update: "updateKey",
  remove: "deleteKey",
  param: "id",
  takesNames: false,
  hasName: true,
  isOfTenant: true,
  createFields: keyCreate.shape,
  updateFields: keyPatch.shape,
  filters: keyQuery.shape,
  columns: [
    column("NAME", "name"),
    column("TENANT", "tenant_name"),
    column("PREFIX", "prefix"),
    column("WEIGHT", "weight", "right"),
    column("CAP", "max_in_flight", "right"),
    { title: "STATE", cell: keyState },
    { title: "LAST USED", cell: (row) => timeText(row.last_used_ts_ms) },
    column("ID", "id"),
  ],
  loss: "clients that use it are refused at once",
};

const models: Resource = {
  plural: "models",
  singular: "model",
  list: "listModels",
  get: "getModel",
  create: "createModel",
  update: "updateModel",
  remove: "deleteModel",
  param: "id",
  takesNames: true,
  hasName: true,
  isOfTenant: false,
  createFields: modelCreate.shape,
  updateFields: modelPatch.shape,
  filters: modelQuery.shape,
  columns: [
    column("NAME", "name"),
    column("TYPE", "type"),
    { title: "ENABLED", cell: (row) => (row.enabled === true ? "yes" : "no") },
    { title: "SLOTS", align: "right", cell: (row) => textOf((row.capacity ?? {}) as Row, "size") },
    column("MODE", "capacity_mode"),
    { title: "WEIGHT %", align: "right", cell: (row) => textOf(row, "admission_weight") },
    { title: "ENDPOINTS", align: "right", cell: (row) => String((row.endpoints as readonly unknown[]).length) },
    column("ID", "id"),
  ],
  loss: "requests for it are no longer routed, and its endpoints and their credentials are gone",
};

const groups: Resource = {
  plural: "groups",
  singular: "group",
  list: "listGroups",
  get: "getGroup",
  create: "createGroup",
  update: "updateGroup",
  remove: "deleteGroup",
  param: "name",
  takesNames: true,
  hasName: true,
  isOfTenant: false,
  createFields: groupCreate.shape,
  updateFields: groupPatch.shape,
  filters: groupQuery.shape,
  columns: [column("NAME", "name"), column("WEIGHT", "weight", "right"), column("TENANTS", "tenant_count", "right")],
  loss: "its weight is forgotten",
};

const boosts: Resource = {
  plural: "boosts",
  singular: "boost",
  list: "listBoosts",
  get: null,
  create: "createBoost",
  update: null,
  remove: "endBoost",
  param: "id",
  takesNames: false,
  hasName: false,
  isOfTenant: true,
  createFields: boostCreate.shape,
  updateFields: {},
  filters: boostQuery.shape,
  columns: [
    column("TENANT", "tenant_name"),
    { title: "MODEL", cell: (row) => (row.model === null ? "(all)" : String(row.model)) },
    {
      title: "FACTOR",
      align: "right",
      cell: (row) =>
        `x${Number(textOf(row, "factor"))
          .toFixed(2)
          .replace(/\.?0+$/, "")}`,
    },
    column("STATE", "state"),
    column("UNTIL", "expires_at"),
    column("REASON", "reason"),
    column("ID", "id"),
  ],
  loss: "the tenant's own weight holds again at once",
};

export const RESOURCES: readonly Resource[] = [tenants, keys, models, groups, boosts];

function keyState(row: Row): string {
  if (row.disabled === true) return "disabled";
  if (typeof row.expires_at === "string" && Date.parse(row.expires_at) <= Date.now()) return "expired";
  return row.previous_secret_expires_ts_ms === null ? "active" : "rotating";
}

function timeText(tsMs: unknown): string {
  return typeof tsMs === "number" ? new Date(tsMs).toISOString().replace(/\.\d+Z$/, "Z") : "never";
}
