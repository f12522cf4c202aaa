/** How much a save must ask: it is done at once, or confirmed in a second step that names what moves. */
import { plural, slotCount } from "./format";
import type { PreviewRow } from "./preview-rows";

export interface SaveTier {
  readonly isTwoStep: boolean;
  /** The second step's button. */
  readonly confirm: string;
}

/** Moving more than this part of a pool asks twice. */
const LARGE_PART = 0.25;
/** Touching more pools than this asks twice. */
const MANY_POOLS = 3;
const ASKING_FLAGS = new Set(["share_down_to_one", "cap_under_use", "size_under_use", "pools_over_ceiling"]);

export function saveTier(rows: readonly PreviewRow[]): SaveTier {
  const moving = rows.filter((row) => row.moved > 0);
  const isLarge = moving.some((row) => row.moved > row.sizeBefore * LARGE_PART);
  const asks = rows.some((row) => row.flags.some((flag) => ASKING_FLAGS.has(flag)));
  const moved = moving.reduce((sum, row) => sum + row.moved, 0);
  const verb = moved === 1 ? "moves" : "move";
  return {
    isTwoStep: isLarge || asks || moving.length > MANY_POOLS,
    confirm: moved === 0 ? "Apply" : `Apply: ${slotCount(moved)} ${verb} in ${plural(moving.length, "pool")}`,
  };
}
