/**
 * A line of siblings: the groups of a pool or the tenants of a group, with their virtual time, who of them could run,
 * and the split of slots over those that have work.
 *
 * The split is `splitSlots`, found without looking at everybody. With at least as many takers as slots nobody is
 * lifted, and whoever's quota is below one slot counts as one whatever the rounding gives it; so only the members with
 * a quota of one or more matter, fewer than there are slots, and the weight heap leads to them. With fewer takers than
 * slots there are fewer members than slots to begin with. The split is kept until who has work, a weight or the slots
 * change, or, when a tie decided it, until a score changes.
 */
import { firstOf, type Ranked, RankHeap } from "./rank-heap";
import { compareLevels, type Level } from "./score";
import { type Claimant, splitSlots } from "./shares";
import { type Weighted, WeightHeap } from "./weight-heap";

/** What a line needs to know of a member. */
export interface Member extends Ranked, Weighted {
  taken: number;
  share: number;
  shareStamp: number;
}

export interface Line<M extends Member> {
  /** Virtual time: the level at which a member rejoins when none of its siblings waits. Only rises. */
  readonly level: Level;
  /** Members that could run and have no slot. */
  readonly idle: RankHeap<M>;
  /** Members that could run and have slots already. */
  readonly busy: RankHeap<M>;
  /** Members with work. */
  readonly active: WeightHeap<M>;
  /** Members whose share is two slots or more; the only ones that may take a second before they borrow. */
  readonly multi: M[];
  /** Slots the split was made for; -1 when it must be made again. */
  slots: number;
  /** Marks the shares of the present split. */
  stamp: number;
  /** Counts changes of scores. */
  epoch: number;
  /** The epoch the split was made in when a tie decided it; -1 when it holds for any scores. */
  tieEpoch: number;
}

/** A line with nobody in it, at `startLevel`. */
export function makeLine<M extends Member>(startLevel: number): Line<M> {
  return {
    level: { hi: startLevel, lo: 0 },
    idle: new RankHeap(),
    busy: new RankHeap(),
    active: new WeightHeap(),
    multi: [],
    slots: -1,
    stamp: 0,
    epoch: 0,
    tieEpoch: -1,
  };
}

/** The lowest-ranked member that could run; undefined when none could. O(1). */
export function firstInLine<M extends Member>(line: Line<M>): M | undefined {
  return firstOf(line.idle.top(), line.busy.top());
}

/** Whole slots a member may take before it borrows, never less than one. Valid after `updateSplit`. */
export function shareInForce(line: Line<Member>, member: Member): number {
  return member.shareStamp === line.stamp ? member.share : 1;
}

/** Makes the split again when who has work, or a weight, changed. O(1). */
export function splitChanged(line: Line<Member>): void {
  line.slots = -1;
}

/** Brings `multi` and the shares in it up to date for `slots`. O(1) while nothing changed, else O(slots log slots). */
export function updateSplit<M extends Member>(line: Line<M>, slots: number): void {
  if (line.slots === slots && (line.tieEpoch === -1 || line.tieEpoch === line.epoch)) return;
  line.slots = slots;
  line.stamp += 1;
  line.multi.length = 0;
  const isTied = line.active.size <= slots ? splitAmongFew(line, slots) : splitAmongMany(line, slots);
  line.tieEpoch = isTied ? line.epoch : -1;
}

function setShare<M extends Member>(line: Line<M>, member: M, share: number): void {
  if (share < 2) return;
  member.share = share;
  member.shareStamp = line.stamp;
  line.multi.push(member);
}

/** Everybody has a slot's worth of room. Returns whether a tie decided, so that the split hangs on the scores. */
function splitAmongFew<M extends Member>(line: Line<M>, slots: number): boolean {
  const members = line.active.items;
  const total = line.active.total;
  if (members.length === 1) {
    setShare(line, members[0] as M, slots);
    return false;
  }
  let isWhole = slots * total <= Number.MAX_SAFE_INTEGER;
  for (let i = 0; isWhole && i < members.length; i++) isWhole = (slots * (members[i] as M).weight) % total === 0;
  if (isWhole) {
    for (const member of members) setShare(line, member, (slots * member.weight) / total);
    return false;
  }
  return splitByReference(line, slots);
}

/** The split itself, with scores replaced by their exact order. */
function splitByReference<M extends Member>(line: Line<M>, slots: number): boolean {
  const members = [...line.active.items].sort(compareLevels);
  let place = 0;
  const claimants: Claimant[] = members.map((member, index) => {
    const before = members[index - 1];
    if (before !== undefined && compareLevels(before, member) !== 0) place += 1;
    return { id: member.id, weight: member.weight, score: place };
  });
  const parts = splitSlots(slots, claimants);
  members.forEach((member, index) => {
    setShare(line, member, parts[index] ?? 0);
  });
  return true;
}

/** More takers than slots. Returns whether a tie decided. */
function splitAmongMany<M extends Member>(line: Line<M>, slots: number): boolean {
  const heavy = heavyMembers(line, slots);
  if (heavy.length === 0) return false;
  return splitByReference(line, slots);
}

/** Members whose quota is one slot or more: weight x slots >= sum of weights. Fewer than `slots` + 1. */
function heavyMembers<M extends Member>(line: Line<M>, slots: number): M[] {
  const heavy: M[] = [];
  if (slots === 0) return heavy;
  line.active.eachFrom(line.active.total / slots, (member) => {
    heavy.push(member);
    return true;
  });
  return heavy;
}
