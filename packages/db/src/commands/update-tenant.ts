import { eq, sql } from "drizzle-orm";
import type { Db } from "../client";
import { difference } from "../json-record";
import { findTenant, findTenantByName, type TenantRow } from "../queries/read-tenants";
import { tenants } from "../schema";
import { type Change, type ChangeContext, type Changed, change } from "./change";
import { checkVersion, notFound, Refusal } from "./refusal";
import {
  replaceModelCaps,
  type TenantPatch,
  tenantAudit,
  tenantColumns,
  tenantFields,
  withPatch,
} from "./tenant-fields";

/** Changes what is given; absent means unchanged, null clears. */
export function updateTenant(
  db: Db,
  context: ChangeContext,
  edit: { id: string; expectedVersion?: number | undefined; patch: TenantPatch },
): Promise<Changed<TenantRow>> {
  return change(db, context, async (inside) => {
    const row = await findTenant(inside.tx, edit.id);
    if (row === undefined) throw notFound("tenant");
    checkVersion(row, edit.expectedVersion);
    return editTenant(inside, row, edit.patch);
  });
}

export async function editTenant(inside: Change, row: TenantRow, patch: TenantPatch): Promise<TenantRow> {
  const { tx, now } = inside;
  const fields = tenantFields(row);
  const wanted = withPatch(fields, patch);
  if (wanted.name !== row.name && (await findTenantByName(tx, wanted.name)) !== undefined) {
    throw new Refusal("already_exists", `There is a tenant named ${wanted.name} already.`, "name");
  }
  const columns = await tenantColumns(inside, wanted);
  const isSame = difference(tenantAudit(fields), tenantAudit({ ...wanted, allowedModels: columns.allowedModels }));
  if (isSame === null) return row;
  await tx
    .update(tenants)
    .set({ ...columns, version: sql`version + 1`, updatedAt: now })
    .where(eq(tenants.id, row.id));
  if (patch.modelCaps !== undefined) await replaceModelCaps(inside, row.id, patch.modelCaps);
  const saved = await findTenant(tx, row.id);
  if (saved === undefined) throw notFound("tenant");
  const changed = difference(tenantAudit(fields), tenantAudit(tenantFields(saved)));
  if (changed === null) return saved;
  inside.audit({
    action: "tenant.update",
    type: "tenant",
    id: row.id,
    name: saved.name,
    ...changed,
    isReversible: true,
  });
  inside.touch({ kind: "tenant", id: row.id });
  return saved;
}
