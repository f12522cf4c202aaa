/**
 * The split of `shares.ts` over a line, found without looking at everybody.
 *
 * With more takers than slots nobody is lifted, and whoever's quota is below one slot counts as one whatever the
 * rounding gives it; so only the members with a quota of one or more matter, of which there are at most as many as
 * slots, and the weight heap leads to them. With fewer takers than slots there are few to begin with. A split is kept
 * until who has work, a weight or the slots change; when equal remainders compete for the last left-over slots, only
 * the order of those that are tied is looked at again when scores change.
 *
 * Whole arithmetic throughout: slots x weight stays below 2^53 for weights to 2^27 and 2^26 slots.
 */
import { claimantsOf } from "./claimants";
import type { Line, Member } from "./line";
import { compareLevels } from "./score";
import { splitWithTies } from "./shares";

/** Brings the shares in `multi` up to date for `slots`. O(1) while nothing changed, O(tied) while only scores did. */
export function updateSplit<M extends Member>(line: Line<M>, slots: number): void {
  if (line.slots === slots) {
    if (line.tieEpoch === -1 || line.tieEpoch === line.epoch) return;
    if (!line.isTieDeep) {
      decideTie(line);
      return;
    }
  }
  line.slots = slots;
  line.stamp += 1;
  line.multi.length = 0;
  line.tied.length = 0;
  line.tieEpoch = -1;
  line.isTieDeep = false;
  if (line.active.size <= slots) splitAmongFew(line, slots);
  else splitAmongMany(line, slots);
}

/** Everybody has a slot's worth of room. O(members log members). */
function splitAmongFew<M extends Member>(line: Line<M>, slots: number): void {
  const members = line.active.items;
  const only = members[0];
  if (only === undefined) return;
  if (members.length === 1) {
    setShare(line, only, slots);
    return;
  }
  let left = slots;
  for (const member of members) left -= wholeOf(line, member);
  if (left > 0) {
    const byRemainder = members.toSorted((a, b) => remainderOf(line, b) - remainderOf(line, a));
    const cut = remainderOf(line, byRemainder[left - 1] as M);
    const isTied = left < byRemainder.length && remainderOf(line, byRemainder[left] as M) === cut;
    if (mustLift(line, { byRemainder, left, cut, isTied })) {
      splitByReference(line);
      return;
    }
    for (const member of byRemainder) share(line, member, { cut, isTied });
    if (isTied) {
      line.tieEpoch = -1;
      line.tiedSlots = left - byRemainder.findIndex((member) => remainderOf(line, member) === cut);
      decideTie(line);
    }
    return;
  }
  for (const member of members) setShare(line, member, wholeOf(line, member));
}

/** Gives a member its part, or puts it among the tied. */
function share<M extends Member>(line: Line<M>, member: M, at: { cut: number; isTied: boolean }): void {
  const remainder = remainderOf(line, member);
  if (at.isTied && remainder === at.cut) line.tied.push(member);
  else setShare(line, member, wholeOf(line, member) + (remainder >= at.cut ? 1 : 0));
}

/** Whether somebody would be left with nothing, so that others must pay for a lift. */
function mustLift<M extends Member>(
  line: Line<M>,
  at: { byRemainder: readonly M[]; left: number; cut: number; isTied: boolean },
): boolean {
  return at.byRemainder.some((member, index) => {
    const isSure = index < at.left && (!at.isTied || remainderOf(line, member) > at.cut);
    return !isSure && wholeOf(line, member) === 0;
  });
}

/** More takers than slots. O(slots log slots), more only where a tie runs through those below one slot. */
function splitAmongMany<M extends Member>(line: Line<M>, slots: number): void {
  const heavy: M[] = [];
  if (slots > 0) line.active.eachFrom(line.active.total / slots, (member) => heavy.push(member) > 0);
  let left = slots;
  for (const member of heavy) left -= wholeOf(line, member);
  heavy.sort((a, b) => remainderOf(line, b) - remainderOf(line, a));
  for (let from = 0; from < heavy.length; ) {
    const remainder = remainderOf(line, heavy[from] as M);
    let to = from + 1;
    while (to < heavy.length && remainderOf(line, heavy[to] as M) === remainder) to += 1;
    const above = from + lighterFrom(line, heavy.length, { remainder: remainder + 1, limit: left });
    const upTo = to + lighterFrom(line, heavy.length, { remainder, limit: left });
    if (remainder > 0 && above < left && upTo > left) {
      splitByReference(line);
      return;
    }
    const extra = remainder > 0 && upTo <= left ? 1 : 0;
    for (const member of heavy.slice(from, to)) setShare(line, member, wholeOf(line, member) + extra);
    from = to;
  }
}

/** Members with a quota below one whose remainder is at least `remainder`, counted up to a little over `limit`. */
function lighterFrom(line: Line<Member>, heavyCount: number, at: { remainder: number; limit: number }): number {
  let count = -heavyCount;
  line.active.eachFrom(Math.ceil(at.remainder / line.slots), () => {
    count += 1;
    return count <= at.limit;
  });
  return count;
}

/** Puts the tied in order (lowest score, larger weight, lower id) and gives the first of them a slot more. */
function decideTie<M extends Member>(line: Line<M>): void {
  const { tied } = line;
  const isFirstTime = line.tieEpoch === -1;
  line.tieEpoch = line.epoch;
  if (!putInOrder(tied) && !isFirstTime) return;
  tied.forEach((member, index) => {
    const whole = wholeOf(line, member);
    const part = whole + (index < line.tiedSlots ? 1 : 0);
    if (member.shareStamp === line.stamp) member.share = part;
    else if (whole > 0) {
      // Listed, as the tie may give it a second slot another time.
      setShare(line, member, 2);
      member.share = part;
    }
  });
}

/** Sorts the tied; says whether anybody moved. O(members) when nobody does. */
function putInOrder(tied: Member[]): boolean {
  let hasMoved = false;
  for (let i = 1; i < tied.length; i++) {
    const member = tied[i] as Member;
    let place = i;
    while (place > 0 && comesBefore(member, tied[place - 1] as Member)) {
      tied[place] = tied[place - 1] as Member;
      place -= 1;
    }
    tied[place] = member;
    if (place !== i) hasMoved = true;
  }
  return hasMoved;
}

/**
 * Whose remainder counts as larger when two are equal: who is further behind, then the larger weight, then the lower
 * id; the order of `splitSlots`.
 */
function comesBefore(a: Member, b: Member): boolean {
  const order = compareLevels(a, b);
  if (order !== 0) return order < 0;
  return a.weight !== b.weight ? a.weight > b.weight : a.id < b.id;
}

/** The split itself, with scores replaced by their exact order; where a tie decided, made again when scores change. */
function splitByReference<M extends Member>(line: Line<M>): void {
  const members = line.active.items.toSorted(compareLevels);
  line.multi.length = 0;
  line.stamp += 1;
  const { parts, isTied } = splitWithTies(line.slots, claimantsOf(members));
  members.forEach((member, index) => {
    setShare(line, member, parts[index] ?? 0);
  });
  line.isTieDeep = isTied;
  line.tieEpoch = isTied ? line.epoch : -1;
}

/** Notes a share of two or more; one of less is known from not being noted. */
function setShare<M extends Member>(line: Line<M>, member: M, share: number): void {
  if (share < 2) return;
  member.share = share;
  member.shareStamp = line.stamp;
  line.multi.push(member);
}

/** The quota rounded down, in whole slots. */
function wholeOf(line: Line<Member>, member: Member): number {
  const product = line.slots * member.weight;
  return (product - (product % line.active.total)) / line.active.total;
}

/** What rounding the quota down leaves, in parts of the sum of weights. */
function remainderOf(line: Line<Member>, member: Member): number {
  return (line.slots * member.weight) % line.active.total;
}
