/** The split of a pool's slots worked out for everybody with work, for display. Picks need only `line-split.ts`. */
import { claimantsOf } from "./claimants";
import { compareLevels } from "./score";
import { splitSlots } from "./shares";
import type { EngineState, Group, Pool, Taker, Tenant } from "./state";

/** One account's part. */
export interface Part<A extends Taker> {
  readonly account: A;
  /** Whole slots; 0 where takers outnumber slots. */
  slots: number;
  /** Part of the whole pool by weight alone, 0 to 1. */
  readonly weightShare: number;
}

/** A group's part and those of its tenants with work. */
export interface GroupPart extends Part<Group> {
  readonly members: readonly Part<Tenant>[];
}

/**
 * Groups and their tenants with work, each by id, with their parts of `usable` slots: by group and then tenant, or by
 * tenant alone under `weighted`, where a group has what its tenants have. O(accounts log accounts).
 */
export function splitOf(state: EngineState, pool: Pool, usable: number): GroupPart[] {
  const isWeighted = state.config.algorithm === "weighted";
  const groups = pool.groupLine.active.items.toSorted(byId);
  const poolWeight = isWeighted
    ? groups.reduce((sum, group) => sum + group.line.active.total, 0)
    : pool.groupLine.active.total;
  const parts = groups.map((group): GroupPart => {
    const total = group.line.active.total;
    const weightShare = (isWeighted ? total : group.weight) / poolWeight;
    const tenants = group.line.active.items.toSorted(byId);
    const members = tenants.map((tenant) => partOf(tenant, (weightShare * tenant.weight) / total));
    return { account: group, slots: 0, weightShare, members };
  });
  if (isWeighted) {
    divide(
      usable,
      parts.flatMap(({ members }) => members),
    );
    for (const part of parts) part.slots = part.members.reduce((sum, { slots }) => sum + slots, 0);
  } else {
    divide(usable, parts);
    for (const part of parts) divide(part.slots, part.members);
  }
  return parts;
}

/** A part that is not divided yet. */
function partOf<A extends Taker>(account: A, weightShare: number): Part<A> {
  return { account, slots: 0, weightShare };
}

/** Splits by weight with the scores' exact order as the tie-breaker. */
function divide(slots: number, parts: readonly Part<Taker>[]): void {
  const only = parts[0];
  if (only === undefined || slots === 0) return;
  if (parts.length === 1) {
    only.slots = slots;
    return;
  }
  const ordered = parts.toSorted((a, b) => compareLevels(a.account, b.account));
  const divided = splitSlots(slots, claimantsOf(ordered.map(({ account }) => account)));
  for (let i = 0; i < ordered.length; i++) (ordered[i] as Part<Taker>).slots = divided[i] ?? 0;
}

/** The order of lists for display; it decides nothing. */
function byId(a: Taker, b: Taker): number {
  return a.id < b.id ? -1 : 1;
}
