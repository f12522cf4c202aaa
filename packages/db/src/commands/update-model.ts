import { arrayContains, eq, sql } from "drizzle-orm";
import type { Db } from "../client";
import { difference } from "../json-record";
import { findModel, type ModelView } from "../queries/read-models";
import { endpoints, models, tenants } from "../schema";
import { type Change, type ChangeContext, type Changed, change } from "./change";
import { editEndpointRow, endpointAudit, insertEndpoint, type NewEndpoint } from "./endpoint-fields";
import { checkModel, claimNames, type ModelPatch, modelAudit, modelFields } from "./model-fields";
import { checkVersion, notFound } from "./refusal";
import { withPatch } from "./tenant-fields";

export interface ModelEdit {
  readonly patch: ModelPatch;
  /** Undefined leaves the endpoints as they are; otherwise exactly these, matched by name. */
  readonly endpoints?: readonly NewEndpoint[] | undefined;
}

/** Changes what is given; absent means unchanged, null clears. The target is an id, name or alias. */
export function updateModel(
  db: Db,
  context: ChangeContext,
  edit: ModelEdit & { target: string; expectedVersion?: number | undefined },
): Promise<Changed<ModelView>> {
  return change(db, context, async (inside) => {
    const view = await findModel(inside.tx, edit.target);
    if (view === undefined) throw notFound("model");
    checkVersion(view, edit.expectedVersion);
    return editModel(inside, view, edit);
  });
}

export async function editModel(inside: Change, view: ModelView, edit: ModelEdit): Promise<ModelView> {
  const before = modelFields(view);
  const after = withPatch(before, edit.patch);
  const endpointCaps = (edit.endpoints ?? view.endpoints).map((endpoint) => endpoint.maxInFlight);
  checkModel(after, endpointCaps);
  const changed = difference(modelAudit(before), modelAudit(after));
  const areEndpointsChanged = edit.endpoints !== undefined && (await replaceEndpoints(inside, view, edit.endpoints));
  if (changed === null && !areEndpointsChanged) return view;

  const { aliases: _aliases, ...columns } = after;
  const tuned =
    after.capacityMode === "tuned" && (before.capacityMode !== "tuned" || before.maxInFlight !== after.maxInFlight)
      ? { tunedAt: inside.now, tunedBy: inside.context.actor }
      : {};
  await inside.tx
    .update(models)
    .set({ ...columns, ...tuned, version: sql`version + 1`, updatedAt: inside.now })
    .where(eq(models.id, view.id));
  if (changed !== null && ("name" in changed.after || "aliases" in changed.after)) {
    await claimNames(inside, view.id, after);
  }
  if (after.name !== before.name) await renameEverywhere(inside, { from: before.name, to: after.name });
  const saved = await findModel(inside.tx, view.id);
  if (saved === undefined) throw notFound("model");
  const record = changed ?? { before: {}, after: {} };
  if (areEndpointsChanged) {
    record.before.endpoints = view.endpoints.map(endpointAudit);
    record.after.endpoints = saved.endpoints.map(endpointAudit);
  }
  inside.audit({
    action: "model.update",
    type: "model",
    id: view.id,
    name: saved.name,
    ...record,
    isReversible: !areEndpointsChanged,
  });
  inside.touch({ kind: "model", id: view.id });
  return saved;
}

/** Allowlists name models; caps and boosts of the old name are in caches of tenants, so all of them are read again. */
async function renameEverywhere(inside: Change, names: { from: string; to: string }): Promise<void> {
  await inside.tx
    .update(tenants)
    .set({ allowedModels: sql`array_replace(${tenants.allowedModels}, ${names.from}, ${names.to})` })
    .where(arrayContains(tenants.allowedModels, [names.from]));
  inside.touchAll();
}

/** Returns whether anything changed. */
async function replaceEndpoints(inside: Change, view: ModelView, wanted: readonly NewEndpoint[]): Promise<boolean> {
  let isChanged = false;
  const kept = new Set<string>();
  const present = [...view.endpoints];
  for (const endpoint of wanted) {
    const row = present.find((one) => one.name === endpoint.name && !kept.has(one.id));
    if (row === undefined) {
      const added = await insertEndpoint(inside, { id: view.id, endpoints: present }, endpoint);
      present.push(added);
      kept.add(added.id);
      isChanged = true;
      continue;
    }
    kept.add(row.id);
    const { id: _id, ...patch } = endpoint;
    const { changed } = await editEndpointRow(inside, row, patch);
    isChanged ||= changed !== null;
  }
  for (const row of view.endpoints) {
    if (kept.has(row.id)) continue;
    await inside.tx.delete(endpoints).where(eq(endpoints.id, row.id));
    isChanged = true;
  }
  return isChanged;
}
