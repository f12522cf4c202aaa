/** Every registered model with its names and endpoints, for the gateway's directory. Credentials stay sealed. */
import { asc, eq } from "drizzle-orm";
import type { Tx } from "../client";
import { endpoints, modelAliases, models } from "../schema";
import { groupRows } from "./group-rows";

export type ModelRow = typeof models.$inferSelect;
export type EndpointRow = typeof endpoints.$inferSelect;

export interface LoadedModel {
  readonly model: ModelRow;
  /** In the order given. */
  readonly aliases: readonly string[];
  /** By priority, then name. */
  readonly endpoints: readonly EndpointRow[];
}

/** All of them, sorted by name: three statements, however many models. */
export async function loadModels(db: Tx): Promise<LoadedModel[]> {
  const modelRows = await db.select().from(models).orderBy(asc(models.name));
  const aliasRows = await db
    .select()
    .from(modelAliases)
    .where(eq(modelAliases.isAlias, true))
    .orderBy(asc(modelAliases.place), asc(modelAliases.name));
  const endpointRows = await db.select().from(endpoints).orderBy(asc(endpoints.priority), asc(endpoints.name));
  const aliasesOf = groupRows(aliasRows, (row) => row.modelId);
  const endpointsOf = groupRows(endpointRows, (row) => row.modelId);
  return modelRows.map((model) => ({
    model,
    aliases: (aliasesOf.get(model.id) ?? []).map((row) => row.name),
    endpoints: endpointsOf.get(model.id) ?? [],
  }));
}
