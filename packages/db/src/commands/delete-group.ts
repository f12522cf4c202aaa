import { eq } from "drizzle-orm";
import type { Db } from "../client";
import { findGroup } from "../queries/read-groups";
import { groups } from "../schema";
import { type ChangeContext, type Changed, change } from "./change";
import { groupAudit } from "./group-audit";
import { checkVersion, notFound, Refusal } from "./refusal";
import { DEFAULT_GROUP } from "./update-group";

/** Deletes a group that has no tenants. */
export function deleteGroup(
  db: Db,
  context: ChangeContext,
  target: { name: string; expectedVersion?: number | undefined },
): Promise<Changed<undefined>> {
  return change(db, context, async (inside) => {
    const row = await findGroup(inside.tx, target.name);
    if (row === undefined) throw notFound("group");
    checkVersion(row, target.expectedVersion);
    if (row.name === DEFAULT_GROUP) throw new Refusal("conflict", `The group ${DEFAULT_GROUP} always exists.`);
    if (row.tenantCount > 0) {
      const tenants = row.tenantCount === 1 ? "1 tenant" : `${row.tenantCount} tenants`;
      throw new Refusal("group_not_empty", `The group has ${tenants}; move them to another group first.`);
    }
    await inside.tx.delete(groups).where(eq(groups.id, row.id));
    inside.audit({
      action: "group.delete",
      type: "group",
      id: row.id,
      name: row.name,
      before: groupAudit(row),
      after: null,
    });
    inside.touch({ kind: "group", id: row.id });
    return undefined;
  });
}
