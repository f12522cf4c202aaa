/** Five minutes of contention: who gets what part of the slots' time, or of the tokens. Within 3 % of the weights. */
import { describe, expect, it } from "vitest";
import { type ClosedFlow, plainKey, plainTenant, runClosedLoop } from "./sim/open-loop";
import { Rng } from "./sim/rng";
import { type Flow, runSaturated } from "./sim/saturated";
import { EngineSystem } from "./sim/systems";

const FIVE_MINUTES_MS = 300_000;
const WARM_UP_MS = 10_000;

interface Party {
  readonly group: string;
  readonly groupWeight: number;
  readonly weight: number;
  readonly runMs: number;
}

/** Part of all slot time that each party had, every one with more threads than slots. */
function slotTime(parties: readonly Party[], slots: number): number[] {
  const flows = parties.map(
    ({ group, groupWeight, weight, runMs }, i): ClosedFlow => ({
      tenant: plainTenant(`t${i}`, { group, groupWeight, weight }),
      key: plainKey(`k${i}`),
      threads: 2 * slots,
      runMs,
      thinkMs: 0,
      costTokens: runMs,
    }),
  );
  const system = new EngineSystem({ algorithm: "hierarchical" });
  const untilMs = WARM_UP_MS + FIVE_MINUTES_MS;
  const busy = runClosedLoop(system, flows, { pool: "pool", size: slots, fromMs: WARM_UP_MS, untilMs });
  const all = busy.reduce((a, b) => a + b, 0);
  return busy.map((ms) => ms / all);
}

function within3Percent(measured: readonly number[], weights: readonly number[]): void {
  const total = weights.reduce((a, b) => a + b, 0);
  measured.forEach((part, i) => {
    const due = (weights[i] ?? 0) / total;
    expect(Math.abs(part / due - 1)).toBeLessThan(0.03);
  });
}

const party = (group: string, groupWeight: number, weight: number, runMs: number): Party => ({
  group,
  groupWeight,
  weight,
  runMs,
});

describe("hierarchical: slot time", () => {
  it("of three equal groups on eight slots is a third each, the odd slots going round", () => {
    const parties = [party("a", 100, 100, 700), party("b", 100, 100, 1100), party("c", 100, 100, 900)];
    within3Percent(slotTime(parties, 8), [1, 1, 1]);
  });

  it("of groups 2 to 1 to 1 on eight slots follows the weights whatever their requests take", () => {
    const parties = [party("a", 200, 100, 300), party("b", 100, 100, 2500), party("c", 100, 100, 900)];
    within3Percent(slotTime(parties, 8), [2, 1, 1]);
  });

  it("of tenants follows their weights inside their group's part", () => {
    const parties = [
      party("a", 100, 300, 700),
      party("a", 100, 100, 1300),
      party("b", 100, 100, 500),
      party("b", 100, 100, 900),
    ];
    within3Percent(slotTime(parties, 16), [6, 2, 4, 4]);
  });

  it("of two equal tenants on nineteen slots is half each", () => {
    within3Percent(slotTime([party("a", 100, 100, 800), party("a", 100, 100, 800)], 19), [1, 1]);
  });
});

/** Part of all tokens admitted for each flow over some 20,000 admissions. */
function tokens(flows: readonly Flow[], algorithm: "hierarchical" | "weighted"): number[] {
  const system = new EngineSystem({ algorithm });
  const { admissions } = runSaturated({ system, rng: new Rng(5), flows, slots: 7, count: 20_000 });
  const served = flows.map(() => 0);
  for (const { flow, costTokens } of admissions) served[flow] = (served[flow] ?? 0) + costTokens;
  const all = served.reduce((a, b) => a + b, 0);
  return served.map((each) => each / all);
}

describe("tokens", () => {
  it("of tenants follow the weights under weighted, whatever their requests cost", () => {
    const flows = [1, 2, 3, 4].map(
      (weight, i): Flow => ({
        tenant: plainTenant(`t${i}`, { group: `g${i % 2}`, weight }),
        key: plainKey(`k${i}`),
        costs: [[50, 900], [10], [300, 5], [77]][i] ?? [1],
      }),
    );
    within3Percent(tokens(flows, "weighted"), [1, 2, 3, 4]);
  });

  it.each(["hierarchical", "weighted"] as const)("of keys follow their weights inside a tenant, %s", (algorithm) => {
    const tenant = plainTenant("t");
    const flows = [1, 3, 5].map(
      (weight, i): Flow => ({
        tenant,
        key: plainKey(`k${i}`, weight),
        costs: [[50, 900], [10], [300, 5]][i] ?? [1],
      }),
    );
    within3Percent(tokens(flows, algorithm), [1, 3, 5]);
  });
});
