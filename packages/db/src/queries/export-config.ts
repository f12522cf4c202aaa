/** The whole configuration as one file in the API's names. Secrets only as hashes, or sealed under the encryption key. */
import { asc, eq, getTableColumns, sql } from "drizzle-orm";
import type { Tx } from "../client";
import { readGlobalCeiling } from "../commands/set-global-ceiling";
import { toJson } from "../json-record";
import { boosts, groups, keys, models, tenants } from "../schema";
import { loadModels } from "./load-models";
import { tenantSelection } from "./read-tenants";

/** Ordered by name, then id, so that two exports of the same configuration are the same text. */
export async function exportConfig(db: Tx, nowMs: number) {
  const now = new Date(nowMs).toISOString();
  const groupRows = await db.select().from(groups).orderBy(asc(groups.name));
  const tenantRows = await db
    .select(tenantSelection)
    .from(tenants)
    .innerJoin(groups, eq(groups.id, tenants.groupId))
    .orderBy(asc(tenants.name));
  const keyRows = await db.select().from(keys).orderBy(asc(keys.name), asc(keys.id));
  const boostRows = await db
    .select({ ...getTableColumns(boosts), model: models.name })
    .from(boosts)
    .leftJoin(models, eq(models.id, boosts.modelId))
    .where(sql`${boosts.endedAt} is null and ${boosts.expiresAt} > ${now}::timestamptz`)
    .orderBy(asc(boosts.createdAt), asc(boosts.id));
  const ceiling = await readGlobalCeiling(db);
  return {
    groups: groupRows.map(({ name, weight, color }) => ({ name, weight, color })),
    models: (await loadModels(db)).map(exportedModel),
    tenants: tenantRows.map(({ groupId: _g, keyCount: _k, version: _v, createdAt: _c, updatedAt: _u, ...row }) =>
      toJson(row),
    ),
    keys: keyRows.map(
      ({ lastUsedAt: _l, previousSecretLastUsedAt: _p, version: _v, createdAt: _c, updatedAt: _u, ...row }) =>
        toJson(row),
    ),
    boosts: boostRows.map(({ id, tenantId, model, factor, weight, reason, expiresAt, createdBy }) =>
      toJson({ id, tenantId, model, factor, weight, reason, expiresAt, createdBy }),
    ),
    global_max_in_flight: ceiling.value,
  };
}

function exportedModel({ model, aliases, endpoints }: Awaited<ReturnType<typeof loadModels>>[number]) {
  const { version: _v, createdAt: _c, updatedAt: _u, tunedAt: _t, tunedBy: _b, tokenizer, ...fields } = model;
  return {
    ...toJson(fields),
    tokenizer: tokenizer as "o200k_base" | "cl100k_base" | null,
    aliases: [...aliases],
    endpoints: endpoints.map(({ modelId: _m, version: _ev, createdAt: _ec, updatedAt: _eu, ...endpoint }) =>
      toJson(endpoint),
    ),
  };
}

export type ConfigContent = Awaited<ReturnType<typeof exportConfig>>;
