/** What can be set on a tenant, how it is stored, and what the audit log keeps of it. */
import { eq, inArray } from "drizzle-orm";
import { toJson } from "../json-record";
import { findGroup } from "../queries/read-groups";
import type { ModelCapJson, TenantRow } from "../queries/read-tenants";
import { modelAliases, models, tenantModelCaps } from "../schema";
import type { WeeklyWindowJson } from "../schema/tenants";
import type { Change } from "./change";
import { Refusal } from "./refusal";

export interface TenantFields {
  readonly name: string;
  /** A group's name. */
  readonly group: string;
  readonly weight: number;
  readonly maxInFlight: number | null;
  readonly modelCaps: readonly ModelCapJson[];
  readonly tokensPerMinute: number | null;
  readonly budgetTokens: number | null;
  readonly budgetCostUsd: number | null;
  readonly budgetPeriod: "monthly" | "term" | "lifetime";
  readonly budgetStartedAt: Date | null;
  readonly status: "active" | "suspended";
  readonly timezone: string;
  readonly activeFrom: Date | null;
  readonly activeUntil: Date | null;
  readonly weeklyWindows: readonly WeeklyWindowJson[];
  readonly allowedModels: readonly string[] | null;
  readonly description: string;
}
export type TenantPatch = { readonly [Name in keyof TenantFields]?: TenantFields[Name] | undefined };

export function tenantFields(row: TenantRow): TenantFields {
  const { id: _id, groupId: _groupId, keyCount: _keys, version: _v, createdAt: _c, updatedAt: _u, ...fields } = row;
  return fields;
}

export const tenantAudit = (fields: TenantFields): Record<string, unknown> => toJson(fields);

/** The given fields over the present ones; undefined means unchanged. */
export function withPatch<Fields extends object>(
  fields: Fields,
  patch: { readonly [Name in keyof Fields]?: Fields[Name] | undefined },
): Fields {
  const given = Object.entries(patch).filter(([, value]) => value !== undefined);
  return { ...fields, ...Object.fromEntries(given) };
}

/** Column values for an insert or update; refuses a group that does not exist and a term that ends before it begins. */
export async function tenantColumns(inside: Change, fields: TenantFields) {
  const group = await findGroup(inside.tx, fields.group);
  if (group === undefined) throw new Refusal("invalid_request", `There is no group named ${fields.group}.`, "group");
  const { activeFrom, activeUntil } = fields;
  if (activeFrom !== null && activeUntil !== null && activeUntil <= activeFrom) {
    throw new Refusal("invalid_request", "active_until must be later than active_from.", "active_until");
  }
  const { group: _group, modelCaps: _caps, weeklyWindows, allowedModels, ...columns } = fields;
  return {
    ...columns,
    groupId: group.id,
    weeklyWindows: [...weeklyWindows],
    allowedModels: allowedModels === null ? null : await canonicalNames(inside, allowedModels),
  };
}

/** Aliases become their model's name; a name that no model has yet is kept, and repeats are dropped. */
async function canonicalNames(inside: Change, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const rows = await inside.tx
    .select({ name: modelAliases.name, canonical: models.name })
    .from(modelAliases)
    .innerJoin(models, eq(models.id, modelAliases.modelId))
    .where(inArray(modelAliases.name, [...names]));
  const canonical = new Map(rows.map((row) => [row.name, row.canonical]));
  return [...new Set(names.map((name) => canonical.get(name) ?? name))];
}

/** Makes the caps by model exactly these; refuses an unknown model and two caps for one. Returns them as stored. */
export async function replaceModelCaps(
  inside: Change,
  tenantId: string,
  caps: readonly ModelCapJson[],
): Promise<ModelCapJson[]> {
  await inside.tx.delete(tenantModelCaps).where(eq(tenantModelCaps.tenantId, tenantId));
  const stored = new Map<string, ModelCapJson>();
  for (const [index, cap] of caps.entries()) {
    const field = `model_caps.${index}.model`;
    const [model] = await inside.tx
      .select({ id: models.id, name: models.name })
      .from(modelAliases)
      .innerJoin(models, eq(models.id, modelAliases.modelId))
      .where(eq(modelAliases.name, cap.model));
    if (model === undefined) throw new Refusal("invalid_request", `There is no model named ${cap.model}.`, field);
    if (stored.has(model.id)) throw new Refusal("invalid_request", `${model.name} is given twice.`, field);
    stored.set(model.id, { model: model.name, max_in_flight: cap.max_in_flight });
    await inside.tx.insert(tenantModelCaps).values({ tenantId, modelId: model.id, maxInFlight: cap.max_in_flight });
  }
  return [...stored.values()].sort((a, b) => (a.model < b.model ? -1 : 1));
}
