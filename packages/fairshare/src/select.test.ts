/** Whom a pick finds, and what it says of it. */
import { describe, expect, it } from "vitest";
import { EngineRun } from "../test/engine-run";
import { decisionsSince } from "./engine";
import { poolId } from "./ids";
import { pickTenant } from "./select";

const BOTH = ["hierarchical", "weighted"] as const;

/** Requests whose slot was lent, by number. */
function lentTo(run: EngineRun): number[] {
  return decisionsSince(run.state, 0).flatMap(({ kind, waiterId }) => (kind === "lent" ? [waiterId] : []));
}

describe("a pick", () => {
  it.each(BOTH)(
    "finds nobody where nobody waits, and nobody where all that wait are at their caps, %s",
    (algorithm) => {
      const run = new EngineRun({ algorithm, defaultPoolSize: 4 });
      run.ask({ tenant: "a", cap: 1 });
      const pool = run.state.pools.get(poolId("m"));
      if (pool === undefined) throw new Error("the pool is there");
      expect(pickTenant(run.state, pool, 4)).toBeUndefined();
      run.ask({ tenant: "a", cap: 1 });
      run.ask({ tenant: "b" });
      expect(pickTenant(run.state, pool, 4)).toBeUndefined();
    },
  );

  it("passes over a group under its share whose tenants under theirs could not run", () => {
    const run = new EngineRun({ defaultPoolSize: 6 });
    run.askTimes(2, { tenant: "full", group: "cheap", cost: 1 });
    run.ask({ tenant: "capped", group: "cheap", cap: 1, cost: 1 });
    run.askTimes(3, { tenant: "due", group: "dear", cost: 100 });
    const borrower = run.ask({ tenant: "full", group: "cheap", cost: 1 });
    run.ask({ tenant: "capped", group: "cheap", cap: 1, cost: 1 });
    const due = run.ask({ tenant: "due", group: "dear", cost: 100 });
    run.pool("m", { size: 8 });
    expect(run.granted.slice(-2)).toEqual([due, borrower]);
    expect(lentTo(run)).toEqual([borrower]);
  });
});

describe("among those that have slots and are under their share", () => {
  /** Two that hold one slot each and wait for another, and one that holds all other slots, of which one is freed. */
  function freeOneOf(run: EngineRun, ask: (name: string, cost: number) => number, costs: readonly [number, number]) {
    ask("p", costs[0]);
    ask("q", costs[1]);
    const held = Array.from({ length: 4 }, () => ask("rich", 1));
    // The one that is further behind waits first, or it would join at the other's level.
    const names = costs[0] < costs[1] ? ["p", "q"] : ["q", "p"];
    for (const name of names) ask(name, 100);
    run.finish(held[0] ?? 0);
    return run.latestTenants(1);
  }

  it.each([
    [10, 5, "q"],
    [5, 10, "p"],
  ] as const)("the group with the lowest score goes first, with %i and %i charged: %s", (p, q, first) => {
    const run = new EngineRun({ defaultPoolSize: 6 });
    expect(freeOneOf(run, (tenant, cost) => run.ask({ tenant, cost }), [p, q])).toEqual([first]);
    expect(lentTo(run)).toEqual([]);
  });

  it.each([
    [10, 5, "q"],
    [5, 10, "p"],
  ] as const)("the tenant of a group with the lowest score goes first, with %i and %i charged: %s", (p, q, first) => {
    const run = new EngineRun({ defaultPoolSize: 6 });
    expect(freeOneOf(run, (tenant, cost) => run.ask({ tenant, group: "g", cost }), [p, q])).toEqual([first]);
    expect(lentTo(run)).toEqual([]);
  });

  it("a group without a slot at the same score goes first, as it was never granted one, and is due it", () => {
    const run = new EngineRun({ defaultPoolSize: 6 });
    run.ask({ tenant: "p", cost: 20 });
    const held = run.askTimes(5, { tenant: "rich", cost: 1 });
    run.ask({ tenant: "p", cost: 20 });
    run.ask({ tenant: "new" });
    run.finish(held[0] ?? 0);
    expect(run.latestTenants(1)).toEqual(["new"]);
    expect(lentTo(run)).toEqual([]);
  });

  it("a group that has its share is not, however low its score and whoever of it has no slot", () => {
    const run = new EngineRun({ defaultPoolSize: 4 });
    run.askTimes(2, { tenant: "x", group: "cheap", cost: 1 });
    const [first = 0] = run.askTimes(2, { tenant: "z", group: "dear", cost: 100 });
    run.ask({ tenant: "y", group: "cheap", cost: 1 });
    run.ask({ tenant: "z", group: "dear", cost: 100 });
    run.finish(first);
    expect(run.latestTenants(1)).toEqual(["z"]);
  });
});

describe("a slot is said to be lent", () => {
  it("when nobody under its share could take it, and not when somebody takes what is due", () => {
    const run = new EngineRun({ defaultPoolSize: 4 });
    const holder = run.ask({ tenant: "holder" });
    run.askTimes(4, { tenant: "capped", cap: 1 });
    run.finish(holder);
    expect(lentTo(run)).toEqual([]);
    run.askTimes(2, { tenant: "a" });
    run.pool("m", { size: 2 });
    const waits = run.ask({ tenant: "a" });
    expect(lentTo(run)).toEqual([]);
    run.pool("m", { size: 4 });
    expect(run.running.has(waits)).toBe(true);
    expect(run.tenantPicture("a")).toMatchObject({ inFlight: 3, slotShare: 2, borrowed: 1 });
    expect(lentTo(run)).toEqual([waits]);
  });

  it("never under weighted, where shares are only shown", () => {
    const run = new EngineRun({ algorithm: "weighted", defaultPoolSize: 2 });
    run.askTimes(6, { tenant: "a" });
    run.askTimes(2, { tenant: "b" });
    for (let i = 0; i < 6; i++) run.finish([...run.running][0] ?? 0);
    expect(run.granted).toHaveLength(8);
    expect(lentTo(run)).toEqual([]);
  });
});
