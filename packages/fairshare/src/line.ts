/**
 * A line of siblings: the groups of a pool or the tenants of a group, with their virtual time, who of them could run,
 * and what is known of the split of slots over those that have work (`line-split.ts`).
 */
import { firstOf, type Ranked, RankHeap } from "./rank-heap";
import { makeLevel, type Score } from "./score";
import { type Weighted, WeightHeap } from "./weight-heap";

/** The mark of a member whose share no split has given; no split has it. */
export const NO_STAMP = 0;

/** What a line needs to know of a member. */
export interface Member extends Ranked, Weighted {
  /** Slots in use, held ones and those being claimed included. */
  taken: number;
  /** Whole slots it may take before it borrows, while `shareStamp` is the line's stamp; else it counts as one. */
  share: number;
  shareStamp: number;
}

/**
 * See the head of this file. All that concerns order is in the two heaps, all that concerns slots in the rest; picks
 * need both, and neither is worked out anew for a pick.
 */
export interface Line<M extends Member> {
  /** Virtual time: the level at which a member rejoins when none of its siblings waits. Only rises. */
  readonly level: Score;
  /** Members that could run and have no slot. */
  readonly idle: RankHeap<M>;
  /** Members that could run and have slots already. */
  readonly busy: RankHeap<M>;
  /** Members with work. */
  readonly active: WeightHeap<M>;
  /** Members whose share is, or by a tie may become, two slots or more: nobody else may take a second. */
  readonly multi: M[];
  /** Members whose remainders are equal where the left-over slots end: the order of scores picks the winners. */
  readonly tied: M[];
  /** Left-over slots for the tied. */
  tiedSlots: number;
  /** Slots the split was made for; -1 when it must be made again. */
  slots: number;
  /** Marks the shares of the present split; above NO_STAMP. */
  stamp: number;
  /** Counts changes of scores. */
  epoch: number;
  /** The epoch that the present split's ties were decided in; -1 when it holds for any scores. */
  tieEpoch: number;
  /** The ties cannot be decided apart from the rest of the split. */
  isTieDeep: boolean;
}

/** A line with nobody in it, at `startLevel`. */
export function makeLine<M extends Member>(startLevel: number): Line<M> {
  return {
    level: makeLevel(startLevel),
    idle: new RankHeap(),
    busy: new RankHeap(),
    active: new WeightHeap(),
    multi: [],
    tied: [],
    tiedSlots: 0,
    slots: -1,
    stamp: NO_STAMP + 1,
    epoch: 0,
    tieEpoch: -1,
    isTieDeep: false,
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

/** Counts a member among those that slots are split over. O(log members). */
export function enterSplit<M extends Member>(line: Line<M>, member: M): void {
  line.active.push(member);
  splitChanged(line);
}

/** Takes a member out of the split; its share goes with it, as the line it enters next has stamps of its own. */
export function leaveSplit<M extends Member>(line: Line<M>, member: M): void {
  line.active.remove(member);
  member.shareStamp = NO_STAMP;
  splitChanged(line);
}

/** Makes the split again when who has work, or a weight, changed. O(1). */
export function splitChanged(line: Line<Member>): void {
  line.slots = -1;
}
