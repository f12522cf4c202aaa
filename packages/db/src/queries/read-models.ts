import { and, asc, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import type { Tx } from "../client";
import { endpoints, modelAliases, models } from "../schema";
import { groupRows } from "./group-rows";
import type { EndpointRow, ModelRow } from "./load-models";
import { contains, keySet, type Page, type PageRequest, type SortKey, toPage } from "./paging";

/** A model with its aliases in the order given and its endpoints by priority, then name. */
export type ModelView = ModelRow & { aliases: string[]; endpoints: EndpointRow[] };

const SORTS = {
  name: { expression: sql`"models"."name"`, type: "text" },
  type: { expression: sql`"models"."type"`, type: "text" },
  created_at: { expression: sql`"models"."created_at"`, type: "timestamptz" },
  updated_at: { expression: sql`"models"."updated_at"`, type: "timestamptz" },
} as const satisfies Record<string, SortKey>;

export interface ModelQuery extends PageRequest {
  readonly sort: keyof typeof SORTS;
  /** In the name or an alias. */
  readonly q?: string | undefined;
  readonly type?: ModelRow["type"] | undefined;
  readonly enabled?: boolean | undefined;
  readonly capacityMode?: ModelRow["capacityMode"] | undefined;
}

export async function listModels(db: Tx, query: ModelQuery): Promise<Page<ModelView>> {
  const inName = contains(sql`a.name`, query.q);
  const filter = and(
    inName && sql`exists (select 1 from model_aliases a where a.model_id = "models"."id" and ${inName})`,
    query.type === undefined ? undefined : eq(models.type, query.type),
    query.enabled === undefined ? undefined : eq(models.enabled, query.enabled),
    query.capacityMode === undefined ? undefined : eq(models.capacityMode, query.capacityMode),
  );
  const keys = keySet(SORTS[query.sort], sql`"models"."id"`, query);
  const rows = await db
    .select({ ...getTableColumns(models), sortKey: keys.sortKey })
    .from(models)
    .where(and(filter, keys.after))
    .orderBy(keys.orderBy)
    .limit(query.limit + 1);
  const total = await db.select({ n: sql<number>`count(*)::int` }).from(models).where(filter);
  const page = toPage(rows, query, total[0]?.n ?? 0);
  return { ...page, items: await withParts(db, page.items) };
}

/** By id, name or alias. */
export async function findModel(db: Tx, idOrName: string): Promise<ModelView | undefined> {
  const named = await findModelName(db, idOrName);
  return named === undefined ? undefined : findModelWhere(db, eq(models.id, named.id));
}

/** The id and canonical name behind an id, name or alias. */
export async function findModelName(db: Tx, idOrName: string): Promise<{ id: string; name: string } | undefined> {
  const rows = await db
    .select({ id: models.id, name: models.name })
    .from(modelAliases)
    .innerJoin(models, eq(models.id, modelAliases.modelId))
    .where(sql`${modelAliases.name} = ${idOrName} or ${models.id}::text = ${idOrName.toLowerCase()}`)
    .orderBy(sql`${models.id}::text = ${idOrName.toLowerCase()} desc`)
    .limit(1);
  return rows[0];
}

async function findModelWhere(db: Tx, where: SQL): Promise<ModelView | undefined> {
  const rows = await db.select().from(models).where(where);
  return (await withParts(db, rows))[0];
}

export async function findEndpoint(
  db: Tx,
  target: { modelId: string; endpointId: string },
): Promise<EndpointRow | undefined> {
  const rows = await db
    .select()
    .from(endpoints)
    .where(and(eq(endpoints.id, target.endpointId), eq(endpoints.modelId, target.modelId)));
  return rows[0];
}

async function withParts(db: Tx, rows: readonly ModelRow[]): Promise<ModelView[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const aliasRows = await db
    .select()
    .from(modelAliases)
    .where(and(inArray(modelAliases.modelId, ids), eq(modelAliases.isAlias, true)))
    .orderBy(asc(modelAliases.place), asc(modelAliases.name));
  const endpointRows = await db
    .select()
    .from(endpoints)
    .where(inArray(endpoints.modelId, ids))
    .orderBy(asc(endpoints.priority), asc(endpoints.name));
  const aliasesOf = groupRows(aliasRows, (row) => row.modelId);
  const endpointsOf = groupRows(endpointRows, (row) => row.modelId);
  return rows.map((row) => ({
    ...row,
    aliases: (aliasesOf.get(row.id) ?? []).map((alias) => alias.name),
    endpoints: endpointsOf.get(row.id) ?? [],
  }));
}
