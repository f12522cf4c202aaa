/** Named situations that must come out right, each with the numbers worked out by hand. */
import { describe, expect, it } from "vitest";
import { EngineRun } from "../test/engine-run";
import { createEngine, step } from "./engine";
import type { EngineEvent } from "./events";
import { groupId, keyId, poolId, tenantId, waiterId } from "./ids";
import { checkInvariants } from "./invariants";

const BOTH = ["hierarchical", "weighted"] as const;

describe("an idle pool", () => {
  it("admits one request fast, after 0 ms", () => {
    const run = new EngineRun();
    const id = run.ask();
    expect(run.effects).toContainEqual({ kind: "grant", waiterId: id, outcome: "fast", waitMs: 0 });
  });

  it("admits fast although another model's pool is full with a backlog", () => {
    const run = new EngineRun({ defaultPoolSize: 2 });
    run.askTimes(5, { pool: "A" });
    expect(run.outcomeOf(run.ask({ pool: "B" }))).toBe("fast");
    expect(run.poolPicture("A").queued).toBe(3);
  });
});

describe.each(BOTH)("one slot, weights 1 and 3, equal cost, both backlogged, %s", (algorithm) => {
  it("grants 1:3 over any long run", () => {
    const run = new EngineRun({ algorithm, defaultPoolSize: 1 });
    run.askTimes(120, { tenant: "one", group: "g", weight: 1 });
    run.askTimes(400, { tenant: "three", group: "g", weight: 3 });
    for (let i = 0; i < 400; i++) run.finish([...run.running][0] ?? 0);
    for (const from of [0, 7, 100, 233]) {
      const window = run.granted.slice(from, from + 80).map((id) => run.asks.get(id)?.tenant);
      const ones = window.filter((tenant) => tenant === "one").length;
      expect(Math.abs(ones - 20)).toBeLessThanOrEqual(1);
    }
  });
});

describe("a group that fills the pool", () => {
  it("gives the next freed slot to a newcomer from another group", () => {
    const run = new EngineRun({ defaultPoolSize: 8 });
    const first = run.askTimes(12, { tenant: "old" });
    const newcomer = run.ask({ tenant: "new" });
    run.finish(first[0] ?? 0);
    expect(run.granted.at(-1)).toBe(newcomer);
  });

  it("gives a freed slot to the other group's one request, not to its own four", () => {
    const run = new EngineRun({ defaultPoolSize: 8 });
    const all = run.askTimes(12, { tenant: "big" });
    const other = run.ask({ tenant: "small" });
    run.finish(all[3] ?? 0);
    expect(run.granted.at(-1)).toBe(other);
    expect(run.poolPicture().queued).toBe(4);
  });
});

describe("two equal tenants of a group", () => {
  it("returns all four freed slots to the one that holds none, then alternates", () => {
    const run = new EngineRun({ defaultPoolSize: 8 });
    const a = run.askTimes(8, { tenant: "A", group: "g" });
    run.askTimes(4, { tenant: "B", group: "g" });
    for (const id of a.slice(0, 4)) run.finish(id);
    expect(run.latestTenants(4)).toEqual(["B", "B", "B", "B"]);
    run.ask({ tenant: "A", group: "g" });
    run.ask({ tenant: "B", group: "g" });
    run.finish(run.runningOf({ tenant: "B" }));
    expect(run.latestTenants(1)).toEqual(["B"]);
    run.finish(run.runningOf({ tenant: "A" }));
    expect(run.latestTenants(1)).toEqual(["A"]);
  });

  it("gives the next slot to A once each holds four and queues one, A having been charged no more", () => {
    const run = new EngineRun({ defaultPoolSize: 8 });
    const a = run.askTimes(8, { tenant: "A", group: "g", cost: 10 });
    run.askTimes(4, { tenant: "B", group: "g", cost: 100 });
    for (const id of a.slice(0, 4)) run.finish(id);
    run.ask({ tenant: "B", group: "g" });
    const next = run.ask({ tenant: "A", group: "g" });
    run.finish(run.runningOf({ tenant: "A" }));
    expect(run.granted.at(-1)).toBe(next);
  });
});

describe("lending", () => {
  it("lets a group with a share of 1 run 7 while the one due 7 of 8 holds 1, all charged in full", () => {
    const run = new EngineRun();
    run.pool("m", { size: 8 });
    run.ask({ tenant: "due", groupWeight: 500, cost: 5 });
    run.askTimes(10, { tenant: "borrower", groupWeight: 50, cost: 5 });
    const borrower = run.groupPicture("borrower");
    expect(borrower).toMatchObject({ inFlight: 7, queued: 3, slotCap: 1, borrowed: 6, servedTokens: 35 });
    expect(run.groupPicture("due")).toMatchObject({ inFlight: 1, slotCap: 7, borrowed: 0 });
    expect(run.poolPicture()).toMatchObject({ inFlight: 8, borrowed: 6 });
  });
});

describe("group standing", () => {
  it("counts four latecomer tenants of 10 tokens as much as one tenant of 40", () => {
    const run = new EngineRun({ defaultPoolSize: 16 });
    run.ask({ tenant: "peer", group: "peers", cost: 40 });
    for (const tenant of ["l1", "l2", "l3", "l4"]) run.ask({ tenant, group: "late", cost: 10 });
    expect(run.groupPicture("late").shareScore).toBe(run.groupPicture("peers").shareScore);
    expect(run.groupPicture("late").servedTokens).toBe(40);
  });
});

describe("caps", () => {
  it("lets a second request of a key capped at 1 wait with 7 slots free, and another tenant's start at once", () => {
    const run = new EngineRun({ defaultPoolSize: 8 });
    run.ask({ tenant: "a", keyCap: 1 });
    const second = run.ask({ tenant: "a", keyCap: 1 });
    expect(run.outcomeOf(second)).toBe("waiting");
    expect(run.outcomeOf(run.ask({ tenant: "b" }))).toBe("fast");
    run.finish(run.runningOf({ tenant: "a" }));
    expect(run.running.has(second)).toBe(true);
  });
});

describe("the ceiling", () => {
  it("makes the third request wait with a ceiling of 2 over two pools of 4", () => {
    const run = new EngineRun({ defaultPoolSize: 4, ceiling: 2 });
    run.ask({ pool: "A" });
    run.ask({ pool: "B" });
    const third = run.ask({ pool: "A" });
    expect(run.outcomeOf(third)).toBe("waiting");
    expect(run.snapshot().isCeilingReached).toBe(true);
  });

  it("alternates between two pools with three waiters each at a ceiling of 1", () => {
    const run = new EngineRun({ defaultPoolSize: 4, ceiling: 1 });
    run.ask({ pool: "A" });
    run.askTimes(3, { pool: "A" });
    run.askTimes(3, { pool: "B" });
    for (let i = 0; i < 6; i++) run.finish([...run.running][0] ?? 0);
    expect(run.granted.slice(1).map((id) => run.asks.get(id)?.pool)).toEqual(["A", "B", "A", "B", "A", "B"]);
  });

  it("splits over the 4 slots it leaves of a pool of 32: two equal groups have 2 and 2", () => {
    const run = new EngineRun({ defaultPoolSize: 32, ceiling: 4 });
    run.askTimes(4, { tenant: "a" });
    run.askTimes(4, { tenant: "b" });
    expect(run.poolPicture().usable).toBe(4);
    expect(run.groupPicture("a").slotCap).toBe(2);
    run.finish(run.runningOf({ tenant: "a" }));
    run.finish(run.runningOf({ tenant: "a" }));
    expect(run.groupPicture("a").inFlight).toBe(2);
    expect(run.groupPicture("b").inFlight).toBe(2);
  });
});

describe("a weight-50 tenant that returns to a pool where a weight-500 tenant waits", () => {
  it.each(BOTH)("is level with it at once, %s", (algorithm) => {
    const run = new EngineRun({ algorithm, defaultPoolSize: 1 });
    const once = run.ask({ tenant: "small", group: "g", weight: 50, cost: 10 });
    run.finish(once);
    run.askTimes(60, { tenant: "large", group: "g", weight: 500, cost: 1000 });
    for (let i = 0; i < 50; i++) run.finish([...run.running][0] ?? 0);
    run.ask({ tenant: "small", group: "g", weight: 50, cost: 10 });
    expect(run.tenantPicture("small").shareScore).toBe(run.tenantPicture("large").shareScore);
    run.finish([...run.running][0] ?? 0);
    expect(run.latestTenants(1)).toEqual(["small"]);
  });
});

describe("10,000 tenants with 100,000 requests waiting", { timeout: 60_000 }, () => {
  it.each(BOTH)("serves every tenant once in each round of 10,000 grants, %s", (algorithm) => {
    const state = createEngine({ algorithm, defaultPoolSize: 1, decisionLimit: 0 });
    const granted: number[] = [];
    const send = (event: EngineEvent) => {
      for (const effect of step(state, event, 0)) if (effect.kind === "grant") granted.push(effect.waiterId);
    };
    const tenants = 10_000;
    for (let i = 1; i <= 10 * tenants; i++) send(arrival(i, `t${i % tenants}`));
    for (let i = 0; i < 10 * tenants; i++) {
      send({ kind: "finish", waiterId: waiterId(granted[i] ?? 0), actualTokens: null });
    }
    for (let round = 0; round < 10; round++) {
      const served = new Set(granted.slice(round * tenants, (round + 1) * tenants).map((id) => id % tenants));
      expect(served.size).toBe(tenants);
    }
    checkInvariants(state);
  });
});

describe("names", () => {
  it.each(["__proto__", "constructor", "hasOwnProperty", "0", "-1", "ключ 🔑", "a\u0000b", " "])(
    "treats %j as a tenant, group, key and model like any other",
    (name) => {
      const run = new EngineRun({ defaultPoolSize: 1 });
      const first = run.ask({ pool: name, tenant: name, key: name });
      const second = run.ask({ pool: name, tenant: name, key: name });
      const other = run.ask({ pool: name, tenant: "other" });
      expect(run.tenantPicture(name, name)).toMatchObject({ inFlight: 1, queued: 1, group: name });
      run.finish(first);
      run.finish(run.granted.at(-1) ?? 0);
      expect(run.granted.toSorted((a, b) => a - b)).toEqual([first, second, other]);
    },
  );
});

function arrival(id: number, tenant: string): EngineEvent {
  return {
    kind: "arrive",
    waiterId: waiterId(id),
    pool: poolId("m"),
    tenant: {
      id: tenantId(tenant),
      group: { id: groupId("g"), weight: 100 },
      weight: 100,
      boostFactor: 1,
      maxInFlight: null,
    },
    key: { id: keyId(tenant), weight: 100, maxInFlight: null },
    costTokens: 10,
    session: null,
    timeoutMs: 60_000,
  };
}
