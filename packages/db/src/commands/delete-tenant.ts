import { eq } from "drizzle-orm";
import type { Db } from "../client";
import { findTenant } from "../queries/read-tenants";
import { keys, tenants } from "../schema";
import { type ChangeContext, type Changed, change } from "./change";
import { checkVersion, notFound } from "./refusal";
import { tenantAudit, tenantFields } from "./tenant-fields";

/** Deletes a tenant with its keys, caps and boosts. Its usage records stay. */
export function deleteTenant(
  db: Db,
  context: ChangeContext,
  target: { id: string; expectedVersion?: number | undefined },
): Promise<Changed<undefined>> {
  return change(db, context, async (inside) => {
    const row = await findTenant(inside.tx, target.id);
    if (row === undefined) throw notFound("tenant");
    checkVersion(row, target.expectedVersion);
    const gone = await inside.tx.delete(keys).where(eq(keys.tenantId, row.id)).returning({ id: keys.id });
    await inside.tx.delete(tenants).where(eq(tenants.id, row.id));
    const before = { ...tenantAudit(tenantFields(row)), key_count: gone.length };
    inside.audit({ action: "tenant.delete", type: "tenant", id: row.id, name: row.name, before, after: null });
    inside.touch({ kind: "tenant", id: row.id }, ...gone.map(({ id }) => ({ kind: "key" as const, id })));
    return undefined;
  });
}
