import type { Db } from "../client";
import type { EndpointRow } from "../queries/load-models";
import { findModel } from "../queries/read-models";
import { type ChangeContext, type Changed, change } from "./change";
import { endpointAudit, insertEndpoint, type NewEndpoint } from "./endpoint-fields";
import { checkModel, modelFields } from "./model-fields";
import { notFound } from "./refusal";

/** Adds an endpoint to a model, given by id, name or alias. */
export function createEndpoint(
  db: Db,
  context: ChangeContext,
  wanted: { model: string; endpoint: NewEndpoint },
): Promise<Changed<EndpointRow>> {
  return change(db, context, async (inside) => {
    const model = await findModel(inside.tx, wanted.model);
    if (model === undefined) throw notFound("model");
    checkModel(
      modelFields(model),
      [...model.endpoints, wanted.endpoint].map((endpoint) => endpoint.maxInFlight),
    );
    const row = await insertEndpoint(inside, model, wanted.endpoint);
    inside.audit({
      action: "endpoint.create",
      type: "endpoint",
      id: row.id,
      name: `${row.name} of ${model.name}`,
      before: null,
      after: endpointAudit(row),
    });
    inside.touch({ kind: "model", id: model.id });
    return row;
  });
}
