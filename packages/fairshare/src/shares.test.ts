import { describe, expect, it } from "vitest";
import { heldLimit, splitLimit, splitPool, splitSlots, splitSteps, splitWithTies } from "./shares";

const claim = (weights: readonly number[], scores: readonly number[] = []) =>
  weights.map((weight, index) => ({ id: `t${index}`, weight, score: scores[index] ?? 0 }));

describe("splitSlots", () => {
  it.each([
    [8, [500, 50], [7, 1]],
    [10, [300, 100], [8, 2]],
    [4, [1000, 1], [3, 1]],
    [4, [1000, 1, 1, 1], [1, 1, 1, 1]],
    [8, [1, 1, 1], [3, 3, 2]],
    [20, [500, 200, 50], [14, 5, 1]],
    [20, [500, 200, 150], [12, 5, 3]],
    [20, [500, 400, 50], [11, 8, 1]],
    [20, [500, 200, 50, 10], [13, 5, 1, 1]],
    [12, [1000, 1, 1, 1], [9, 1, 1, 1]],
    [16, [100, 500, 300, 100], [2, 8, 5, 1]],
    [16, [200, 500, 300, 100], [3, 7, 4, 2]],
    [9, [1, 1], [5, 4]],
    [10, [1000, 1, 1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]],
    [25, [1500, 1500, 900, 500, 500, 200], [7, 7, 4, 3, 3, 1]],
    [26, [1500, 1500, 900, 500, 500, 200], [8, 8, 5, 2, 2, 1]],
  ] as const)("gives %i slots over weights %j as %j", (slots, weights, parts) => {
    expect(splitSlots(slots, claim(weights))).toEqual(parts);
  });

  it("leaves some with nothing when takers outnumber slots, lowest score first", () => {
    expect(splitSlots(3, claim([1, 1, 1, 1, 1], [5, 4, 3, 2, 1]))).toEqual([0, 0, 1, 1, 1]);
  });

  it("gives nothing to nobody and zero slots to anybody", () => {
    expect(splitSlots(5, [])).toEqual([]);
    expect(splitSlots(0, claim([3, 1]))).toEqual([0, 0]);
  });

  it("gives an equal remainder's odd slot to whoever is furthest behind", () => {
    expect(splitSlots(19, claim([100, 100], [10, 9]))).toEqual([9, 10]);
    expect(splitSlots(19, claim([100, 100], [9, 10]))).toEqual([10, 9]);
  });

  it("gives it to the larger weight when scores are equal, then to the lower id", () => {
    expect(
      splitSlots(2, [
        { id: "a", weight: 1, score: 0 },
        { id: "b", weight: 3, score: 0 },
      ]),
    ).toEqual([1, 1]);
    expect(
      splitSlots(1, [
        { id: "b", weight: 1, score: 0 },
        { id: "a", weight: 1, score: 0 },
      ]),
    ).toEqual([0, 1]);
  });

  it("lets whoever is furthest ahead pay for a lift when several are equally far above their quota", () => {
    expect(splitSlots(6, claim([1000, 1000, 1], [5, 9, 0]))).toEqual([3, 2, 1]);
    expect(splitSlots(6, claim([1000, 1000, 1], [9, 5, 0]))).toEqual([2, 3, 1]);
  });

  it("stays exact where products pass what a double can hold", () => {
    const parts = splitSlots(9_000_000_000, claim([999_999_999, 1_000_000_000, 1]));
    expect(parts.reduce((a, b) => a + b, 0)).toBe(9_000_000_000);
    expect(parts).toEqual([4_499_999_996, 4_500_000_000, 4]);
  });

  it("rounds exactly where a product of doubles would not", () => {
    const weights = [999_999_937, 999_999_893, 1_000_003];
    expect(splitSlots(10_000_000_009, claim(weights))).toEqual([4_997_501_356, 4_997_501_136, 4_997_517]);
  });

  it("lets the winner of a left-over slot that is furthest above its quota pay for a lift", () => {
    expect(splitSlots(5, claim([30, 20, 1]))).toEqual([2, 2, 1]);
  });

  it("lets those without a left-over slot pay after the winners, smallest remainder first", () => {
    expect(splitSlots(7, claim([50, 5, 30, 1]))).toEqual([3, 1, 2, 1]);
  });

  it("goes on in rounds, each by remainder, and leaves out whoever has one slot left", () => {
    expect(splitSlots(17, claim([500, 1000, 1, 5, 1, 1]))).toEqual([4, 9, 1, 1, 1, 1]);
    expect(splitSlots(18, claim([100, 1, 5, 10, 3, 3, 500, 2]))).toEqual([1, 1, 1, 1, 1, 1, 11, 1]);
  });

  it("never lets a winner pay with its only slot", () => {
    expect(splitSlots(10, claim([30, 1000, 50, 100, 30]))).toEqual([1, 6, 1, 1, 1]);
  });

  it("prefers the larger weight among equal remainders in whatever order they come", () => {
    expect(splitSlots(6, claim([1, 3]))).toEqual([1, 5]);
    expect(splitSlots(6, claim([3, 1]))).toEqual([5, 1]);
  });

  it("treats ids like __proto__ as any other", () => {
    expect(
      splitSlots(4, [
        { id: "__proto__", weight: 3, score: 0 },
        { id: "constructor", weight: 1, score: 0 },
      ]),
    ).toEqual([3, 1]);
  });
});

describe("who pays for whom", () => {
  it("is told in order: whoever is furthest behind is lifted first, by whoever is furthest above its quota", () => {
    const steps = splitSteps(9, claim([100, 5, 500, 1], [0, 1, 1, 0]));
    expect(steps.map(({ result }) => result)).toEqual([1, 1, 6, 1]);
    expect(steps.map(({ paidBy }) => paidBy)).toEqual([null, "t2", null, "t0"]);
  });
});

describe("splitWithTies", () => {
  it.each([
    [8, [500, 50], false],
    [19, [100, 100], true],
    [8, [1, 1, 1], true],
    [9, [1, 1, 1], false],
    [0, [3, 1], false],
    [3, [1, 1, 1, 1, 1], true],
    [2, [1, 1], false],
    [20, [500, 200, 50, 10], false],
    [6, [1000, 1000, 1], true],
    [5, [30, 20, 1], false],
    [4, [1000, 1, 1, 1], false],
    [12, [1000, 1000, 1, 1, 1], true],
    [10, [1000, 1, 1, 1, 1, 1, 1, 1, 1, 1], false],
  ] as const)("of %i slots over %j: equal remainders decide: %s", (slots, weights, isTied) => {
    expect(splitWithTies(slots, claim(weights)).isTied).toBe(isTied);
  });
});

describe("splitPool", () => {
  it("splits the pool over groups and each group's part over its tenants", () => {
    const group = (id: string, weight: number, weights: readonly number[]) => ({
      id,
      weight,
      score: 0,
      members: claim(weights),
    });
    expect(splitPool(20, [group("chat", 500, [3, 1]), group("api", 200, [1]), group("batch", 50, [1, 1])])).toEqual({
      groups: [14, 5, 1],
      members: [[11, 3], [5], [1, 0]],
    });
  });
});

describe("splitSteps", () => {
  it("shows how 20 slots become 13, 5, 1 and 1, and who paid for the lift", () => {
    const steps = splitSteps(20, claim([500, 200, 50, 10]));
    expect(steps.map((step) => [step.whole, step.remainder, step.leftOver, step.lift, step.result])).toEqual([
      [13, 120, 0, 0, 13],
      [5, 200, 0, 0, 5],
      [1, 240, 1, -1, 1],
      [0, 200, 0, 1, 1],
    ]);
    expect(steps[3]?.paidBy).toBe("t2");
    expect(steps[0]?.quota).toBeCloseTo(13.158, 3);
    expect(steps[0]?.remainderOf).toBe(760);
  });

  it("counts every slot a payer gave", () => {
    const steps = splitSteps(4, claim([1000, 1, 1, 1]));
    expect(steps.map((step) => step.lift)).toEqual([-3, 1, 1, 1]);
    expect(steps.map((step) => step.paidBy)).toEqual([null, "t0", "t0", "t0"]);
  });
});

describe("splitLimit", () => {
  it.each([
    [32, 3, 11],
    [1, 3, 1],
    [8, 2, 4],
    [9, 2, 5],
    [20, 1, 20],
    [20, 0, 20],
  ])("gives each part of %i over %i gateways as %i", (limit, replicas, part) => {
    expect(splitLimit(limit, replicas)).toBe(part);
  });
});

it("allows a quarter of 32 slots to be held, rounded up", () => {
  expect([heldLimit(32, 25), heldLimit(1, 25), heldLimit(32, 0)]).toEqual([8, 1, 0]);
});
