import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitLimit, splitPool, splitSlots, splitSteps, splitWithTies } from "../src/shares";
import { apportionByHand } from "./apportionment-oracle";

const weight = fc.oneof(
  fc.integer({ min: 1, max: 10 }),
  fc.integer({ min: 1, max: 1000 }),
  fc.integer({ min: 1, max: 1_000_000 }),
);
const claimants = fc
  .array(fc.record({ weight, score: fc.integer({ min: 0, max: 3 }) }), { minLength: 1, maxLength: 20 })
  .map((list) => list.map((entry, index) => ({ ...entry, id: `t${String(index).padStart(2, "0")}` })));
const slots = fc.integer({ min: 0, max: 64 });
const runs = { numRuns: 4000 };

describe("E19 the share vector", () => {
  it("E19 equals an independent reading of the rule", () => {
    fc.assert(
      fc.property(slots, claimants, (n, list) => {
        expect(splitSlots(n, list)).toEqual(apportionByHand(n, list));
      }),
      runs,
    );
  });

  it("E19 sums to the slots, gives at least one each when there is room, and follows the weights", () => {
    fc.assert(
      fc.property(slots, claimants, (n, list) => {
        const parts = splitSlots(n, list);
        expect(parts.reduce((a, b) => a + b, 0)).toBe(n);
        if (n >= list.length) expect(Math.min(...parts)).toBeGreaterThanOrEqual(1);
        list.forEach((a, i) => {
          list.forEach((b, j) => {
            if (a.weight > b.weight) expect(parts[i]).toBeGreaterThanOrEqual(parts[j] as number);
            if (a.weight === b.weight) expect(Math.abs((parts[i] as number) - (parts[j] as number))).toBeLessThan(2);
          });
        });
      }),
      runs,
    );
  });

  it("E19 leaves the quota rule only to lift to one, and below the quota only to pay for lifts", () => {
    fc.assert(
      fc.property(slots, claimants, (n, list) => {
        const steps = splitSteps(n, list);
        let lifted = 0;
        let paid = 0;
        for (const step of steps) {
          const hasRemainder = step.remainder > 0;
          const ceiling = step.whole + (hasRemainder ? 1 : 0);
          if (step.result > ceiling) expect(step.result).toBe(1);
          if (step.lift > 0) lifted += step.lift;
          else paid -= step.lift;
          if (step.result < step.whole) expect(step.lift).toBeLessThan(0);
        }
        expect(paid).toBe(lifted);
      }),
      runs,
    );
  });

  it("E19 shows steps that add up to the split", () => {
    fc.assert(
      fc.property(slots, claimants, (n, list) => {
        const steps = splitSteps(n, list);
        expect(steps.map((step) => step.result)).toEqual(splitSlots(n, list));
        for (const step of steps) {
          expect(step.whole + step.leftOver + step.lift).toBe(step.result);
          expect(BigInt(step.whole) * BigInt(step.remainderOf) + BigInt(step.remainder)).toBe(
            BigInt(n) * BigInt(step.weight),
          );
          expect(step.paidBy === null).toBe(step.lift <= 0);
        }
      }),
      runs,
    );
  });

  it("E19 raising a weight never lowers its own part", () => {
    fc.assert(
      fc.property(slots, claimants, fc.nat(), fc.integer({ min: 1, max: 5000 }), (n, list, pick, more) => {
        const at = pick % list.length;
        const raised = list.map((entry, i) => (i === at ? { ...entry, weight: entry.weight + more } : entry));
        expect(splitSlots(n, raised)[at]).toBeGreaterThanOrEqual(splitSlots(n, list)[at] as number);
      }),
      runs,
    );
  });

  it("E19 the order of the input does not matter", () => {
    fc.assert(
      fc.property(slots, claimants, (n, list) => {
        const reversed = [...list].reverse();
        expect(splitSlots(n, reversed).reverse()).toEqual(splitSlots(n, list));
      }),
      runs,
    );
  });

  it("E19 says that scores did not decide only when no scores could change a part", () => {
    const scores = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 20, maxLength: 20 });
    let tied = 0;
    let free = 0;
    fc.assert(
      fc.property(slots, claimants, scores, fc.boolean(), (n, random, others, isAlike) => {
        const list = isAlike ? random.map((entry, i) => ({ ...entry, weight: 1 + (i % 2) })) : random;
        const { parts, isTied } = splitWithTies(n, list);
        expect(parts).toEqual(splitSlots(n, list));
        if (isTied) {
          tied += 1;
          return;
        }
        free += 1;
        expect(
          splitSlots(
            n,
            list.map((entry, i) => ({ ...entry, score: others[i] ?? 0 })),
          ),
        ).toEqual(parts);
      }),
      runs,
    );
    expect(Math.min(tied, free)).toBeGreaterThan(200);
  });

  it("E36 scaling every weight by a constant changes nothing", () => {
    fc.assert(
      fc.property(slots, claimants, fc.integer({ min: 2, max: 1000 }), (n, list, factor) => {
        const scaled = list.map((entry) => ({ ...entry, weight: entry.weight * factor }));
        expect(splitSlots(n, scaled)).toEqual(splitSlots(n, list));
      }),
      runs,
    );
  });

  it("E19 stays exact at any size", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000_000 }), claimants, (n, list) => {
        const big = list.map((entry) => ({ ...entry, weight: entry.weight * 1009 }));
        const parts = splitSlots(n, big);
        expect(parts.reduce((a, b) => a + b, 0)).toBe(n);
      }),
      { numRuns: 500 },
    );
  });

  it("E19 a two-level split gives each group's tenants exactly the group's part", () => {
    fc.assert(
      fc.property(slots, claimants, fc.array(claimants, { minLength: 20, maxLength: 20 }), (n, groups, tenants) => {
        const split = splitPool(
          n,
          groups.map((group, i) => ({ ...group, members: tenants[i] ?? [] })),
        );
        expect(split.groups).toEqual(splitSlots(n, groups));
        split.members.forEach((parts, i) => {
          expect(parts.reduce((a, b) => a + b, 0)).toBe(split.groups[i]);
        });
      }),
      { numRuns: 500 },
    );
  });
});

describe("C8 the fallback split", () => {
  it("C8 the parts of all gateways together stay below the limit plus the gateways", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 64 }), (limit, replicas) => {
        const part = splitLimit(limit, replicas);
        expect(part).toBeGreaterThanOrEqual(1);
        expect(part * replicas).toBeGreaterThanOrEqual(limit);
        expect(part * replicas).toBeLessThanOrEqual(Math.max(limit, 1) + replicas - 1);
      }),
    );
  });
});
