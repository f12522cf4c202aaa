import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Tx } from "../client";
import { keys, tenants } from "../schema";
import { contains, keySet, type Page, type PageRequest, type SortKey, toPage } from "./paging";

const { secretHash: _secretHash, previousSecretHash: _previousSecretHash, ...shown } = getTableColumns(keys);

const fields = {
  ...shown,
  tenantName: sql<string>`"tenants"."name"`,
  timezone: sql<string>`"tenants"."timezone"`,
};

/** A key without its hashes, with its tenant's name. */
export type KeyRow = Omit<typeof keys.$inferSelect, "secretHash" | "previousSecretHash"> & {
  tenantName: string;
  /** The tenant's, in which monthly terms are counted. */
  timezone: string;
};

const SORTS = {
  name: { expression: sql`"keys"."name"`, type: "text" },
  tenant: { expression: sql`"tenants"."name"`, type: "text" },
  weight: { expression: sql`"keys"."weight"::bigint`, type: "bigint" },
  created_at: { expression: sql`"keys"."created_at"`, type: "timestamptz" },
  last_used: { expression: sql`coalesce("keys"."last_used_at", to_timestamp(0))`, type: "timestamptz" },
} as const satisfies Record<string, SortKey>;

export interface KeyQuery extends PageRequest {
  readonly sort: keyof typeof SORTS;
  readonly q?: string | undefined;
  readonly tenantId?: string | undefined;
  readonly state?: "active" | "disabled" | "expired" | "rotating" | undefined;
  /** Only keys not used for so many days. */
  readonly unusedDays?: number | undefined;
  readonly nowMs: number;
}

export async function listKeys(db: Tx, query: KeyQuery): Promise<Page<KeyRow>> {
  const now = new Date(query.nowMs).toISOString();
  const filter = and(
    query.q === undefined
      ? undefined
      : sql`(${contains(sql`"keys"."name"`, query.q)} or ${contains(sql`"keys"."prefix"`, query.q)})`,
    query.tenantId === undefined ? undefined : eq(keys.tenantId, query.tenantId),
    query.state === undefined ? undefined : inState(query.state, now),
    query.unusedDays === undefined
      ? undefined
      : sql`coalesce("keys"."last_used_at", "keys"."created_at") < ${now}::timestamptz - make_interval(days => ${query.unusedDays}::int)`,
  );
  const key = keySet(SORTS[query.sort], sql`"keys"."id"`, query);
  const rows = await db
    .select({ ...fields, sortKey: key.sortKey })
    .from(keys)
    .innerJoin(tenants, eq(tenants.id, keys.tenantId))
    .where(and(filter, key.after))
    .orderBy(key.orderBy)
    .limit(query.limit + 1);
  const total = await db
    .select({ n: sql<number>`count(*)::int` })
    .from(keys)
    .innerJoin(tenants, eq(tenants.id, keys.tenantId))
    .where(filter);
  return toPage(rows, query, total[0]?.n ?? 0);
}

export async function findKey(db: Tx, id: string): Promise<KeyRow | undefined> {
  const rows = await db
    .select(fields)
    .from(keys)
    .innerJoin(tenants, eq(tenants.id, keys.tenantId))
    .where(eq(keys.id, id));
  return rows[0];
}

function inState(state: "active" | "disabled" | "expired" | "rotating", now: string): SQL {
  switch (state) {
    case "disabled":
      return sql`"keys"."disabled"`;
    case "expired":
      return sql`"keys"."expires_at" <= ${now}::timestamptz`;
    case "rotating":
      return sql`"keys"."previous_secret_expires_at" > ${now}::timestamptz`;
    case "active":
      return sql`not "keys"."disabled" and ("keys"."expires_at" is null or "keys"."expires_at" > ${now}::timestamptz)`;
  }
}
