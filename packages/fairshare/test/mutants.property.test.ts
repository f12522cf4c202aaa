/**
 * Faults planted in the model, which then stands in for the engine: the judge must catch each.
 */
import { describe, expect, it } from "vitest";
import type { Fault } from "./oracle-state";
import { plainKey, plainTenant } from "./sim/open-loop";
import { Rng } from "./sim/rng";
import { runSeed } from "./sim/run-seed";
import { type Flow, runSaturated } from "./sim/saturated";
import { OracleSystem } from "./sim/systems";

/** Each fault with the property it breaks by its nature. Others may notice a consequence of it first. */
const planted: Readonly<Record<Fault, string>> = {
  fifo: "E16",
  no_lift: "E23",
  raw_lift: "E23",
  strict_zero_share: "E17",
  no_lending: "E1",
  charged_cancel: "E23",
  caps_ignored: "E3",
  no_round_robin: "E6",
  finish_tag: "E25",
  request_counting: "E23",
  key_order_ignored: "E33",
  plain_largest_remainder: "E20",
  one_each_first: "E20",
  weights_ignored: "E20",
};

const SEEDS = 80;

/** Properties broken over many seeds, up to the one looked for. */
function breaches(fault: Fault | undefined, wanted?: string): Set<string> {
  const found = new Set<string>();
  const makeSystem = (config: ConstructorParameters<typeof OracleSystem>[0]) =>
    new OracleSystem(fault === undefined ? config : { ...config, fault });
  for (let seed = 1; seed <= SEEDS && (wanted === undefined || !found.has(wanted)); seed++) {
    const { breach } = runSeed(seed, { events: 400, readEvery: 8, makeSystem });
    if (breach !== undefined) found.add(breach.property);
  }
  return found;
}

describe("planted faults", () => {
  it("a faultless model passes for an engine", () => {
    expect([...breaches(undefined)]).toEqual([]);
  });

  it.each(Object.entries(planted) as [Fault, string][])("%s is caught as a breach of %s", (fault, property) => {
    expect(breaches(fault, property)).toContain(property);
  });
});

/** Widest distance between the normalised service of two tenants of which the second comes late, over its bound. */
function gapOverBound(fault: Fault | undefined, isLate: boolean): number {
  let worst = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const flows = [100, 300].map(
      (weight, i): Flow => ({
        tenant: plainTenant(`t${i}`, { group: "one", weight }),
        key: plainKey(`k${i}`),
        costs: [10, 500 * (i + 1)],
        from: isLate && i === 1 ? 200 : 0,
      }),
    );
    const config = { algorithm: "weighted", defaultPoolSize: 3, ceiling: 4096 } as const;
    const system = new OracleSystem(fault === undefined ? config : { ...config, fault });
    const { admissions } = runSaturated({ system, rng: new Rng(seed), flows, slots: 3, count: 500 });
    const both = admissions.slice(admissions.findIndex((each) => each.flow === 1));
    let distance = 0;
    let least = 0;
    let most = 0;
    for (const { flow, costTokens } of both) {
      distance += flow === 0 ? costTokens / 100 : -costTokens / 300;
      least = Math.min(least, distance);
      most = Math.max(most, distance);
    }
    worst = Math.max(worst, (most - least) / (500 / 100 + 1000 / 300));
  }
  return worst;
}

describe("the bound on service notices", () => {
  it("nothing in a faultless model", () => {
    expect(gapOverBound(undefined, false)).toBeLessThanOrEqual(1 + 1e-9);
    expect(gapOverBound(undefined, true)).toBeLessThanOrEqual(1 + 1e-9);
  });

  it.each(["fifo", "request_counting"] as const)("%s while both wait all the time", (fault) => {
    expect(gapOverBound(fault, false)).toBeGreaterThan(2);
  });
});
