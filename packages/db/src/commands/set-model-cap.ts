/** The cap of one tenant on one model, which replaces the tenant's own there. */
import { and, eq, sql } from "drizzle-orm";
import type { Db } from "../client";
import { findModelName } from "../queries/read-models";
import { findTenant, type ModelCapJson, type TenantRow } from "../queries/read-tenants";
import { tenantModelCaps, tenants } from "../schema";
import { type Change, type ChangeContext, type Changed, change } from "./change";
import { checkVersion, notFound } from "./refusal";

export interface ModelCapTarget {
  readonly tenantId: string;
  /** A model's id, name or alias. */
  readonly model: string;
  /** Of the tenant. */
  readonly expectedVersion?: number | undefined;
}

export interface SavedModelCap {
  readonly cap: ModelCapJson;
  /** Of the tenant. */
  readonly version: number;
}

/** Sets the cap; null means no cap on this model. */
export function setModelCap(
  db: Db,
  context: ChangeContext,
  target: ModelCapTarget & { maxInFlight: number | null },
): Promise<Changed<SavedModelCap>> {
  return change(db, context, (inside) => putModelCap(inside, target));
}

export async function putModelCap(
  inside: Change,
  target: ModelCapTarget & { maxInFlight: number | null },
): Promise<SavedModelCap> {
  const { tenant, model, before } = await locate(inside, target);
  const cap = { model: model.name, max_in_flight: target.maxInFlight };
  if (before !== undefined && before.max_in_flight === cap.max_in_flight) return { cap, version: tenant.version };
  await inside.tx
    .insert(tenantModelCaps)
    .values({ tenantId: tenant.id, modelId: model.id, maxInFlight: target.maxInFlight })
    .onConflictDoUpdate({
      target: [tenantModelCaps.tenantId, tenantModelCaps.modelId],
      set: { maxInFlight: target.maxInFlight },
    });
  const version = await noteChange(inside, { tenant, model, before, after: cap });
  return { cap, version };
}

/** Removes the cap, so that the tenant's own holds again. */
export function deleteModelCap(db: Db, context: ChangeContext, target: ModelCapTarget): Promise<Changed<undefined>> {
  return change(db, context, (inside) => removeModelCap(inside, target));
}

export async function removeModelCap(inside: Change, target: ModelCapTarget): Promise<undefined> {
  const { tenant, model, before } = await locate(inside, target);
  if (before === undefined) throw notFound("cap of this tenant on this model");
  await inside.tx
    .delete(tenantModelCaps)
    .where(and(eq(tenantModelCaps.tenantId, tenant.id), eq(tenantModelCaps.modelId, model.id)));
  await noteChange(inside, { tenant, model, before, after: undefined });
  return undefined;
}

async function locate(inside: Change, target: ModelCapTarget) {
  const tenant = await findTenant(inside.tx, target.tenantId);
  if (tenant === undefined) throw notFound("tenant");
  const model = await findModelName(inside.tx, target.model);
  if (model === undefined) throw notFound("model");
  checkVersion(tenant, target.expectedVersion);
  return { tenant, model, before: tenant.modelCaps.find((cap) => cap.model === model.name) };
}

async function noteChange(
  inside: Change,
  made: {
    tenant: TenantRow;
    model: { id: string; name: string };
    before: ModelCapJson | undefined;
    after: ModelCapJson | undefined;
  },
): Promise<number> {
  const { tenant, model } = made;
  await inside.tx
    .update(tenants)
    .set({ version: sql`version + 1`, updatedAt: inside.now })
    .where(eq(tenants.id, tenant.id));
  inside.audit({
    action: made.after === undefined ? "model_cap.delete" : "model_cap.set",
    type: "model_cap",
    id: `${tenant.id}/${model.id}`,
    name: `${tenant.name} on ${model.name}`,
    before: made.before === undefined ? null : { ...made.before },
    after: made.after === undefined ? null : { ...made.after },
    isReversible: true,
  });
  inside.touch({ kind: "tenant", id: tenant.id });
  return tenant.version + 1;
}
