/** Rotation: a key gets a new secret; the old one may go on working for a while, and its end can be brought forward. */
import { eq, sql } from "drizzle-orm";
import type { Db } from "../client";
import { findKey, type KeyRow } from "../queries/read-keys";
import { keys } from "../schema";
import { type ChangeContext, type Changed, change } from "./change";
import type { StoredSecret } from "./create-key";
import { keyTitle } from "./key-fields";
import { checkVersion, notFound } from "./refusal";

/** Replaces the secret; with `overlapMs` above 0 the old one works that long. A secret older still stops at once. */
export function rotateKey(
  db: Db,
  context: ChangeContext,
  rotation: { id: string; expectedVersion?: number | undefined; secret: StoredSecret; overlapMs: number },
): Promise<Changed<KeyRow>> {
  return change(db, context, async (inside) => {
    const row = await findKey(inside.tx, rotation.id);
    if (row === undefined) throw notFound("key");
    checkVersion(row, rotation.expectedVersion);
    const overlaps = rotation.overlapMs > 0;
    const until = overlaps ? new Date(inside.now.getTime() + rotation.overlapMs) : null;
    await inside.tx
      .update(keys)
      .set({
        secretHash: rotation.secret.hash,
        prefix: rotation.secret.prefix,
        previousSecretHash: overlaps ? sql`secret_hash` : null,
        previousSecretExpiresAt: until,
        previousSecretLastUsedAt: overlaps ? sql`last_used_at` : null,
        rotatedAt: inside.now,
        version: sql`version + 1`,
        updatedAt: inside.now,
      })
      .where(eq(keys.id, row.id));
    inside.audit({
      action: "key.rotate",
      type: "key",
      id: row.id,
      name: keyTitle(row),
      before: { prefix: row.prefix },
      after: { prefix: rotation.secret.prefix, previous_secret_expires_at: until?.toISOString() ?? null },
    });
    inside.touch({ kind: "key", id: row.id });
    return mustFind(await findKey(inside.tx, row.id));
  });
}

/** Ends a rotation's overlap; refuses when none is under way. */
export function endPreviousSecret(
  db: Db,
  context: ChangeContext,
  target: { id: string; expectedVersion?: number | undefined },
): Promise<Changed<KeyRow>> {
  return change(db, context, async (inside) => {
    const row = await findKey(inside.tx, target.id);
    if (row === undefined) throw notFound("key");
    checkVersion(row, target.expectedVersion);
    const until = row.previousSecretExpiresAt;
    if (until === null || until <= inside.now) throw notFound("previous secret: only the present one works");
    await inside.tx
      .update(keys)
      .set({
        previousSecretHash: null,
        previousSecretExpiresAt: null,
        previousSecretLastUsedAt: null,
        version: sql`version + 1`,
        updatedAt: inside.now,
      })
      .where(eq(keys.id, row.id));
    inside.audit({
      action: "key.end_previous_secret",
      type: "key",
      id: row.id,
      name: keyTitle(row),
      before: { previous_secret_expires_at: until.toISOString() },
      after: { previous_secret_expires_at: null },
    });
    inside.touch({ kind: "key", id: row.id });
    return mustFind(await findKey(inside.tx, row.id));
  });
}

function mustFind(row: KeyRow | undefined): KeyRow {
  if (row === undefined) throw new Error("a row just written is not there");
  return row;
}
