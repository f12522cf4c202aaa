/**
 * The split of whole slots by weight: largest remainder, then at least one each while there is room.
 *
 * Scheduler, live state, previews and the page all divide slots with these functions, so they cannot disagree. All
 * arithmetic is on whole numbers: quotas are kept as fractions over the sum of weights and never rounded, so every
 * machine gives the same split. Nothing depends on the order of the input except the order of the output.
 *
 * Source: Hamilton's method of apportionment; the lift to one follows Kubernetes' API Priority and Fairness in spirit.
 */

/** One that takes part in a split. */
export interface Claimant {
  /** Last tie-breaker: compared by code units, lower first. */
  readonly id: string;
  /** Whole number from 1. */
  readonly weight: number;
  /** Share score (tokens per weight); lower is further behind and goes first when remainders are equal. */
  readonly score: number;
}

/** A group and those of its tenants that have work. */
export interface GroupClaimant<Member extends Claimant = Claimant> extends Claimant {
  readonly members: readonly Member[];
}

/** How one claimant's part came about, for showing the rounding. */
export interface SplitStep {
  readonly id: string;
  readonly weight: number;
  /** The exact part before rounding, slots x weight / sum of weights, for display. */
  readonly quota: number;
  /** Quota rounded down. */
  readonly whole: number;
  /** What rounding down left, in units of 1 / `remainderOf` of a slot. */
  readonly remainder: number;
  /** Sum of all weights. */
  readonly remainderOf: number;
  /** 1 when it won one of the slots that rounding down left over, else 0. */
  readonly leftOver: number;
  /** 1 when it had nothing and was lifted to one slot; minus the slots it paid for others' lifts; else 0. */
  readonly lift: number;
  /** Who paid for its lift; null when it was not lifted. */
  readonly paidBy: string | null;
  /** Slots in the end: whole + leftOver + lift. */
  readonly result: number;
}

/** The parts of a two-level split, in the order of the groups and of their members. */
export interface PoolSplit {
  readonly groups: readonly number[];
  readonly members: readonly (readonly number[])[];
}

/**
 * Divides `slots` (whole, 0 or more) over the claimants by weight. Returns one part per claimant, in input order.
 *
 * The parts sum to exactly `slots` unless there are no claimants. With slots >= claimants each part is at least 1. A
 * larger weight never gets less than a smaller one; equal weights differ by at most 1. Without a lift each part is the
 * quota rounded down or up. With fewer slots than claimants some parts are 0.
 *
 * Cost O(n log n).
 */
export function splitSlots(slots: number, claimants: readonly Claimant[]): number[] {
  return apportion(slots, claimants).parts;
}

/**
 * The parts of `splitSlots`, and whether the order of equal remainders decided any of them. Where it did not, the
 * parts are the same for any scores.
 */
export function splitWithTies(
  slots: number,
  claimants: readonly Claimant[],
): { readonly parts: number[]; readonly isTied: boolean } {
  const { parts, isTied } = apportion(slots, claimants);
  return { parts, isTied };
}

/**
 * Divides `slots` over groups by group weight, then each group's part over its members by their effective weight.
 * Each level has the guarantees of `splitSlots`.
 */
export function splitPool(slots: number, groups: readonly GroupClaimant[]): PoolSplit {
  const parts = splitSlots(slots, groups);
  return { groups: parts, members: groups.map((group, index) => splitSlots(parts[index] ?? 0, group.members)) };
}

/**
 * The rounding of `splitSlots`, step by step, in input order. `result` equals what `splitSlots` returns.
 */
export function splitSteps(slots: number, claimants: readonly Claimant[]): SplitStep[] {
  const { parts, wholes, remainders, winners, payments, total } = apportion(slots, claimants);
  const isWinner = new Set(winners);
  const payerOf = new Map(payments.map((payment) => [payment.taker, payment.payer]));
  return claimants.map((claimant, index) => {
    const whole = wholes[index] ?? 0;
    const remainder = remainders[index] ?? 0;
    const leftOver = isWinner.has(index) ? 1 : 0;
    const result = parts[index] ?? 0;
    const payer = payerOf.get(index);
    return {
      id: claimant.id,
      weight: claimant.weight,
      quota: whole + remainder / total,
      whole,
      remainder,
      remainderOf: total,
      leftOver,
      lift: result - whole - leftOver,
      paidBy: payer === undefined ? null : (claimants[payer]?.id ?? null),
      result,
    };
  });
}

/**
 * What one of `replicas` gateways may use of a limit when it cannot ask the others: rounded up, at least 1. The sum
 * over all gateways is below limit + replicas, or equal to the number of replicas when that is larger than the limit.
 */
export function splitLimit(limit: number, replicas: number): number {
  return Math.max(1, Math.ceil(limit / Math.max(1, replicas)));
}

/**
 * Most of `size` slots that may be held empty for sessions' next steps, rounded up: with 1 percent a pool of one slot
 * may hold it, with 0 nothing is held.
 */
export function heldLimit(size: number, maxHeldPercent: number): number {
  return Math.ceil((size * maxHeldPercent) / 100);
}

/** A slot the split moved so that somebody with none got one. Both are positions in the input. */
interface Payment {
  readonly taker: number;
  readonly payer: number;
}

/** A split with everything that led to it. Lists are in the order of the input. */
interface Apportionment {
  readonly parts: number[];
  readonly wholes: number[];
  readonly remainders: number[];
  /** Who won a left-over slot, best claim first. */
  readonly winners: readonly number[];
  readonly payments: readonly Payment[];
  readonly total: number;
  /** Some of equal remainders won, or paid, and others did not. */
  readonly isTied: boolean;
}

/**
 * The split itself: quotas rounded down, left-over slots to the largest remainders, then the lift to one. O(n log n); a
 * sort only where slots are left over.
 */
function apportion(slots: number, claimants: readonly Claimant[]): Apportionment {
  const total = claimants.reduce((sum, claimant) => sum + claimant.weight, 0);
  const wholes: number[] = [];
  const remainders: number[] = [];
  let left = slots;
  for (const { weight } of claimants) {
    const [whole, remainder] = divide({ slots, weight, total });
    wholes.push(whole);
    remainders.push(remainder);
    left -= whole;
  }
  const parts = [...wholes];
  // Nothing left over, nothing to sort: the common case of weights that divide the slots.
  const order = left === 0 ? [] : byRemainder(claimants, remainders);
  const winners = order.slice(0, left);
  for (const winner of winners) parts[winner] = (parts[winner] ?? 0) + 1;
  const isWinTied = left > 0 && left < order.length && isEqualAt(order, left, remainders);
  const lifted = liftToOne({ slots, claimants, parts, remainders, winners });
  const { payments } = lifted;
  return { parts, wholes, remainders, winners, payments, total, isTied: isWinTied || lifted.isTied };
}

/** Whether the entry at `place` has the same remainder as the one before it. */
function isEqualAt(order: readonly number[], place: number, remainders: readonly number[]): boolean {
  return remainders[order[place] ?? -1] === remainders[order[place - 1] ?? -1];
}

/** Whole part and remainder of slots x weight / total, exact at any size. */
function divide({ slots, weight, total }: { slots: number; weight: number; total: number }): [number, number] {
  const product = slots * weight;
  if (product <= Number.MAX_SAFE_INTEGER) {
    const remainder = product % total;
    return [(product - remainder) / total, remainder];
  }
  const exact = BigInt(slots) * BigInt(weight);
  return [Number(exact / BigInt(total)), Number(exact % BigInt(total))];
}

/** All claimants, largest remainder first; equal ones by `claimOrder`. */
function byRemainder(claimants: readonly Claimant[], remainders: readonly number[]): number[] {
  return [...claimants.keys()].sort(
    (a, b) => (remainders[b] ?? 0) - (remainders[a] ?? 0) || claimOrder(claimants[a], claimants[b]),
  );
}

/**
 * Gives each claimant that has 0 one slot of whoever is furthest above its quota and keeps more than one; equal ones
 * pay in the reverse of `claimOrder`, so who is furthest ahead pays first. Changes `parts`; returns who paid whom.
 *
 * Being above the quota is 1 - remainder for a winner of a left-over slot and -remainder for the others, and each
 * payment lowers it by 1. So the winners pay once each, smallest remainder first, then all in rounds in that order.
 */
function liftToOne(input: {
  slots: number;
  claimants: readonly Claimant[];
  parts: number[];
  remainders: readonly number[];
  winners: readonly number[];
}): { payments: Payment[]; isTied: boolean } {
  const { slots, claimants, parts, remainders, winners } = input;
  const payments: Payment[] = [];
  if (slots < claimants.length || !parts.includes(0)) return { payments, isTied: false };
  const takers = [...claimants.keys()]
    .filter((index) => parts[index] === 0)
    .sort((a, b) => claimOrder(claimants[a], claimants[b]));
  const payOrder = (a: number, b: number) =>
    (remainders[a] ?? 0) - (remainders[b] ?? 0) || claimOrder(claimants[b], claimants[a]);
  const canPay = (index: number) => (parts[index] ?? 0) > 1;
  // Winners of left-over slots stand above their quota and pay first; who has no more than its quota pays after them.
  let round = winners.filter(canPay).sort(payOrder);
  let isFirstRound = true;
  for (;;) {
    for (const payer of round) {
      const taker = takers[payments.length];
      if (taker === undefined) break;
      parts[payer] = (parts[payer] ?? 0) - 1;
      parts[taker] = 1;
      payments.push({ taker, payer });
    }
    if (payments.length === takers.length) return { payments, isTied: isPayTied(round, payments, remainders) };
    round = isFirstRound ? [...claimants.keys()].filter(canPay).sort(payOrder) : round.filter(canPay);
    isFirstRound = false;
  }
}

/** Whether the last round of payments ended between payers with equal remainders. */
function isPayTied(round: readonly number[], payments: readonly Payment[], remainders: readonly number[]): boolean {
  const last = payments[payments.length - 1];
  const place = last === undefined ? -1 : round.indexOf(last.payer) + 1;
  return place > 0 && place < round.length && isEqualAt(round, place, remainders);
}

/** Who comes first among equal remainders: lowest score, then larger weight, then lower id. */
function claimOrder(a: Claimant | undefined, b: Claimant | undefined): number {
  if (a === undefined || b === undefined) return 0;
  if (a.score !== b.score) return a.score < b.score ? -1 : 1;
  if (a.weight !== b.weight) return b.weight - a.weight;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}
