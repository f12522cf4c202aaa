import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { Tx } from "../client";
import { boosts, models, tenants } from "../schema";
import { keySet, type Page, type PageRequest, type SortKey, toPage } from "./paging";

const fields = {
  ...getTableColumns(boosts),
  tenantName: sql<string>`"tenants"."name"`,
  tenantWeight: sql<number>`"tenants"."weight"`,
  model: sql<string | null>`"models"."name"`,
};

/** A boost with the names of its tenant and model. */
export type BoostView = typeof boosts.$inferSelect & {
  tenantName: string;
  tenantWeight: number;
  /** Null: every pool. */
  model: string | null;
};

const SORTS = {
  created_at: { expression: sql`"boosts"."created_at"`, type: "timestamptz" },
  expires_at: { expression: sql`"boosts"."expires_at"`, type: "timestamptz" },
} as const satisfies Record<string, SortKey>;

export interface BoostQuery extends PageRequest {
  readonly sort: keyof typeof SORTS;
  readonly state: "active" | "ended" | "all";
  readonly tenantId?: string | undefined;
  readonly nowMs: number;
}

export async function listBoosts(db: Tx, query: BoostQuery): Promise<Page<BoostView>> {
  const now = new Date(query.nowMs).toISOString();
  const open = sql`("boosts"."ended_at" is null and "boosts"."expires_at" > ${now}::timestamptz)`;
  const filter = and(
    query.state === "all" ? undefined : query.state === "active" ? open : sql`not ${open}`,
    query.tenantId === undefined ? undefined : eq(boosts.tenantId, query.tenantId),
  );
  const keys = keySet(SORTS[query.sort], sql`"boosts"."id"`, query);
  const rows = await db
    .select({ ...fields, sortKey: keys.sortKey })
    .from(boosts)
    .innerJoin(tenants, eq(tenants.id, boosts.tenantId))
    .leftJoin(models, eq(models.id, boosts.modelId))
    .where(and(filter, keys.after))
    .orderBy(keys.orderBy)
    .limit(query.limit + 1);
  const total = await db.select({ n: sql<number>`count(*)::int` }).from(boosts).where(filter);
  return toPage(rows, query, total[0]?.n ?? 0);
}

export async function findBoost(db: Tx, id: string): Promise<BoostView | undefined> {
  const rows = await db
    .select(fields)
    .from(boosts)
    .innerJoin(tenants, eq(tenants.id, boosts.tenantId))
    .leftJoin(models, eq(models.id, boosts.modelId))
    .where(eq(boosts.id, id));
  return rows[0];
}
