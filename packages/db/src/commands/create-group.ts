import { sql } from "drizzle-orm";
import type { Db } from "../client";
import { findGroup, type GroupRow } from "../queries/read-groups";
import { groups } from "../schema";
import { type Change, type ChangeContext, type Changed, change } from "./change";
import { groupAudit } from "./group-audit";
import { Refusal } from "./refusal";

/** The largest index that the management API takes. */
const LAST_COLOR = 1000;

export interface NewGroup {
  readonly name: string;
  readonly weight: number;
  /** Left out: the first that no other group has. */
  readonly color?: number | undefined;
}

export function createGroup(db: Db, context: ChangeContext, group: NewGroup): Promise<Changed<GroupRow>> {
  return change(db, context, (inside) => addGroup(inside, group));
}

export async function addGroup(inside: Change, group: NewGroup): Promise<GroupRow> {
  const { tx, now } = inside;
  if ((await findGroup(tx, group.name)) !== undefined) {
    throw new Refusal("already_exists", `There is a group named ${group.name} already.`, "name");
  }
  const color =
    group.color ??
    sql`(
    select coalesce(min(n), ${LAST_COLOR}) from generate_series(0, ${LAST_COLOR}) as n
    where n not in (select color from groups)
  )`;
  const [added] = await tx
    .insert(groups)
    .values({ name: group.name, weight: group.weight, color, createdAt: now, updatedAt: now })
    .returning();
  if (added === undefined) throw new Error("an insert returned no row");
  const row = { ...added, tenantCount: 0 };
  inside.audit({
    action: "group.create",
    type: "group",
    id: row.id,
    name: row.name,
    before: null,
    after: groupAudit(row),
  });
  inside.touch({ kind: "group", id: row.id });
  return row;
}
