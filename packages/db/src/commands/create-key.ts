import type { Db } from "../client";
import { findKey, type KeyRow } from "../queries/read-keys";
import { findTenant } from "../queries/read-tenants";
import { keys } from "../schema";
import { type Change, type ChangeContext, type Changed, change } from "./change";
import { type Repeatable, recallAnswer, rememberAnswer } from "./idempotency";
import { type KeyFields, keyAudit, keyTitle } from "./key-fields";
import { notFound } from "./refusal";

/** A secret as the database keeps it. */
export interface StoredSecret {
  readonly hash: string;
  readonly prefix: string;
}

export interface NewKey {
  readonly tenantId: string;
  readonly fields: KeyFields;
  readonly secret: StoredSecret;
  /** With an `Idempotency-Key`: a repeat gives the first answer instead of a second key. */
  readonly repeatable?: Repeatable | undefined;
}

/** The key made, or on a repeat the one made before, with the answer sealed then. */
export interface CreatedKey {
  readonly key: KeyRow;
  readonly repeatedAnswer: string | null;
}

/**
 * Makes a key with a secret that the caller drew; nothing of it is stored but its hash and prefix. Refuses an unknown
 * tenant, and a repeat that asks for something else than the first time.
 */
export function createKey(db: Db, context: ChangeContext, wanted: NewKey): Promise<Changed<CreatedKey>> {
  return change(db, context, async (inside) => {
    const { repeatable } = wanted;
    const before = repeatable && (await recallAnswer(inside, repeatable));
    if (before !== undefined) {
      const key = await findKey(inside.tx, before.objectId);
      if (key === undefined) throw notFound("key any more: it was made and then deleted");
      return { key, repeatedAnswer: before.answerSealed };
    }
    const key = await addKey(inside, wanted);
    if (repeatable !== undefined) await rememberAnswer(inside, { ...repeatable, objectId: key.id });
    return { key, repeatedAnswer: null };
  });
}

export async function addKey(inside: Change, wanted: NewKey): Promise<KeyRow> {
  const tenant = await findTenant(inside.tx, wanted.tenantId);
  if (tenant === undefined) throw notFound("tenant");
  const [added] = await inside.tx
    .insert(keys)
    .values({
      ...wanted.fields,
      tenantId: tenant.id,
      prefix: wanted.secret.prefix,
      secretHash: wanted.secret.hash,
      createdBy: inside.context.actor,
      createdAt: inside.now,
      updatedAt: inside.now,
    })
    .returning({ id: keys.id });
  const row = added && (await findKey(inside.tx, added.id));
  if (row === undefined) throw new Error("a row just inserted is not there");
  const after = { ...keyAudit(row), prefix: row.prefix, tenant: row.tenantName };
  inside.audit({ action: "key.create", type: "key", id: row.id, name: keyTitle(row), before: null, after });
  inside.touch({ kind: "key", id: row.id });
  return row;
}
