import { eq, sql } from "drizzle-orm";
import type { Db } from "../client";
import { findGroup, type GroupRow } from "../queries/read-groups";
import { groups } from "../schema";
import { type Change, type ChangeContext, type Changed, change } from "./change";
import { Refusal } from "./refusal";

export interface GroupWeight {
  readonly name: string;
  readonly weight: number;
  readonly expectedVersion?: number | undefined;
}

/** Changes several weights or none: one unknown group or stale version refuses them all. One audit row. */
export function setGroupWeights(
  db: Db,
  context: ChangeContext,
  weights: readonly GroupWeight[],
): Promise<Changed<GroupRow[]>> {
  return change(db, context, (inside) => editGroupWeights(inside, weights));
}

export async function editGroupWeights(inside: Change, weights: readonly GroupWeight[]): Promise<GroupRow[]> {
  const saved: GroupRow[] = [];
  const before: [string, number][] = [];
  const after: [string, number][] = [];
  for (const { name, weight, expectedVersion } of weights) {
    const field = `weights.${name}`;
    const row = await findGroup(inside.tx, name);
    if (row === undefined) throw new Refusal("invalid_request", `There is no group named ${name}.`, field);
    if (expectedVersion !== undefined && expectedVersion !== row.version) {
      throw new Refusal("stale_edit", `${name} was changed since it was read: its weight is ${row.weight}.`, field);
    }
    if (row.weight === weight) {
      saved.push(row);
      continue;
    }
    await inside.tx
      .update(groups)
      .set({ weight, version: sql`version + 1`, updatedAt: inside.now })
      .where(eq(groups.id, row.id));
    before.push([name, row.weight]);
    after.push([name, weight]);
    saved.push({ ...row, weight, version: row.version + 1, updatedAt: inside.now });
    inside.touch({ kind: "group", id: row.id });
  }
  if (after.length > 0) {
    inside.audit({
      action: "group.set_weights",
      type: "group",
      id: "*",
      name: after.map(([name]) => name).join(", "),
      before: { weights: Object.fromEntries(before) },
      after: { weights: Object.fromEntries(after) },
      isReversible: true,
    });
  }
  return saved;
}
