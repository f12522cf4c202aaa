/** The numbers of the package's README, line by line. */
import { describe, expect, it } from "vitest";
import { EngineRun } from "../test/engine-run";
import { splitSlots } from "./shares";

function split(slots: number, ...weights: number[]): number[] {
  return splitSlots(
    slots,
    weights.map((weight, i) => ({ id: `${i}`, weight, score: 0 })),
  );
}

describe("the README's examples", () => {
  it("1: 8 slots over 500 and 50 are 7 and 1", () => {
    expect(split(8, 500, 50)).toEqual([7, 1]);
  });

  it("2: 4 slots over 1000, 1, 1, 1 are one each", () => {
    expect(split(4, 1000, 1, 1, 1)).toEqual([1, 1, 1, 1]);
  });

  it("3: a pick by hand", () => {
    const run = new EngineRun({ defaultPoolSize: 3 });
    const chat = { group: "chat", groupWeight: 200 };
    const own = run.askTimes(3, { tenant: "a", ...chat });
    expect(run.groupPicture("chat").shareScore).toBe(1.5);
    expect(run.tenantPicture("a").shareScore).toBe(3);
    run.askTimes(2, { tenant: "b", ...chat });
    run.askTimes(2, { tenant: "c", group: "batch", groupWeight: 100 });
    expect(run.groupPicture("batch").shareScore).toBe(1.5);
    expect(run.tenantPicture("b").shareScore).toBe(2);
    expect([run.groupPicture("chat").slotCap, run.groupPicture("batch").slotCap]).toEqual([2, 1]);
    expect([run.tenantPicture("a").slotShare, run.tenantPicture("b").slotShare]).toEqual([1, 1]);
    for (const id of own) run.finish(id);
    expect(run.latestTenants(3)).toEqual(["c", "b", "b"]);
    expect(run.groupPicture("batch").shareScore).toBe(2.5);
  });

  it("4: a return is level, neither behind nor ahead", () => {
    const run = new EngineRun({ algorithm: "weighted", defaultPoolSize: 1 });
    run.finish(run.ask({ tenant: "small", weight: 50, cost: 10 }));
    run.askTimes(51, { tenant: "large", weight: 500, cost: 1000 });
    for (let i = 0; i < 49; i++) run.finish([...run.running][0] ?? 0);
    expect(run.tenantPicture("large").shareScore).toBe(100);
    run.ask({ tenant: "small", weight: 50, cost: 10 });
    expect(run.tenantPicture("small").shareScore).toBe(100);
  });

  it("5: of every four grants on one slot, one and three", () => {
    const run = new EngineRun({ algorithm: "weighted", defaultPoolSize: 1 });
    run.askTimes(20, { tenant: "one", weight: 1, cost: 1 });
    run.askTimes(60, { tenant: "three", weight: 3, cost: 1 });
    for (let i = 0; i < 60; i++) run.finish([...run.running][0] ?? 0);
    for (let from = 4; from < 60; from += 4) {
      const turn = run.granted.slice(from, from + 4).map((id) => run.asks.get(id)?.tenant);
      expect(turn.filter((tenant) => tenant === "one")).toHaveLength(1);
    }
  });
});
