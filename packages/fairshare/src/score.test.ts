import { describe, expect, it } from "vitest";
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
const COSTS = [0, 1, 2, 3, 10, 999, 65_537, 2 ** 31 + 1, MAX_COST_TOKENS - 1, MAX_COST_TOKENS];

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
    expect(raiseTo(account, { hi: 5, lo: 10 })).toBe(false);
    expect(raiseTo(account, { hi: 5, lo: 9 })).toBe(false);
    expect(raiseTo(account, { hi: 6, lo: 0 })).toBe(true);
    expect(account).toMatchObject({ hi: 6, lo: 0, rest: 0 });
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

  it("keeps the score when the weight changes", () => {
    const account = score(7);
    charge(account, 10);
    const { hi, lo } = account;
    reweigh(account, 9);
    expect(account).toEqual({ hi, lo, rest: 0, weight: 9 });
  });

  it("is finite as a number, also for the largest", () => {
    expect(Number.isFinite(scoreOf({ hi: Number.MAX_SAFE_INTEGER, lo: FRACTION - 1 }))).toBe(true);
  });
});
