import { eq, sql } from "drizzle-orm";
import type { Db } from "../client";
import { difference } from "../json-record";
import { findGroup, type GroupRow } from "../queries/read-groups";
import { groups } from "../schema";
import { type Change, type ChangeContext, type Changed, change } from "./change";
import { groupAudit } from "./group-audit";
import { checkVersion, notFound, Refusal } from "./refusal";

/** The group that always exists; new tenants join it. */
export const DEFAULT_GROUP = "default";

export interface GroupPatch {
  readonly name?: string | undefined;
  readonly weight?: number | undefined;
  readonly color?: number | undefined;
}

/** Changes what is given; absent means unchanged. */
export function updateGroup(
  db: Db,
  context: ChangeContext,
  edit: { name: string; expectedVersion?: number | undefined; patch: GroupPatch },
): Promise<Changed<GroupRow>> {
  return change(db, context, async (inside) => {
    const row = await findGroup(inside.tx, edit.name);
    if (row === undefined) throw notFound("group");
    checkVersion(row, edit.expectedVersion);
    return editGroup(inside, row, edit.patch);
  });
}

export async function editGroup(inside: Change, row: GroupRow, patch: GroupPatch): Promise<GroupRow> {
  const { tx, now } = inside;
  const next = {
    ...row,
    name: patch.name ?? row.name,
    weight: patch.weight ?? row.weight,
    color: patch.color ?? row.color,
  };
  const changed = difference(groupAudit(row), groupAudit(next));
  if (changed === null) return row;
  if (next.name !== row.name) await checkNewName(inside, row, next.name);
  const [saved] = await tx
    .update(groups)
    .set({ name: next.name, weight: next.weight, color: next.color, version: sql`version + 1`, updatedAt: now })
    .where(eq(groups.id, row.id))
    .returning();
  if (saved === undefined) throw notFound("group");
  inside.audit({ action: "group.update", type: "group", id: row.id, name: next.name, ...changed, isReversible: true });
  inside.touch({ kind: "group", id: row.id });
  return { ...saved, tenantCount: row.tenantCount };
}

async function checkNewName(inside: Change, row: GroupRow, name: string): Promise<void> {
  if (row.name === DEFAULT_GROUP) {
    throw new Refusal("conflict", `The group ${DEFAULT_GROUP} keeps its name.`, "name");
  }
  if ((await findGroup(inside.tx, name)) !== undefined) {
    throw new Refusal("already_exists", `There is a group named ${name} already.`, "name");
  }
}
