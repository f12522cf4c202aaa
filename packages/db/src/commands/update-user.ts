import { and, eq, ne, sql } from "drizzle-orm";
import type { Db } from "../client";
import { difference } from "../json-record";
import { findUser, findUserByEmail, type UserRow } from "../queries/read-users";
import { users } from "../schema";
import { type Change, type ChangeContext, type Changed, change } from "./change";
import { checkVersion, notFound, Refusal } from "./refusal";

export interface UserPatch {
  readonly email?: string | undefined;
  readonly role?: "admin" | "viewer" | undefined;
}

/** Changes what is given. The last admin stays one. */
export function updateUser(
  db: Db,
  context: ChangeContext,
  edit: { id: string; expectedVersion?: number | undefined; patch: UserPatch },
): Promise<Changed<UserRow>> {
  return change(db, context, async (inside) => {
    const row = await findUser(inside.tx, edit.id);
    if (row === undefined) throw notFound("user");
    checkVersion(row, edit.expectedVersion);
    return editUser(inside, row, edit.patch);
  });
}

export async function editUser(inside: Change, row: UserRow, patch: UserPatch): Promise<UserRow> {
  const next = { email: patch.email?.toLowerCase() ?? row.email, role: patch.role ?? row.role };
  const changed = difference({ email: row.email, role: row.role }, next);
  if (changed === null) return row;
  if (next.email !== row.email && (await findUserByEmail(inside.tx, next.email)) !== undefined) {
    throw new Refusal("already_exists", `There is a user with the email ${next.email} already.`, "email");
  }
  if (row.role === "admin" && next.role !== "admin") await checkNotLastAdmin(inside, row.id);
  await inside.tx
    .update(users)
    .set({ ...next, version: sql`version + 1`, updatedAt: inside.now })
    .where(eq(users.id, row.id));
  inside.audit({ action: "user.update", type: "user", id: row.id, name: next.email, ...changed, isReversible: true });
  inside.touch({ kind: "user", id: row.id });
  return { ...row, ...next, version: row.version + 1, updatedAt: inside.now };
}

/** Refuses when nobody else could administer. Changes take turns, so two admins cannot remove each other. */
export async function checkNotLastAdmin(inside: Change, userId: string): Promise<void> {
  const others = await inside.tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.role, "admin"), ne(users.id, userId)))
    .limit(1);
  if (others.length === 0) {
    throw new Refusal("last_admin", "This is the last admin; give the role to somebody else first.", "role");
  }
}
