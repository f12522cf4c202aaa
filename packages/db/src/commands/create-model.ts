import type { Db } from "../client";
import type { EndpointRow } from "../queries/load-models";
import { findModel, type ModelView } from "../queries/read-models";
import { models } from "../schema";
import { type Change, type ChangeContext, type Changed, change } from "./change";
import { endpointAudit, insertEndpoint, type NewEndpoint } from "./endpoint-fields";
import { checkFreeName, checkModel, claimNames, type ModelFields, modelAudit, modelFields } from "./model-fields";

export interface NewModel {
  /** Left out: a fresh one. */
  readonly id?: string | undefined;
  readonly fields: ModelFields;
  readonly endpoints: readonly NewEndpoint[];
}

/**
 * Registers a model with its endpoints. Refuses a name or alias that any model has, and fields that do not go together.
 */
export function createModel(db: Db, context: ChangeContext, model: NewModel): Promise<Changed<ModelView>> {
  return change(db, context, (inside) => addModel(inside, model));
}

export async function addModel(inside: Change, { id, fields, endpoints }: NewModel): Promise<ModelView> {
  checkModel(
    fields,
    endpoints.map((endpoint) => endpoint.maxInFlight),
  );
  await checkFreeName(inside, fields.name);
  const { aliases: _aliases, ...columns } = fields;
  const [added] = await inside.tx
    .insert(models)
    .values({ ...columns, ...(id === undefined ? {} : { id }), createdAt: inside.now, updatedAt: inside.now })
    .returning({ id: models.id });
  if (added === undefined) throw new Error("an insert returned no row");
  await claimNames(inside, added.id, fields);
  const made: EndpointRow[] = [];
  for (const endpoint of endpoints) {
    made.push(await insertEndpoint(inside, { id: added.id, endpoints: made }, endpoint));
  }
  const view = await findModel(inside.tx, added.id);
  if (view === undefined) throw new Error("a row just inserted is not there");
  const after = { ...modelAudit(modelFields(view)), endpoints: view.endpoints.map(endpointAudit) };
  inside.audit({ action: "model.create", type: "model", id: view.id, name: view.name, before: null, after });
  inside.touch({ kind: "model", id: view.id });
  return view;
}
