import { eq } from "drizzle-orm";
import type { Db } from "../client";
import { findKey } from "../queries/read-keys";
import { keys } from "../schema";
import { type ChangeContext, type Changed, change } from "./change";
import { keyAudit, keyTitle } from "./key-fields";
import { checkVersion, notFound } from "./refusal";

/** Revokes a key for good. Requests that run finish; its usage records stay. */
export function deleteKey(
  db: Db,
  context: ChangeContext,
  target: { id: string; expectedVersion?: number | undefined },
): Promise<Changed<undefined>> {
  return change(db, context, async (inside) => {
    const row = await findKey(inside.tx, target.id);
    if (row === undefined) throw notFound("key");
    checkVersion(row, target.expectedVersion);
    await inside.tx.delete(keys).where(eq(keys.id, row.id));
    const before = { ...keyAudit(row), prefix: row.prefix };
    inside.audit({ action: "key.delete", type: "key", id: row.id, name: keyTitle(row), before, after: null });
    inside.touch({ kind: "key", id: row.id });
    return undefined;
  });
}
