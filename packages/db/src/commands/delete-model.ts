import { eq } from "drizzle-orm";
import type { Db } from "../client";
import { findModel } from "../queries/read-models";
import { models } from "../schema";
import { type ChangeContext, type Changed, change } from "./change";
import { endpointAudit } from "./endpoint-fields";
import { modelAudit, modelFields } from "./model-fields";
import { checkVersion, notFound } from "./refusal";

/** Deletes a model with its endpoints, and the caps and boosts that are for it alone. */
export function deleteModel(
  db: Db,
  context: ChangeContext,
  edit: { target: string; expectedVersion?: number | undefined },
): Promise<Changed<undefined>> {
  return change(db, context, async (inside) => {
    const view = await findModel(inside.tx, edit.target);
    if (view === undefined) throw notFound("model");
    checkVersion(view, edit.expectedVersion);
    await inside.tx.delete(models).where(eq(models.id, view.id));
    const before = { ...modelAudit(modelFields(view)), endpoints: view.endpoints.map(endpointAudit) };
    inside.audit({ action: "model.delete", type: "model", id: view.id, name: view.name, before, after: null });
    inside.touchAll();
    return undefined;
  });
}
