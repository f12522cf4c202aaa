import { eq, sql } from "drizzle-orm";
import type { Db } from "../client";
import { difference } from "../json-record";
import { findKey, type KeyRow } from "../queries/read-keys";
import { keys } from "../schema";
import { type Change, type ChangeContext, type Changed, change } from "./change";
import { type KeyPatch, keyAudit, keyFields, keyTitle } from "./key-fields";
import { checkVersion, notFound } from "./refusal";
import { withPatch } from "./tenant-fields";

/** Changes what is given; absent means unchanged, null clears. */
export function updateKey(
  db: Db,
  context: ChangeContext,
  edit: { id: string; expectedVersion?: number | undefined; patch: KeyPatch },
): Promise<Changed<KeyRow>> {
  return change(db, context, async (inside) => {
    const row = await findKey(inside.tx, edit.id);
    if (row === undefined) throw notFound("key");
    checkVersion(row, edit.expectedVersion);
    return editKey(inside, row, edit.patch);
  });
}

export async function editKey(inside: Change, row: KeyRow, patch: KeyPatch): Promise<KeyRow> {
  const fields = withPatch(keyFields(row), patch);
  const changed = difference(keyAudit(row), keyAudit(fields));
  if (changed === null) return row;
  await inside.tx
    .update(keys)
    .set({ ...fields, version: sql`version + 1`, updatedAt: inside.now })
    .where(eq(keys.id, row.id));
  const saved = { ...row, ...fields, version: row.version + 1, updatedAt: inside.now };
  inside.audit({
    action: "key.update",
    type: "key",
    id: row.id,
    name: keyTitle(saved),
    ...changed,
    isReversible: true,
  });
  inside.touch({ kind: "key", id: row.id });
  return saved;
}
