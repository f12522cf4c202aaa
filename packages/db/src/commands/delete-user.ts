import { eq } from "drizzle-orm";
import type { Db } from "../client";
import { findUser } from "../queries/read-users";
import { users } from "../schema";
import { type ChangeContext, type Changed, change } from "./change";
import { checkVersion, notFound } from "./refusal";
import { checkNotLastAdmin } from "./update-user";

/** Removes a user; their sessions end at once. */
export function deleteUser(
  db: Db,
  context: ChangeContext,
  target: { id: string; expectedVersion?: number | undefined },
): Promise<Changed<undefined>> {
  return change(db, context, async (inside) => {
    const row = await findUser(inside.tx, target.id);
    if (row === undefined) throw notFound("user");
    checkVersion(row, target.expectedVersion);
    if (row.role === "admin") await checkNotLastAdmin(inside, row.id);
    await inside.tx.delete(users).where(eq(users.id, row.id));
    const before = { email: row.email, role: row.role };
    inside.audit({ action: "user.delete", type: "user", id: row.id, name: row.email, before, after: null });
    inside.touch({ kind: "user", id: row.id });
    return undefined;
  });
}
