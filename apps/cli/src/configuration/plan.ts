/** What applying a file would change, as lines and as the changes a preview of slots understands. */
import type { PreviewChange } from "@obleth/contract";
import { counted } from "@obleth/fairshare/words";
import { visible } from "../output/plain-text";
import type { Row } from "../resources/loose-client";
import type { Completed, Entry } from "./complete";

export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}
export interface PlannedChange {
  readonly kind: string;
  readonly name: string;
  readonly action: "create" | "update";
  readonly fields: readonly FieldChange[];
}
export interface Plan {
  readonly changes: readonly PlannedChange[];
  readonly unchanged: number;
}

/** Fields whose values are secrets, even sealed or hashed: only that they change is shown. */
const HIDDEN = new Set([
  "api_key_sealed",
  "headers_sealed",
  "secret_hash",
  "previous_secret_hash",
  "api_key",
  "headers",
]);

export function planOf(completed: Completed): Plan {
  const { entries, ceiling, credentials, newKeys } = completed;
  const known = entries.map(plannedEntry).filter((change) => change !== null);
  const changes: PlannedChange[] = [
    ...known,
    ...(ceiling.before === ceiling.after
      ? []
      : [
          {
            kind: "ceiling",
            name: "",
            action: "update" as const,
            fields: [{ field: "global_max_in_flight", ...ceiling }],
          },
        ]),
    ...credentials.map(({ model, endpoint, body }) => ({
      kind: "credential",
      name: `of ${endpoint} of ${model}`,
      action: "update" as const,
      fields: Object.keys(body).map((field) => ({ field, before: null, after: null })),
    })),
    ...newKeys.map(({ tenantName, body }) => ({
      kind: "key",
      name: `${String(body.name)} of ${tenantName}`,
      action: "create" as const,
      fields: fieldChanges({}, body),
    })),
  ];
  return { changes, unchanged: entries.length - known.length };
}

export function planLines({ changes, unchanged }: Plan): string[] {
  const lines = changes.flatMap(({ kind, name, action, fields }) => [
    `${action === "create" ? "+" : "~"} ${kind} ${name}`.trimEnd(),
    ...fields.map((one) => `    ${fieldText(one, action)}`),
  ]);
  const made = changes.filter(({ action }) => action === "create").length;
  const total = `${counted(made, "object")} to make, ${changes.length - made} to change, ${unchanged} as they are.`;
  return [...lines, ...(lines.length === 0 ? [] : [""]), total, "What the file does not name is left alone."].map(
    visible,
  );
}

/** Changes to weights, caps and sizes of what is there already, for the preview of who gives up slots. */
export function slotChanges(entries: readonly Entry[]): PreviewChange[] {
  return entries.flatMap(({ kind, before, after }) => {
    if (before === null) return [];
    const id = String(kind === "group" ? before.name : before.id);
    return SLOT_FIELDS.flatMap(({ of, field, as }): PreviewChange[] => {
      const value = after[field];
      if (of !== kind || value === before[field]) return [];
      if (typeof value === "number" || typeof value === "string") return [{ kind: as, id, value }];
      return value === null && as.endsWith("_cap") ? [{ kind: as, id, value }] : [];
    });
  });
}

const SLOT_FIELDS = [
  { of: "group", field: "weight", as: "group_weight" },
  { of: "tenant", field: "weight", as: "tenant_weight" },
  { of: "tenant", field: "group", as: "tenant_group" },
  { of: "tenant", field: "max_in_flight", as: "tenant_cap" },
  { of: "key", field: "weight", as: "key_weight" },
  { of: "key", field: "max_in_flight", as: "key_cap" },
  { of: "model", field: "max_in_flight", as: "pool_size" },
  { of: "model", field: "admission_weight", as: "admission_weight" },
] as const;

function plannedEntry({ kind, name, before, after }: Entry): PlannedChange | null {
  if (before === null) return { kind, name, action: "create", fields: fieldChanges({}, withoutIds(after)) };
  const fields = fieldChanges(before, after);
  return fields.length === 0 ? null : { kind, name, action: "update", fields };
}

function withoutIds({ id: _id, tenant_id: _tenant, name: _name, endpoints, ...fields }: Row): Row {
  const shown = Object.entries(fields).filter(([, value]) => !isEmpty(value));
  return { ...Object.fromEntries(shown), ...(endpoints === undefined ? {} : { endpoints }) };
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function fieldChanges(before: Row, after: Row): FieldChange[] {
  return Object.keys(after).flatMap((field) => {
    if (field === "endpoints") return endpointChanges(before.endpoints, after.endpoints);
    return isSame(before[field], after[field]) ? [] : [{ field, before: before[field] ?? null, after: after[field] }];
  });
}

function endpointChanges(before: unknown, after: unknown): FieldChange[] {
  const had = (before ?? []) as readonly Row[];
  const has = (after ?? []) as readonly Row[];
  const gone = had.filter(({ name }) => !has.some((one) => one.name === name));
  return [
    ...has.flatMap((endpoint) => {
      const previous = had.find(({ name }) => name === endpoint.name);
      const label = `endpoint ${String(endpoint.name)}`;
      if (previous === undefined) return [{ field: label, before: null, after: endpoint.api_base }];
      return fieldChanges(previous, endpoint).map((change) => ({ ...change, field: `${label}.${change.field}` }));
    }),
    ...gone.map(({ name, api_base: base }) => ({ field: `endpoint ${String(name)}`, before: base, after: null })),
  ];
}

/** Equal as JSON, times as instants: a file may write one in another zone. */
function isSame(a: unknown, b: unknown): boolean {
  if (JSON.stringify(a ?? null) === JSON.stringify(b ?? null)) return true;
  if (typeof a === "object" && typeof b === "object" && a !== null && b !== null && !Array.isArray(a)) {
    const names = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...names].every((name) => isSame((a as Row)[name], (b as Row)[name]));
  }
  return isTime(a) && isTime(b) && Date.parse(a) === Date.parse(b);
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
}

function fieldText({ field, before, after }: FieldChange, action: PlannedChange["action"]): string {
  const last = field.split(".").at(-1) ?? field;
  if (HIDDEN.has(last)) return `${field}: written, not shown`;
  if (action === "create") return `${field}: ${shown(after)}`;
  return `${field}: ${shown(before)} -> ${shown(after)}`;
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}
