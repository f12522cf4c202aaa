import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Tx } from "../client";
import { groups, tenants } from "../schema";
import { contains, keySet, type Page, type PageRequest, type SortKey, toPage } from "./paging";

/** As the API gives it. */
export interface ModelCapJson {
  model: string;
  max_in_flight: number | null;
}

export const tenantSelection = {
  ...getTableColumns(tenants),
  group: sql<string>`"groups"."name"`,
  keyCount: sql<number>`(select count(*)::int from keys k where k.tenant_id = "tenants"."id")`,
  modelCaps: sql<ModelCapJson[]>`(
    select coalesce(jsonb_agg(jsonb_build_object('model', m.name, 'max_in_flight', c.max_in_flight) order by m.name), '[]')
    from tenant_model_caps c join models m on m.id = c.model_id where c.tenant_id = "tenants"."id")`,
};

/** A tenant with its group's name, its caps by model and how many keys it has. */
export type TenantRow = typeof tenants.$inferSelect & { group: string; keyCount: number; modelCaps: ModelCapJson[] };

const SORTS = {
  name: { expression: sql`"tenants"."name"`, type: "text" },
  group: { expression: sql`"groups"."name"`, type: "text" },
  weight: { expression: sql`"tenants"."weight"::bigint`, type: "bigint" },
  created_at: { expression: sql`"tenants"."created_at"`, type: "timestamptz" },
  updated_at: { expression: sql`"tenants"."updated_at"`, type: "timestamptz" },
} as const satisfies Record<string, SortKey>;

export interface TenantQuery extends PageRequest {
  readonly sort: keyof typeof SORTS;
  readonly q?: string | undefined;
  readonly group?: string | undefined;
  readonly status?: "active" | "suspended" | undefined;
}

export async function listTenants(db: Tx, query: TenantQuery): Promise<Page<TenantRow>> {
  const filter = and(
    contains(sql`"tenants"."name"`, query.q),
    query.group === undefined ? undefined : eq(groups.name, query.group),
    query.status === undefined ? undefined : eq(tenants.status, query.status),
  );
  const keys = keySet(SORTS[query.sort], sql`"tenants"."id"`, query);
  const rows = await db
    .select({ ...tenantSelection, sortKey: keys.sortKey })
    .from(tenants)
    .innerJoin(groups, eq(groups.id, tenants.groupId))
    .where(and(filter, keys.after))
    .orderBy(keys.orderBy)
    .limit(query.limit + 1);
  const total = await db
    .select({ n: sql<number>`count(*)::int` })
    .from(tenants)
    .innerJoin(groups, eq(groups.id, tenants.groupId))
    .where(filter);
  return toPage(rows, query, total[0]?.n ?? 0);
}

export async function findTenant(db: Tx, id: string): Promise<TenantRow | undefined> {
  return firstTenant(db, eq(tenants.id, id));
}

export async function findTenantByName(db: Tx, name: string): Promise<TenantRow | undefined> {
  return firstTenant(db, eq(tenants.name, name));
}

async function firstTenant(db: Tx, where: SQL): Promise<TenantRow | undefined> {
  const rows = await db
    .select(tenantSelection)
    .from(tenants)
    .innerJoin(groups, eq(groups.id, tenants.groupId))
    .where(where);
  return rows[0];
}
