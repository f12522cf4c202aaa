/** The words for previews: the headline, what moves, what to look at, how long it takes. Takes data only. */
import type { NextStep, PoolPreview, Preview, PreviewChange, PreviewFlag } from "./preview-data";
import { counted, formatExact } from "./words";

/** Names of ids; the id itself where a name is not known. */
export type NameOf = (id: string) => string;

const asIs: NameOf = (id) => id;

/** One sentence for the whole draft, in slots. */
export function previewHeadline(preview: Preview, changes: readonly PreviewChange[], nameOf: NameOf = asIs): string {
  const [only] = changes.length === 1 ? changes : [];
  if (preview.pools.length === 0) {
    return only === undefined
      ? "Nothing moves: what changes has no work in any pool."
      : `Nothing moves until ${nameOf(only.id)} has work.`;
  }
  const [pool] = preview.pools;
  if (preview.pools.length === 1 && pool !== undefined) return poolHeadline(pool, only, nameOf);
  if (preview.movedSlots === 0) return `No slot moves in ${counted(preview.pools.length, "pool")}.`;
  return `${counted(preview.movedSlots, "slot")} ${preview.movedSlots === 1 ? "moves" : "move"} in ${counted(preview.movedPools, "pool")}.`;
}

/** The headline where one pool is touched: what the changed account gets there, else what moves. */
function poolHeadline(pool: PoolPreview, change: PreviewChange | undefined, nameOf: NameOf): string {
  if (pool.flags.some((flag) => flag.flag === "no_work")) return `Nothing moves: ${pool.pool} has no work.`;
  const grown = pool.usable.after - pool.usable.before;
  if (grown !== 0) {
    return `${pool.pool} ${grown > 0 ? "grows" : "shrinks"} by ${counted(Math.abs(grown), "slot")}.`;
  }
  const parts = change?.kind === "key_weight" ? pool.keys : [...pool.groups, ...pool.tenants];
  const part = parts.find((each) => each.id === change?.id);
  const gain = part === undefined ? 0 : part.slots.after - part.slots.before;
  if (part !== undefined && gain > 0) {
    return `${nameOf(part.id)} gets ${formatExact(gain)} more ${gain === 1 ? "slot" : "slots"} on ${pool.pool}.`;
  }
  if (part !== undefined && gain < 0) return `${nameOf(part.id)} gives up ${counted(-gain, "slot")} on ${pool.pool}.`;
  if (pool.moved === 0) return `No slot moves on ${pool.pool}.`;
  return `${counted(pool.moved, "slot")} ${pool.moved === 1 ? "moves" : "move"} on ${pool.pool}.`;
}

/** "from web 1, bot 1" or "to web 2"; empty when nobody else is concerned. */
export function counterpartWords(pool: PoolPreview, id: string, nameOf: NameOf = asIs): string {
  const isGroup = pool.groups.some((group) => group.id === id);
  const [donors, gainers] = isGroup ? [pool.groupDonors, pool.groupGainers] : [pool.donors, pool.gainers];
  const isGainer = gainers.some((mover) => mover.id === id);
  const others = (isGainer ? donors : gainers).filter((mover) => mover.id !== id);
  if (others.length === 0) return "";
  const list = others.map((mover) => `${nameOf(mover.id)} ${formatExact(mover.slots)}`).join(", ");
  return `${isGainer ? "from" : "to"} ${list}`;
}

/** What must finish before the split holds, and about how long that takes. Nothing running is ever cut. */
export function movementWords(pool: PoolPreview): string {
  if (pool.toFinish === 0) return "Nothing running is cut, and nothing has to finish first.";
  const verb = pool.toFinish === 1 ? "request has" : "requests have";
  const time = pool.finishEstimateMs === null ? "unknown: too few finishes" : roughTime(pool.finishEstimateMs);
  return `Nothing running is cut. About ${formatExact(pool.toFinish)} ${verb} to finish first: ${time}.`;
}

/** A deliberately coarse time: the pace of the last five minutes promises no more. */
export function roughTime(ms: number): string {
  const steps: readonly (readonly [number, string])[] = [
    [2_500, "about 1 s"],
    [9_000, "about 5 s"],
    [30_000, "about 15 s"],
    [120_000, "about 1 min"],
  ];
  return steps.find(([limit]) => ms <= limit)?.[1] ?? "several minutes";
}

/** "90 changes nothing; the next step is 101." or where the nearest steps are. */
export function nextStepWords(step: NextStep, isChanged: boolean): string {
  const { up, down, value } = step;
  if (!isChanged) {
    if (up !== null) return `${formatExact(value)} changes nothing; the next step is ${formatExact(up.value)}.`;
    return `${formatExact(value)} changes nothing, and no larger weight would.`;
  }
  const more = up === null ? "" : `${counted(up.slots, "slot")} from ${formatExact(up.value)}`;
  const less = down === null ? "" : `${counted(down.slots, "slot")} at ${formatExact(down.value)} or less`;
  const both = [more, less].filter((text) => text !== "").join("; ");
  return both === "" ? "No other weight changes its slots." : `Next steps: ${both}.`;
}

/** A flag as a sentence. `pool` is the preview it came with: most sentences name it. */
export function flagWords(flag: PreviewFlag, pool: PoolPreview, nameOf: NameOf = asIs): string {
  switch (flag.flag) {
    case "crosses_below_share":
      return `${nameOf(flag.id)} would be below its share on ${pool.pool} until others finish.`;
    case "share_down_to_one":
      return `${nameOf(flag.id)} would be down to one slot on ${pool.pool}.`;
    case "cap_under_use":
      return `${nameOf(flag.id)} uses ${counted(flag.inUse, "slot")} on ${pool.pool}; nothing of it starts until it is under ${formatExact(flag.cap)}.`;
    case "cap_under_share":
      return `${counted(flag.share - flag.cap, "slot")} of the share of ${nameOf(flag.id)} would always be lent.`;
    case "alone_in_group":
      return `${nameOf(flag.id)} is alone in group ${flag.group}, so its weight decides nothing; the group's weight does.`;
    case "no_change_rounding":
      return `Every share on ${pool.pool} rounds to the slots it has.`;
    case "size_under_use":
      return `${formatExact(flag.inUse)} slots are in use; nothing starts until fewer than ${formatExact(flag.size)} are.`;
    case "pools_over_ceiling":
      return `All pools together would have ${formatExact(flag.sum)} slots, more than the ceiling of ${formatExact(flag.ceiling)}.`;
    case "takers_outnumber_slots":
      return `${counted(flag.slots, "slot")} for ${formatExact(flag.takers)}: each counts as having one, and they take turns.`;
    case "list_cut":
      return "Not every tenant is listed; the numbers may change on review.";
    case "no_work":
      return `${pool.pool} has no work; this is the split if every tenant came back.`;
  }
}
