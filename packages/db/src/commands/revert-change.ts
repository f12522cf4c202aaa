/**
 * Puts a change back: only when what it changed is still as the change left it, in one transaction with its own audit
 * row, so what looks like an undo can never undo somebody else's later work.
 */
import { eq } from "drizzle-orm";
import type { Db } from "../client";
import { canonical, toRow } from "../json-record";
import { type AuditRow, findAudit } from "../queries/read-audit";
import { findBoost } from "../queries/read-boosts";
import { findGroup, findGroupById } from "../queries/read-groups";
import { findKey } from "../queries/read-keys";
import { findModel } from "../queries/read-models";
import { findTenant } from "../queries/read-tenants";
import { findUser } from "../queries/read-users";
import { endpoints } from "../schema";
import { type Change, type ChangeContext, type Changed, change } from "./change";
import { closeBoost } from "./end-boost";
import { endpointAudit } from "./endpoint-fields";
import { groupAudit } from "./group-audit";
import { type KeyPatch, keyAudit } from "./key-fields";
import { type ModelPatch, modelAudit, modelFields } from "./model-fields";
import { notFound, Refusal } from "./refusal";
import { editGlobalCeiling, readGlobalCeiling } from "./set-global-ceiling";
import { editGroupWeights } from "./set-group-weights";
import { putModelCap, removeModelCap } from "./set-model-cap";
import { type TenantPatch, tenantAudit, tenantFields } from "./tenant-fields";
import { editEndpoint } from "./update-endpoint";
import { editGroup, type GroupPatch } from "./update-group";
import { editKey } from "./update-key";
import { editModel } from "./update-model";
import { editTenant } from "./update-tenant";
import { editUser, type UserPatch } from "./update-user";

/** Reverts an audit row. Refuses with `not_reversible` or `changed_since`. */
export function revertChange(db: Db, context: ChangeContext, auditId: number): Promise<Changed<AuditRow>> {
  return change(db, { ...context, reverts: auditId }, async (inside) => {
    const row = await findAudit(inside.tx, auditId);
    if (row === undefined) throw notFound("change");
    if (!row.reversible) throw new Refusal("not_reversible", "This kind of change cannot be put back.");
    if (row.revertedBy !== null) throw new Refusal("changed_since", "This change was put back already.");
    try {
      await putBack(inside, row);
    } catch (error) {
      // What the old state refers to may be gone: a deleted group, a name that was taken.
      const isObstacle = error instanceof Refusal && !["changed_since", "not_reversible"].includes(error.code);
      throw isObstacle ? new Refusal("changed_since", error.message, error.field) : error;
    }
    return row;
  });
}

async function putBack(inside: Change, row: AuditRow): Promise<void> {
  switch (row.objectType) {
    case "group":
      return row.objectId === "*" ? putBackWeights(inside, row) : putBackGroup(inside, row);
    case "tenant": {
      const tenant = present(await findTenant(inside.tx, row.objectId), row);
      checkUnchanged(tenantAudit(tenantFields(tenant)), row);
      await editTenant(inside, tenant, before<TenantPatch>(row));
      return;
    }
    case "model_cap":
      return putBackCap(inside, row);
    case "key": {
      const key = present(await findKey(inside.tx, row.objectId), row);
      checkUnchanged(keyAudit(key), row);
      await editKey(inside, key, before<KeyPatch>(row));
      return;
    }
    case "model": {
      const model = present(await findModel(inside.tx, row.objectId), row);
      checkUnchanged(modelAudit(modelFields(model)), row);
      await editModel(inside, model, { patch: before<ModelPatch>(row) });
      return;
    }
    case "endpoint":
      return putBackEndpoint(inside, row);
    case "boost": {
      const boost = await findBoost(inside.tx, row.objectId);
      if (boost === undefined || boost.endedAt !== null) {
        throw new Refusal("changed_since", "The boost has ended already.");
      }
      return closeBoost(inside, boost, { endedAt: inside.now, endedBy: inside.context.actor });
    }
    case "capacity": {
      const ceiling = await readGlobalCeiling(inside.tx);
      checkUnchanged({ global_max_in_flight: ceiling.value }, row);
      await editGlobalCeiling(inside, ceiling, (row.before?.global_max_in_flight ?? null) as number | null);
      return;
    }
    case "user": {
      const user = present(await findUser(inside.tx, row.objectId), row);
      checkUnchanged({ email: user.email, role: user.role }, row);
      await editUser(inside, user, before<UserPatch>(row));
      return;
    }
    case "session":
      throw new Refusal("not_reversible", "This kind of change cannot be put back.");
  }
}

async function putBackGroup(inside: Change, row: AuditRow): Promise<void> {
  const group = present(await findGroupById(inside.tx, row.objectId), row);
  checkUnchanged(groupAudit(group), row);
  await editGroup(inside, group, before<GroupPatch>(row));
}

async function putBackWeights(inside: Change, row: AuditRow): Promise<void> {
  const after = (row.after?.weights ?? {}) as Record<string, number>;
  const weights = (row.before?.weights ?? {}) as Record<string, number>;
  for (const [name, weight] of Object.entries(after)) {
    const group = present(await findGroup(inside.tx, name), row);
    if (group.weight !== weight) {
      throw new Refusal("changed_since", `The weight of ${name} is ${group.weight} now, not ${weight}.`);
    }
  }
  await editGroupWeights(
    inside,
    Object.entries(weights).map(([name, weight]) => ({ name, weight })),
  );
}

async function putBackCap(inside: Change, row: AuditRow): Promise<void> {
  const [tenantId = "", modelId = ""] = row.objectId.split("/");
  const tenant = present(await findTenant(inside.tx, tenantId), row);
  const model = present(await findModel(inside.tx, modelId), row);
  const cap = tenant.modelCaps.find((one) => one.model === model.name);
  if (
    canonical(cap?.max_in_flight) !== canonical(row.after?.max_in_flight) ||
    (cap === undefined) !== (row.after === null)
  ) {
    throw new Refusal("changed_since", "The cap was changed since.");
  }
  const target = { tenantId, model: modelId };
  if (row.before === null) await removeModelCap(inside, target);
  else await putModelCap(inside, { ...target, maxInFlight: row.before.max_in_flight as number | null });
}

async function putBackEndpoint(inside: Change, row: AuditRow): Promise<void> {
  const [found] = await inside.tx.select().from(endpoints).where(eq(endpoints.id, row.objectId));
  const endpoint = present(found, row);
  const model = present(await findModel(inside.tx, endpoint.modelId), row);
  checkUnchanged(endpointAudit(endpoint), row);
  await editEndpoint(inside, { model, row: endpoint }, before(row));
}

function present<Row>(found: Row | undefined, row: AuditRow): Row {
  if (found === undefined) throw new Refusal("changed_since", `${row.objectName} is gone.`);
  return found;
}

/** Every field must still have the value that the change gave it. */
function checkUnchanged(current: Record<string, unknown>, row: AuditRow): void {
  for (const [name, value] of Object.entries(row.after ?? {})) {
    if (canonical(current[name]) === canonical(value)) continue;
    const now = canonical(current[name]);
    throw new Refusal("changed_since", `${name} is ${now} now, not ${canonical(value)}.`, name);
  }
}

/** The state before, as a patch; audit rows hold only what may be set. */
function before<Patch>(row: AuditRow): Patch {
  return toRow(row.before ?? {}) as Patch;
}
