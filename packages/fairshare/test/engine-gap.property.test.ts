/** How far service may stray from the weights while everybody waits: the bounds, measured over the decisions. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { apportionByHand } from "./apportionment-oracle";
import { plainKey, plainTenant } from "./sim/open-loop";
import { Rng } from "./sim/rng";
import { type Flow, runSaturated, type SaturatedLog } from "./sim/saturated";
import { EngineSystem } from "./sim/systems";
import { WEIGHTS } from "./sim/workload";

type Algorithm = "hierarchical" | "weighted";

/** Two to six tenants, one key each, that always wait. */
function tenantFlows(rng: Rng, options: { groups?: number; costs?: readonly number[] } = {}): Flow[] {
  return Array.from({ length: rng.int(2, 6) }, (_, i) => {
    const group = options.groups === undefined ? "one" : `g${i % options.groups}`;
    const costs = options.costs ?? [[10, 100, 1000], [50], [1, 2500], [700]][i % 4] ?? [100];
    return { tenant: plainTenant(`t${i}`, { group, weight: rng.pick(WEIGHTS) }), key: plainKey(`k${i}`), costs };
  });
}

function saturate(seed: number, algorithm: Algorithm, make: (rng: Rng) => Flow[], count = 400) {
  const rng = new Rng(seed);
  const flows = make(rng);
  const slots = rng.int(1, 8);
  const system = new EngineSystem({ algorithm });
  return { flows, slots, log: runSaturated({ system, rng, flows, slots, count }) };
}

const weightOf = (flow: Flow | undefined) => flow?.tenant.weight ?? 1;
const largest = (flow: Flow | undefined) => Math.max(...(flow?.costs ?? [0]));
/** Rounding of the test's own sums. */
const SLACK = 1e-6;

/** Widest distance between the normalised service of two flows over any interval. */
function widestGap(
  served: readonly { flow: number; costTokens: number }[],
  a: number,
  b: number,
  flows: Flow[],
): number {
  let distance = 0;
  let least = 0;
  let most = 0;
  for (const { flow, costTokens } of served) {
    if (flow === a) distance += costTokens / weightOf(flows[a]);
    else if (flow === b) distance -= costTokens / weightOf(flows[b]);
    least = Math.min(least, distance);
    most = Math.max(most, distance);
  }
  return most - least;
}

const pairs = (flows: readonly Flow[]) =>
  flows.flatMap((_, a) => flows.slice(a + 1).map((_flow, offset): [number, number] => [a, a + 1 + offset]));
const seeds = fc.integer({ min: 1, max: 2 ** 31 });

describe("weighted: service follows the weights", () => {
  it("E11 the gap of two tenants that wait stays within one largest request of each over its weight", () => {
    let worst = 0;
    fc.assert(
      fc.property(seeds, (seed) => {
        const { flows, log } = saturate(seed, "weighted", (rng) => tenantFlows(rng));
        for (const [a, b] of pairs(flows)) {
          const bound = largest(flows[a]) / weightOf(flows[a]) + largest(flows[b]) / weightOf(flows[b]);
          const gap = widestGap(log.admissions, a, b, flows);
          worst = Math.max(worst, gap / bound);
          expect(gap).toBeLessThanOrEqual(bound + SLACK);
        }
      }),
      { numRuns: 150 },
    );
    expect(worst).toBeGreaterThan(0.9);
  });

  it("E12 the gap of finished service stays within the slots plus one times that", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { flows, slots, log } = saturate(seed, "weighted", (rng) => tenantFlows(rng));
        for (const [a, b] of pairs(flows)) {
          const bound = largest(flows[a]) / weightOf(flows[a]) + largest(flows[b]) / weightOf(flows[b]);
          expect(widestGap(log.finishes, a, b, flows)).toBeLessThanOrEqual((slots + 1) * bound + SLACK);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("E13 over any window each tenant's part of the service is its part of the weights, within the bound", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { flows, log } = saturate(seed, "weighted", (rng) => tenantFlows(rng), 150);
        const total = flows.reduce((sum, flow) => sum + weightOf(flow), 0);
        for (let from = 0; from < log.admissions.length; from += 7) {
          const served = flows.map(() => 0);
          let all = 0;
          for (const { flow, costTokens } of log.admissions.slice(from)) {
            served[flow] = (served[flow] ?? 0) + costTokens;
            all += costTokens;
            flows.forEach((mine, i) => {
              const part = weightOf(mine) / total;
              const others = flows.reduce(
                (sum, other, j) =>
                  i === j ? sum : sum + largest(other) + (weightOf(other) * largest(mine)) / weightOf(mine),
                0,
              );
              expect(Math.abs((served[i] ?? 0) - part * all)).toBeLessThanOrEqual(part * others + SLACK);
            });
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it("E14 a request at the head of its tenant is passed no more often than the bound says", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { flows, log } = saturate(seed, "weighted", (rng) =>
          tenantFlows(rng).map((flow, i) => (i === 0 ? { ...flow, from: 100 } : flow)),
        );
        for (const { flow, passedBy } of log.admissions) {
          const mine = flows[flow];
          const most = flows.reduce((sum, other, j) => {
            if (j === flow) return sum;
            const smallest = Math.min(...other.costs);
            return sum + 1 + Math.ceil((weightOf(other) * largest(mine)) / (weightOf(mine) * smallest));
          }, 0);
          expect(passedBy).toBeLessThanOrEqual(most);
        }
      }),
      { numRuns: 100 },
    );
  });

  it("E23 a tenant that was quiet gets nothing for its silence and is forgiven nothing", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { flows, log } = saturate(seed, "weighted", (rng) =>
          tenantFlows(rng).map((flow, i) => (i === 0 ? { ...flow, from: 150 } : flow)),
        );
        const after = log.admissions.slice(log.admissions.findIndex((each) => each.flow === 0));
        for (let other = 1; other < flows.length; other++) {
          const bound = largest(flows[0]) / weightOf(flows[0]) + largest(flows[other]) / weightOf(flows[other]);
          expect(widestGap(after, 0, other, flows)).toBeLessThanOrEqual(bound + SLACK);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe("keys share their tenant by weight", () => {
  it.each(["weighted", "hierarchical"] as const)(
    "E33 %s: the gap of two keys stays within one request of each",
    (mode) => {
      fc.assert(
        fc.property(seeds, (seed) => {
          const rng = new Rng(seed);
          const tenant = plainTenant("t");
          const flows = Array.from({ length: rng.int(2, 4) }, (_, i): Flow => {
            const key = plainKey(`k${i}`, rng.pick(WEIGHTS));
            // The gap is measured per key weight; the tenant's own weight plays no part inside it.
            return { tenant, key, costs: [rng.pick([1, 50, 900]), rng.pick([10, 100])] };
          });
          const other: Flow = { tenant: plainTenant("o"), key: plainKey("o"), costs: [100] };
          const system = new EngineSystem({ algorithm: mode });
          const log = runSaturated({ system, rng, flows: [...flows, other], slots: rng.int(1, 5), count: 300 });
          const byKey = flows.map((flow) => ({ ...flow, tenant: { ...flow.tenant, weight: flow.key.weight } }));
          for (const [a, b] of pairs(byKey)) {
            const bound = largest(byKey[a]) / weightOf(byKey[a]) + largest(byKey[b]) / weightOf(byKey[b]);
            expect(widestGap(log.admissions, a, b, byKey)).toBeLessThanOrEqual(bound + SLACK);
          }
        }),
        { numRuns: 80 },
      );
    },
  );
});

describe("hierarchical: slots follow the shares", () => {
  const groupFlows = (rng: Rng, groups: number): Flow[] =>
    Array.from({ length: groups }, (_, i) => ({
      tenant: plainTenant(`t${i}`, { group: `g${i}`, groupWeight: rng.pick(WEIGHTS) }),
      key: plainKey(`k${i}`),
      costs: [rng.pick([1, 100, 900])],
    }));

  it("E18 once borrowed slots are back, each group holds its share and stays there", () => {
    let judged = 0;
    fc.assert(
      fc.property(seeds, (seed) => {
        const rng = new Rng(seed);
        const flows = groupFlows(rng, rng.int(2, 4));
        const slots = rng.int(flows.length, 12);
        const takers = flows.map(({ tenant }) => ({ id: tenant.group.id, weight: tenant.group.weight, score: 0 }));
        const shares = apportionByHand(slots, takers);
        const withScores = (sign: number) =>
          apportionByHand(
            slots,
            takers.map((taker, i) => ({ ...taker, score: sign * i })),
          ).join();
        // Where remainders are equal the odd slot goes round, and no one split holds.
        if (withScores(1) !== withScores(-1)) return;
        judged += 1;
        const system = new EngineSystem({ algorithm: "hierarchical" });
        const { admissions } = runSaturated({ system, rng, flows, slots, count: 200 });
        for (const { flow, running } of admissions.slice(6 * slots)) {
          const held = running.map((count, i) => count + (i === flow ? 1 : 0));
          expect(held).toEqual(shares);
        }
      }),
      { numRuns: 200 },
    );
    expect(judged).toBeGreaterThan(50);
  });

  it("E21 a latecomer under its share is served within one release for itself and one for each slot owed before it", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const rng = new Rng(seed);
        const late = rng.int(1, 3);
        const slots = rng.int(late + 1, 10);
        const first: Flow = { tenant: plainTenant("first"), key: plainKey("first"), costs: [100] };
        const flows = [first, ...groupFlows(rng, late).map((flow) => ({ ...flow, from: 4 * slots }))];
        const takers = flows.map(({ tenant }) => ({ id: tenant.group.id, weight: tenant.group.weight, score: 0 }));
        const owed = apportionByHand(slots, takers).slice(1);
        const system = new EngineSystem({ algorithm: "hierarchical" });
        const { admissions } = runSaturated({ system, rng, flows, slots, count: 8 * slots });
        for (let flow = 1; flow < flows.length; flow++) {
          const firstSlot = admissions.find((each) => each.flow === flow);
          const before = owed.reduce((sum, share, i) => (i + 1 === flow ? sum : sum + Math.max(1, share)), 0);
          expect(firstSlot?.passedBy).toBeLessThanOrEqual(before);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("E22 in a group with more tenants than slots each gets one of any 2m - 1 slots in a row", () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 2, max: 7 }), (seed, tenants) => {
        const rng = new Rng(seed);
        const flows = Array.from(
          { length: tenants },
          (_, i): Flow => ({
            tenant: plainTenant(`t${i}`, { group: "one" }),
            key: plainKey(`k${i}`),
            costs: [100],
          }),
        );
        const slots = rng.int(1, Math.max(1, tenants - 1));
        const system = new EngineSystem({ algorithm: "hierarchical" });
        // Equal run times: who still runs its only slot has nothing to ask for.
        const log = runSaturated({ system, rng, flows, slots, count: 200, runMs: () => 10 });
        const admissions = log.admissions.slice(10 * tenants);
        const window = 2 * tenants - 1;
        for (let from = 0; from + window <= admissions.length; from++) {
          const served = new Set(admissions.slice(from, from + window).map((each) => each.flow));
          expect(served.size).toBe(tenants);
        }
      }),
      { numRuns: 120 },
    );
  });

  it("E13 one slot and weights 1 and 3 of equal cost give one to three, in both algorithms", () => {
    for (const algorithm of ["hierarchical", "weighted"] as const) {
      const flows = [1, 3].map(
        (weight, i): Flow => ({
          tenant: plainTenant(`t${i}`, {
            group: algorithm === "weighted" ? "one" : `g${i}`,
            groupWeight: weight,
            weight,
          }),
          key: plainKey(`k${i}`),
          costs: [100],
        }),
      );
      const log: SaturatedLog = runSaturated({
        system: new EngineSystem({ algorithm }),
        rng: new Rng(1),
        flows,
        slots: 1,
        count: 400,
      });
      expect(log.admissions.filter((each) => each.flow === 0).length).toBe(100);
    }
  });
});
