import { describe, expect, it } from "vitest";
import { effectiveWeight } from "./policy";
import {
  charge,
  compareLevels,
  FRACTION,
  MAX_COST_TOKENS,
  MAX_WEIGHT,
  placeAt,
  raiseTo,
  reweigh,
  type Score,
  scoreOf,
  uncharge,
} from "./score";

function score(weight: number, over: Partial<Score> = {}): Score {
  return { hi: 0, lo: 0, rest: 0, weight, ...over };
}

/** The score in units of 1 / (FRACTION x weight), exactly. */
function exact({ hi, lo, rest, weight }: Score): bigint {
  return (BigInt(hi) * BigInt(FRACTION) + BigInt(lo)) * BigInt(weight) + BigInt(rest);
}

const WEIGHTS = [1, 2, 3, 7, 17, 50, 99, 100, 500, 1_000_000, 99_999_989, MAX_WEIGHT];
/** Effective weights of every kind a tenant can have: round, as boosts and percentages leave them, prime, and the largest. */
const EFFECTIVE = unique([
  ...[1, 7, 50, 100, 300, 70_000, 1_000_000].flatMap((weight) =>
    [1, 0.1, 1.7, 100].flatMap((boostFactor) =>
      [100, 15, 145, 10_000].map((percent) => Math.min(effectiveWeight({ weight, boostFactor }, percent), MAX_WEIGHT)),
    ),
  ),
  17,
  29,
  58,
  145,
  290,
  2_900_000,
  99_999_989,
]);
const COSTS = [0, 1, 2, 3, 10, 999, 65_537, 2 ** 31 + 1, MAX_COST_TOKENS - 1, MAX_COST_TOKENS];

/** Charges both by the same part of a token per weight, again and again; the times after which they were not level. */
function partsUnlevel(a: Score, b: Score, times: number): number[] {
  const common = gcd(a.weight, b.weight);
  const unlevel = compareLevels(a, b) === 0 ? [] : [0];
  for (let time = 1; time <= times; time++) {
    charge(a, a.weight / common);
    charge(b, b.weight / common);
    if (compareLevels(a, b) !== 0) unlevel.push(time);
  }
  return unlevel;
}

function unique(weights: number[]): number[] {
  return [...new Set(weights)];
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

describe("the unit of scores", () => {
  it("is a multiple of every weight of at most 16 times a power of ten up to 1,000,000, so none leaves a rest", () => {
    let weights = 0;
    for (let tens = 1; tens <= 1_000_000; tens *= 10) {
      for (let times = 1; times <= 16 && times * tens <= 1_000_000; times++) {
        expect(BigInt(FRACTION) % BigInt(times * tens), `${times * tens}`).toBe(0n);
        const account = score(times * tens);
        for (const cost of COSTS) {
          charge(account, cost);
          expect(account.rest).toBe(0);
        }
        weights += 1;
      }
    }
    expect(weights).toBe(5 * 16 + 10 + 1);
  });
});

describe("charging", () => {
  it("adds exactly tokens over weight, for every weight and cost in range, and keeps the fraction in its bounds", () => {
    for (const weight of WEIGHTS) {
      const account = score(weight);
      let tokens = 0n;
      for (const cost of [...COSTS, ...COSTS.toReversed()]) {
        charge(account, cost);
        tokens += BigInt(cost);
        expect(exact(account)).toBe(tokens * BigInt(FRACTION));
        expect(account.lo).toBeGreaterThanOrEqual(0);
        expect(account.lo).toBeLessThan(FRACTION);
        expect(account.rest).toBeLessThan(weight);
      }
    }
  });

  it("moves the score for one token at the largest weight", () => {
    const account = score(MAX_WEIGHT);
    charge(account, 1);
    expect(compareLevels(account, score(MAX_WEIGHT))).toBeGreaterThan(0);
  });

  it("still moves it by one token at 2^53 - 10", () => {
    const account = score(1, { hi: Number.MAX_SAFE_INTEGER - 10 });
    charge(account, 1);
    expect(account.hi).toBe(Number.MAX_SAFE_INTEGER - 9);
  });

  it("makes 7 charges of 3 tokens at weight 7 level with one of 3 at weight 1", () => {
    const sevenths = score(7);
    for (let i = 0; i < 7; i++) charge(sevenths, 3);
    expect(sevenths).toMatchObject({ hi: 3, lo: 0, rest: 0 });
  });

  it("is undone to the last digit, in any order of undoing", () => {
    for (const weight of WEIGHTS) {
      const account = score(weight);
      charge(account, 12_345);
      const before = { ...account };
      for (const cost of COSTS) charge(account, cost);
      for (const cost of COSTS) uncharge(account, cost);
      expect(account).toEqual(before);
    }
  });
});

describe("placing", () => {
  it("raises to a level and never lowers", () => {
    const account = score(3, { hi: 5, lo: 10 });
    expect(raiseTo(account, score(1, { hi: 5, lo: 10 }))).toBe(false);
    expect(raiseTo(account, score(1, { hi: 5, lo: 9 }))).toBe(false);
    expect(raiseTo(account, score(1, { hi: 6 }))).toBe(true);
    expect(account).toMatchObject({ hi: 6, lo: 0, rest: 0 });
  });

  it("leaves one that is above in every digit as it is, whatever rest the level has", () => {
    const account = score(29, { hi: 7, rest: 3 });
    expect(raiseTo(account, score(29, { hi: 6, rest: 20 }))).toBe(false);
    expect(account).toEqual(score(29, { hi: 7, rest: 3 }));
  });

  it("keeps accounts of one weight equal for ever after one was lifted to the other, at any weight", () => {
    const leader = score(17);
    charge(leader, 5);
    const follower = score(17);
    placeAt(follower, leader);
    for (let i = 0; i < 40; i++) {
      charge(leader, 3);
      charge(follower, 3);
      expect(compareLevels(leader, follower)).toBe(0);
    }
  });

  it("leaves accounts of any two weights level whenever they are in truth, after one was lifted to the other", () => {
    for (const ahead of EFFECTIVE) {
      for (const behind of EFFECTIVE) {
        const leader = score(ahead);
        charge(leader, 10 + (behind % 97));
        const follower = score(behind);
        raiseTo(follower, leader);
        expect(partsUnlevel(leader, follower, 40), `${ahead} and ${behind}`).toEqual([]);
      }
    }
  });

  it("leaves an account level with one of its old weight whenever they are in truth, after its weight changed", () => {
    for (const before of EFFECTIVE) {
      for (const after of EFFECTIVE) {
        const steady = score(before);
        const changed = score(before);
        charge(steady, 1 + (after % 89));
        charge(changed, 1 + (after % 89));
        reweigh(changed, after);
        expect(partsUnlevel(steady, changed, 10), `${before} to ${after}`).toEqual([]);
      }
    }
  });

  it("never puts an account above the level it is lifted to, and below it by less than its own weight can say", () => {
    for (const ahead of EFFECTIVE) {
      for (const behind of EFFECTIVE) {
        const leader = score(ahead);
        charge(leader, 1 + (behind % 101));
        const follower = score(behind);
        placeAt(follower, leader);
        const short = exact(leader) * BigInt(behind) - exact(follower) * BigInt(ahead);
        expect(short >= 0n && short < BigInt(ahead), `${ahead} and ${behind}`).toBe(true);
      }
    }
  });

  it("takes the larger rest where everything else is equal, and says that nothing moved", () => {
    const leader = score(29);
    charge(leader, 10);
    const follower = score(58, { hi: leader.hi, lo: leader.lo });
    expect(leader.rest).toBeGreaterThan(0);
    expect(raiseTo(follower, leader)).toBe(false);
    expect(follower.rest).toBe(2 * leader.rest);
    expect(raiseTo(leader, score(29, { hi: leader.hi, lo: leader.lo }))).toBe(false);
    expect(2 * leader.rest).toBe(follower.rest);
  });

  it("keeps the score when the weight changes", () => {
    const account = score(7);
    charge(account, 10);
    const { hi, lo } = account;
    reweigh(account, 9);
    expect(account).toMatchObject({ hi, lo, weight: 9 });
  });

  it("is shown as whole tokens per weight and the part of one", () => {
    expect(scoreOf({ hi: 2, lo: FRACTION / 4 })).toBe(2.25);
    expect(scoreOf({ hi: -3, lo: FRACTION / 2 })).toBe(-2.5);
  });

  it("is finite as a number, also for the largest", () => {
    expect(Number.isFinite(scoreOf({ hi: Number.MAX_SAFE_INTEGER, lo: FRACTION - 1 }))).toBe(true);
  });
});
