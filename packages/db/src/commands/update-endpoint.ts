import type { Db } from "../client";
import type { EndpointRow } from "../queries/load-models";
import { findModel, type ModelView } from "../queries/read-models";
import { type Change, type ChangeContext, type Changed, change } from "./change";
import { type EndpointPatch, editEndpointRow } from "./endpoint-fields";
import { checkModel, modelFields } from "./model-fields";
import { checkVersion, notFound } from "./refusal";

export interface EndpointTarget {
  /** A model's id, name or alias. */
  readonly model: string;
  readonly endpointId: string;
  readonly expectedVersion?: number | undefined;
}

/** Changes what is given; absent means unchanged, null clears. A changed credential cannot be reverted. */
export function updateEndpoint(
  db: Db,
  context: ChangeContext,
  edit: EndpointTarget & { patch: EndpointPatch },
): Promise<Changed<EndpointRow>> {
  return change(db, context, async (inside) => {
    const model = await findModel(inside.tx, edit.model);
    if (model === undefined) throw notFound("model");
    const row = model.endpoints.find((one) => one.id === edit.endpointId);
    if (row === undefined) throw notFound("endpoint of this model");
    checkVersion(row, edit.expectedVersion);
    return editEndpoint(inside, { model, row }, edit.patch);
  });
}

export async function editEndpoint(
  inside: Change,
  { model, row }: { model: ModelView; row: EndpointRow },
  patch: EndpointPatch,
): Promise<EndpointRow> {
  const { saved, changed, isSecretChanged } = await editEndpointRow(inside, row, patch);
  if (changed === null) return row;
  const caps = model.endpoints.map((one) => (one.id === row.id ? saved : one).maxInFlight);
  checkModel(modelFields(model), caps);
  inside.audit({
    action: "endpoint.update",
    type: "endpoint",
    id: row.id,
    name: `${saved.name} of ${model.name}`,
    ...changed,
    isReversible: !isSecretChanged,
  });
  inside.touch({ kind: "model", id: model.id });
  return saved;
}
