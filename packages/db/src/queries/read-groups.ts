import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Tx } from "../client";
import { groups } from "../schema";
import { contains, keySet, type Page, type PageRequest, type SortKey, toPage } from "./paging";

const fields = {
  ...getTableColumns(groups),
  tenantCount: sql<number>`(select count(*)::int from tenants t where t.group_id = "groups"."id")`,
};

/** A group with how many tenants are in it. */
export type GroupRow = typeof groups.$inferSelect & { tenantCount: number };

const SORTS = {
  name: { expression: sql`"groups"."name"`, type: "text" },
  weight: { expression: sql`"groups"."weight"::bigint`, type: "bigint" },
  created_at: { expression: sql`"groups"."created_at"`, type: "timestamptz" },
} as const satisfies Record<string, SortKey>;

export interface GroupQuery extends PageRequest {
  readonly sort: keyof typeof SORTS;
  readonly q?: string | undefined;
}

export async function listGroups(db: Tx, query: GroupQuery): Promise<Page<GroupRow>> {
  const filter = contains(sql`"groups"."name"`, query.q);
  const keys = keySet(SORTS[query.sort], sql`"groups"."id"`, query);
  const rows = await db
    .select({ ...fields, sortKey: keys.sortKey })
    .from(groups)
    .where(and(filter, keys.after))
    .orderBy(keys.orderBy)
    .limit(query.limit + 1);
  const total = await db.select({ n: sql<number>`count(*)::int` }).from(groups).where(filter);
  return toPage(rows, query, total[0]?.n ?? 0);
}

export async function findGroup(db: Tx, name: string): Promise<GroupRow | undefined> {
  return firstGroup(db, eq(groups.name, name));
}

export async function findGroupById(db: Tx, id: string): Promise<GroupRow | undefined> {
  return firstGroup(db, eq(groups.id, id));
}

async function firstGroup(db: Tx, where: SQL): Promise<GroupRow | undefined> {
  const rows = await db.select(fields).from(groups).where(where);
  return rows[0];
}
