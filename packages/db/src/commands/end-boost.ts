import { and, asc, eq, isNull, lte, sql } from "drizzle-orm";
import type { Db } from "../client";
import { type BoostView, findBoost } from "../queries/read-boosts";
import { boosts } from "../schema";
import { boostAudit, boostTitle } from "./boost-audit";
import { type Change, type ChangeContext, type Changed, change } from "./change";
import { checkVersion, notFound } from "./refusal";

/** Ends a boost before its time. One that has ended is not found. */
export function endBoost(
  db: Db,
  context: ChangeContext,
  target: { id: string; expectedVersion?: number | undefined },
): Promise<Changed<undefined>> {
  return change(db, context, async (inside) => {
    const boost = await findBoost(inside.tx, target.id);
    if (boost === undefined || boost.endedAt !== null) throw notFound("boost in force");
    checkVersion(boost, target.expectedVersion);
    await closeBoost(inside, boost, { endedAt: inside.now, endedBy: inside.context.actor });
    return undefined;
  });
}

/**
 * Notes the end of every boost whose time is over, and tells the caches. Admission goes by `expires_at`, so this only
 * keeps the books; any replica may do it, and a second one finds nothing left. Returns how many ended.
 */
export async function endExpiredBoosts(db: Db, nowMs: number): Promise<number> {
  const due = await db
    .select({ id: boosts.id })
    .from(boosts)
    .where(and(isNull(boosts.endedAt), lte(boosts.expiresAt, new Date(nowMs))))
    .limit(1);
  if (due.length === 0) return 0;
  const context = { actor: "system", source: "boost", requestId: null, nowMs } as const;
  const ended = await change(db, context, async (inside) => {
    const rows = await inside.tx
      .select({ id: boosts.id })
      .from(boosts)
      .where(and(isNull(boosts.endedAt), lte(boosts.expiresAt, inside.now)))
      .orderBy(asc(boosts.expiresAt));
    for (const { id } of rows) {
      const boost = await findBoost(inside.tx, id);
      if (boost !== undefined) await closeBoost(inside, boost, { endedAt: boost.expiresAt, endedBy: "system" });
    }
    return rows.length;
  });
  return ended.value;
}

/** Ends a boost, by a person or by its time, which the audit log tells apart. */
export async function closeBoost(
  inside: Change,
  boost: BoostView,
  end: { endedAt: Date; endedBy: string },
): Promise<void> {
  await inside.tx
    .update(boosts)
    .set({ ...end, version: sql`version + 1`, updatedAt: inside.now })
    .where(eq(boosts.id, boost.id));
  inside.audit({
    action: end.endedBy === "system" ? "boost.expire" : "boost.end",
    type: "boost",
    id: boost.id,
    name: boostTitle(boost),
    before: boostAudit(boost),
    after: null,
  });
  inside.touch({ kind: "tenant", id: boost.tenantId }, { kind: "boost", id: boost.id });
}
