import { eq, sql } from "drizzle-orm";
import type { Db, Tx } from "../client";
import { settings } from "../schema";
import { type Change, type ChangeContext, type Changed, change } from "./change";
import { checkVersion } from "./refusal";

const NAME = "global_max_in_flight";

export interface GlobalCeiling {
  /** Null: the gateway's setting holds. */
  readonly value: number | null;
  /** 0 before it was ever set. */
  readonly version: number;
}

/** The ceiling as people set it; none while the gateway's own setting holds. */
export async function readGlobalCeiling(db: Tx): Promise<GlobalCeiling> {
  const [row] = await db.select().from(settings).where(eq(settings.name, NAME));
  if (row === undefined) return { value: null, version: 0 };
  return { value: typeof row.value === "number" ? row.value : null, version: row.version };
}

/** Sets the ceiling over all pools at run time; null goes back to the gateway's setting. */
export function setGlobalCeiling(
  db: Db,
  context: ChangeContext,
  edit: { value: number | null; expectedVersion?: number | undefined },
): Promise<Changed<GlobalCeiling>> {
  return change(db, context, async (inside) => {
    const before = await readGlobalCeiling(inside.tx);
    checkVersion(before, edit.expectedVersion);
    return editGlobalCeiling(inside, before, edit.value);
  });
}

export async function editGlobalCeiling(
  inside: Change,
  before: GlobalCeiling,
  value: number | null,
): Promise<GlobalCeiling> {
  if (before.value === value) return before;
  await inside.tx
    .insert(settings)
    .values({ name: NAME, value, updatedAt: inside.now })
    .onConflictDoUpdate({
      target: settings.name,
      set: { value: sql`excluded.value`, version: sql`${settings.version} + 1`, updatedAt: inside.now },
    });
  inside.audit({
    action: "capacity.update",
    type: "capacity",
    id: NAME,
    name: "global ceiling",
    before: { global_max_in_flight: before.value },
    after: { global_max_in_flight: value },
    isReversible: true,
  });
  inside.touch({ kind: "settings", id: NAME });
  return { value, version: before.version + 1 };
}
