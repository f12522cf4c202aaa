/** Sign-ins and sign-outs. They are not configuration: no version is raised and no notice is sent. */
import { eq, lt } from "drizzle-orm";
import type { Db } from "../client";
import { findUser } from "../queries/read-users";
import { sessions, users } from "../schema";
import { type ChangeContext, type Changed, change } from "./change";
import { notFound } from "./refusal";

/** Begins a session and notes the sign-in; forgets expired sessions on the way. */
export async function beginSession(
  db: Db,
  session: { userId: string; tokenHash: string; now: Date; expiresAt: Date },
): Promise<{ id: string }> {
  return db.transaction(async (tx) => {
    await tx.delete(sessions).where(lt(sessions.expiresAt, session.now));
    await tx.update(users).set({ lastSignInAt: session.now }).where(eq(users.id, session.userId));
    const { userId, tokenHash, expiresAt, now } = session;
    const [row] = await tx
      .insert(sessions)
      .values({ userId, tokenHash, expiresAt, createdAt: now })
      .returning({ id: sessions.id });
    if (row === undefined) throw new Error("an insert returned no row");
    return row;
  });
}

/** Ends one session; ending it twice does nothing. */
export async function endSession(db: Db, sessionId: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.id, sessionId));
}

/** Ends every session of a user, by an admin. */
export function endUserSessions(db: Db, context: ChangeContext, userId: string): Promise<Changed<number>> {
  return change(db, context, async (inside) => {
    const user = await findUser(inside.tx, userId);
    if (user === undefined) throw notFound("user");
    const ended = await inside.tx.delete(sessions).where(eq(sessions.userId, userId)).returning({ id: sessions.id });
    const after = { ended: ended.length };
    inside.audit({ action: "session.end_all", type: "session", id: user.id, name: user.email, before: null, after });
    return ended.length;
  });
}
