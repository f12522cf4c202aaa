/** What can be set on a model, the rules between its fields, and its claim on names. */
import { eq, inArray } from "drizzle-orm";
import { toJson } from "../json-record";
import type { ModelRow } from "../queries/load-models";
import type { ModelView } from "../queries/read-models";
import { modelAliases, models } from "../schema";
import type { Change } from "./change";
import { Refusal } from "./refusal";

/** The pool of names that no model is registered under; no model may be called so. */
const UNROUTED = "(unrouted)";

export type ModelFields = Omit<ModelRow, "id" | "version" | "createdAt" | "updatedAt" | "tunedAt" | "tunedBy"> & {
  readonly aliases: readonly string[];
};
export type ModelPatch = { readonly [Name in keyof ModelFields]?: ModelFields[Name] | undefined };

export function modelFields(view: ModelView): ModelFields {
  const {
    id: _id,
    endpoints: _endpoints,
    version: _version,
    createdAt: _created,
    updatedAt: _updated,
    tunedAt: _tunedAt,
    tunedBy: _tunedBy,
    ...fields
  } = view;
  return fields;
}

export const modelAudit = (fields: ModelFields): Record<string, unknown> => toJson(fields);

/** Refuses what no single field shows: names that repeat, a discovered size without anything to multiply. */
export function checkModel(fields: ModelFields, endpointCaps: readonly (number | null)[]): void {
  if (fields.name === UNROUTED) throw new Refusal("invalid_request", `${UNROUTED} is not a model's name.`, "name");
  const names = new Set([fields.name]);
  for (const [index, alias] of fields.aliases.entries()) {
    if (names.has(alias)) throw new Refusal("invalid_request", `${alias} is given twice.`, `aliases.${index}`);
    names.add(alias);
  }
  if (fields.capacityMode !== "discovered") return;
  const needsSize =
    fields.capacitySource !== "endpoints" || endpointCaps.some((cap) => cap === null) || endpointCaps.length === 0;
  if (fields.perReplicaMaxInFlight === null && needsSize) {
    const message = "A discovered size needs per_replica_max_in_flight, or a cap on every endpoint.";
    throw new Refusal("invalid_request", message, "per_replica_max_in_flight");
  }
  if (fields.capacitySource === "kubernetes" && fields.kubernetes === null) {
    throw new Refusal("invalid_request", "The source kubernetes needs a namespace and a service.", "kubernetes");
  }
  if (fields.capacitySource === "dns" && fields.dns === null) {
    throw new Refusal("invalid_request", "The source dns needs a name.", "dns");
  }
}

/** Registers the model's name and aliases as its own; refuses one that another model has. */
export async function claimNames(inside: Change, modelId: string, fields: ModelFields): Promise<void> {
  const wanted = [fields.name, ...fields.aliases];
  await inside.tx.delete(modelAliases).where(eq(modelAliases.modelId, modelId));
  const taken = await inside.tx
    .select({ name: modelAliases.name, owner: models.name })
    .from(modelAliases)
    .innerJoin(models, eq(models.id, modelAliases.modelId))
    .where(inArray(modelAliases.name, wanted));
  const conflict = taken[0];
  if (conflict !== undefined) {
    const field = conflict.name === fields.name ? "name" : `aliases.${fields.aliases.indexOf(conflict.name)}`;
    throw new Refusal("already_exists", `${conflict.name} is a name of the model ${conflict.owner} already.`, field);
  }
  await inside.tx
    .insert(modelAliases)
    .values(wanted.map((name, place) => ({ name, modelId, isAlias: place > 0, place })));
}

/** `name` on insert is unique in the table too; this gives the clear answer first. */
export async function checkFreeName(inside: Change, name: string): Promise<void> {
  const rows = await inside.tx
    .select({ owner: models.name })
    .from(modelAliases)
    .innerJoin(models, eq(models.id, modelAliases.modelId))
    .where(eq(modelAliases.name, name));
  const owner = rows[0]?.owner;
  if (owner !== undefined) {
    throw new Refusal("already_exists", `${name} is a name of the model ${owner} already.`, "name");
  }
}
