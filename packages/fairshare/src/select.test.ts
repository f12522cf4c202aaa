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
