import { and, eq, gt, lt, ne, sql } from "drizzle-orm";
import type { Db } from "../client";
import { findUser, type UserRow } from "../queries/read-users";
import { resetTokens, sessions, users } from "../schema";
import { type Change, type ChangeContext, type Changed, change } from "./change";
import { notFound, Refusal } from "./refusal";

/** Sets a password and ends every session of the user but `keepSessionId`. */
export function setPassword(
  db: Db,
  context: ChangeContext,
  wanted: { userId: string; passwordHash: string; keepSessionId?: string },
): Promise<Changed<UserRow>> {
  return change(db, context, (inside) => storePassword(inside, wanted));
}

export const USED_LINK = "The link has expired or was used already; ask for another.";

/** Makes a link token for a user; an older one stops working. */
export function createResetToken(
  db: Db,
  context: ChangeContext,
  wanted: { userId: string; tokenHash: string; expiresAt: Date },
): Promise<Changed<UserRow>> {
  return change(db, context, async (inside) => {
    const user = await findUser(inside.tx, wanted.userId);
    if (user === undefined) throw notFound("user");
    await inside.tx.delete(resetTokens).where(eq(resetTokens.userId, user.id));
    await inside.tx.delete(resetTokens).where(lt(resetTokens.expiresAt, inside.now));
    await inside.tx.insert(resetTokens).values({ ...wanted, createdBy: inside.context.actor });
    const after = { expires_at: wanted.expiresAt.toISOString() };
    inside.audit({ action: "user.reset_link", type: "user", id: user.id, name: user.email, before: null, after });
    return user;
  });
}

/** Whether a reset token would work now; so that nobody has a password hashed for nothing. */
export async function isResetToken(db: Db, lookup: { tokenHash: string; nowMs: number }): Promise<boolean> {
  const rows = await db
    .select({ userId: resetTokens.userId })
    .from(resetTokens)
    .where(and(eq(resetTokens.tokenHash, lookup.tokenHash), gt(resetTokens.expiresAt, new Date(lookup.nowMs))));
  return rows.length > 0;
}

/** Sets a password by a reset token, which works once; all sessions of the user end. */
export function resetPassword(
  db: Db,
  context: Omit<ChangeContext, "actor">,
  wanted: { tokenHash: string; passwordHash: string },
): Promise<Changed<UserRow>> {
  return change(db, { ...context, actor: "reset link" }, async (inside) => {
    const [token] = await inside.tx
      .delete(resetTokens)
      .where(and(eq(resetTokens.tokenHash, wanted.tokenHash), gt(resetTokens.expiresAt, inside.now)))
      .returning({ userId: resetTokens.userId });
    if (token === undefined) throw new Refusal("wrong_credentials", USED_LINK, "token");
    return storePassword(inside, { userId: token.userId, passwordHash: wanted.passwordHash });
  });
}

async function storePassword(
  inside: Change,
  wanted: { userId: string; passwordHash: string; keepSessionId?: string },
): Promise<UserRow> {
  const user = await findUser(inside.tx, wanted.userId);
  if (user === undefined) throw notFound("user");
  await inside.tx
    .update(users)
    .set({ passwordHash: wanted.passwordHash, version: sql`version + 1`, updatedAt: inside.now })
    .where(eq(users.id, user.id));
  const kept = wanted.keepSessionId === undefined ? undefined : ne(sessions.id, wanted.keepSessionId);
  await inside.tx.delete(sessions).where(and(eq(sessions.userId, user.id), kept));
  inside.audit({ action: "user.set_password", type: "user", id: user.id, name: user.email, before: null, after: null });
  inside.touch({ kind: "user", id: user.id });
  return { ...user, version: user.version + 1 };
}
