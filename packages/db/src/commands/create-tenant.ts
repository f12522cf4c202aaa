import type { Db } from "../client";
import { findTenant, findTenantByName, type TenantRow } from "../queries/read-tenants";
import { tenants } from "../schema";
import { type Change, type ChangeContext, type Changed, change } from "./change";
import { Refusal } from "./refusal";
import { replaceModelCaps, type TenantFields, tenantAudit, tenantColumns, tenantFields } from "./tenant-fields";

/**
 * Makes a tenant without keys. Refuses a name that is taken, an unknown group, and a term that ends before it begins.
 */
export function createTenant(db: Db, context: ChangeContext, fields: TenantFields): Promise<Changed<TenantRow>> {
  return change(db, context, (inside) => addTenant(inside, fields));
}

export async function addTenant(inside: Change, fields: TenantFields, id?: string): Promise<TenantRow> {
  const { tx, now } = inside;
  if ((await findTenantByName(tx, fields.name)) !== undefined) {
    throw new Refusal("already_exists", `There is a tenant named ${fields.name} already.`, "name");
  }
  const columns = await tenantColumns(inside, fields);
  const [added] = await tx
    .insert(tenants)
    .values({ ...columns, ...(id === undefined ? {} : { id }), createdAt: now, updatedAt: now })
    .returning({ id: tenants.id });
  if (added === undefined) throw new Error("an insert returned no row");
  if (fields.modelCaps.length > 0) await replaceModelCaps(inside, added.id, fields.modelCaps);
  const row = await findTenant(tx, added.id);
  if (row === undefined) throw new Error("a row just inserted is not there");
  const after = tenantAudit(tenantFields(row));
  inside.audit({ action: "tenant.create", type: "tenant", id: row.id, name: row.name, before: null, after });
  inside.touch({ kind: "tenant", id: row.id });
  return row;
}
