import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { Tx } from "../client";
import { sessions, users } from "../schema";
import { contains, keySet, type Page, type PageRequest, type SortKey, toPage } from "./paging";

const { passwordHash: _passwordHash, ...shown } = getTableColumns(users);
const fields = {
  ...shown,
  activeSessions: sql<number>`(select count(*)::int from sessions s where s.user_id = "users"."id" and s.expires_at > now())`,
};

/** A user without the password's hash. */
export type UserRow = Omit<typeof users.$inferSelect, "passwordHash"> & { activeSessions: number };

const SORTS = {
  email: { expression: sql`"users"."email"`, type: "text" },
  role: { expression: sql`"users"."role"`, type: "text" },
  created_at: { expression: sql`"users"."created_at"`, type: "timestamptz" },
  last_sign_in: { expression: sql`coalesce("users"."last_sign_in_at", to_timestamp(0))`, type: "timestamptz" },
} as const satisfies Record<string, SortKey>;

export interface UserQuery extends PageRequest {
  readonly sort: keyof typeof SORTS;
  readonly q?: string | undefined;
  readonly role?: UserRow["role"] | undefined;
}

export async function listUsers(db: Tx, query: UserQuery): Promise<Page<UserRow>> {
  const filter = and(
    contains(sql`"users"."email"`, query.q),
    query.role === undefined ? undefined : eq(users.role, query.role),
  );
  const keys = keySet(SORTS[query.sort], sql`"users"."id"`, query);
  const rows = await db
    .select({ ...fields, sortKey: keys.sortKey })
    .from(users)
    .where(and(filter, keys.after))
    .orderBy(keys.orderBy)
    .limit(query.limit + 1);
  const total = await db.select({ n: sql<number>`count(*)::int` }).from(users).where(filter);
  return toPage(rows, query, total[0]?.n ?? 0);
}

export async function findUser(db: Tx, id: string): Promise<UserRow | undefined> {
  return (await db.select(fields).from(users).where(eq(users.id, id)))[0];
}

export async function findUserByEmail(db: Tx, email: string): Promise<UserRow | undefined> {
  return (await db.select(fields).from(users).where(eq(users.email, email.toLowerCase())))[0];
}

/** The hash to check a password against; null when none was chosen yet or there is no such user. */
export async function findPasswordHash(db: Tx, userId: string): Promise<string | null> {
  const rows = await db.select({ hash: users.passwordHash }).from(users).where(eq(users.id, userId));
  return rows[0]?.hash ?? null;
}

/** Nobody can sign in yet: no user has a password. */
export async function isFirstRun(db: Tx): Promise<boolean> {
  const rows = await db.select({ id: users.id }).from(users).where(sql`password_hash is not null`).limit(1);
  return rows.length === 0;
}

export interface SessionRow {
  readonly id: string;
  readonly expiresAt: Date;
  readonly user: UserRow;
}

/** The session of a token that has not expired at `nowMs`. */
export async function findSession(
  db: Tx,
  lookup: { tokenHash: string; nowMs: number },
): Promise<SessionRow | undefined> {
  const rows = await db
    .select({ id: sessions.id, expiresAt: sessions.expiresAt, user: fields })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        eq(sessions.tokenHash, lookup.tokenHash),
        sql`${sessions.expiresAt} > ${new Date(lookup.nowMs).toISOString()}::timestamptz`,
      ),
    );
  return rows[0];
}
