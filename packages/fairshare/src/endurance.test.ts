/** Kinds of fault that schedulers of this sort have had: frozen counters, missed turns, starvation, ghosts. */
import { describe, expect, it } from "vitest";
import { EngineRun } from "../test/engine-run";
import { poolId } from "./ids";

const BOTH = ["hierarchical", "weighted"] as const;

describe("counters", { timeout: 60_000 }, () => {
  it.each([[2 ** 52 - 10], [2 ** 53 - 10], [1e15]])(
    "that begin at %d keep the order of ones that begin at 0, over a rebase and after it",
    (startLevel) => {
      const [fresh, old] = [0, startLevel].map((level) => {
        const run = new EngineRun({ algorithm: "weighted", defaultPoolSize: 2, startLevel: level });
        for (let i = 0; i < 1_500; i++) {
          run.ask({ tenant: `t${(i * 5) % 7}`, group: "g", weight: 1 + (i % 3), cost: 1 + ((i * 13) % 40) });
          if (i > 20) run.finish([...run.running][i % run.running.size] ?? 0);
        }
        return run;
      });
      expect(old?.granted).toEqual(fresh?.granted);
      for (const { shareScore } of old?.poolPicture().tenants ?? []) expect(Number.isFinite(shareScore)).toBe(true);
    },
  );

  it.each(BOTH)(
    "advance for a weight of a million and one-token requests, so a weight of 1 is served, %s",
    (algorithm) => {
      const run = new EngineRun({ algorithm, defaultPoolSize: 2 });
      run.askTimes(400, { tenant: "huge", group: "g", weight: 1_000_000, cost: 1 });
      const small = run.ask({ tenant: "small", group: "g", weight: 1, cost: 1 });
      const before = run.tenantPicture("huge").shareScore;
      run.finish(run.runningOf({ tenant: "huge" }));
      expect(run.tenantPicture("huge").shareScore + run.tenantPicture("small").shareScore).toBeGreaterThan(before);
      for (let i = 0; i < 5; i++) run.finish(run.runningOf({ tenant: "huge" }));
      expect(run.running.has(small) || run.granted.includes(small)).toBe(true);
    },
  );
});

describe("flows that look alike", { timeout: 60_000 }, () => {
  it("are all visited: five tenants of three keys in a closed loop get equal turns, with no long gap", () => {
    const run = new EngineRun({ defaultPoolSize: 1 });
    const flows: { tenant: string; key: string }[] = [];
    for (let t = 0; t < 5; t++) for (let k = 0; k < 3; k++) flows.push({ tenant: `t${t}`, key: `t${t}k${k}` });
    for (const flow of flows) run.ask({ ...flow, group: "g" });
    const turns = new Map<string, number[]>();
    for (let i = 0; i < 3_000; i++) {
      const [running = 0] = run.running;
      const flow = run.asks.get(running) ?? {};
      turns.set(flow.key ?? "", [...(turns.get(flow.key ?? "") ?? []), i]);
      // Leaving and coming back inside the same turn must not cost anybody a place.
      if (i % 11 === 0) run.cancel(run.ask({ ...flow, group: "g" }));
      run.ask(flow.tenant === undefined ? {} : { ...flow, group: "g" });
      run.finish(running);
    }
    for (const at of turns.values()) {
      expect(Math.abs(at.length - 200)).toBeLessThanOrEqual(20);
      const gaps = at.slice(1).map((turn, i) => turn - (at[i] ?? 0));
      expect(Math.max(...gaps)).toBeLessThanOrEqual(30);
    }
    expect(turns.size).toBe(15);
  });
});

describe("groups weighted 10,000 to 1", { timeout: 60_000 }, () => {
  it("leave the small one a slot of 8 at all times", () => {
    const run = new EngineRun({ defaultPoolSize: 8 });
    run.askTimes(200, { tenant: "big", groupWeight: 10_000 });
    run.askTimes(40, { tenant: "small", groupWeight: 1 });
    run.finish(run.runningOf({ tenant: "big" }));
    for (let i = 0; i < 100; i++) {
      expect(run.groupPicture("small").inFlight).toBe(1);
      run.finish(run.runningOf({ tenant: i % 3 === 0 ? "small" : "big" }));
    }
  });

  it("serve each of 12 groups on 8 slots within one round", () => {
    const run = new EngineRun({ defaultPoolSize: 8 });
    for (let g = 0; g < 12; g++) run.askTimes(10, { tenant: `g${g}` });
    for (let i = 0; i < 24; i++) run.finish([...run.running][0] ?? 0);
    const served = new Set(run.granted.slice(8).map((id) => run.asks.get(id)?.tenant));
    expect(served.size).toBe(12);
  });
});

describe("a weight of 1 beside one of 1,000 on a single slot", { timeout: 60_000 }, () => {
  it.each(BOTH)("has its turn in proportion, after at most a thousand others, %s", (algorithm) => {
    const run = new EngineRun({ algorithm, defaultPoolSize: 1 });
    const big = { tenant: "big", weight: 1_000, groupWeight: 1_000, cost: 1 };
    const small = { tenant: "small", weight: 1, groupWeight: 1, cost: 1 };
    run.askTimes(5, big);
    run.askTimes(2, small);
    const turns: number[] = [];
    for (let turn = 0; turn < 3_500; turn++) {
      const id = [...run.running][0] ?? 0;
      const isSmall = run.asks.get(id)?.tenant === "small";
      if (isSmall) turns.push(turn);
      run.ask(isSmall ? small : big);
      run.finish(id);
    }
    const gaps = turns.slice(1).map((turn, i) => turn - (turns[i] ?? 0));
    expect(gaps.length).toBeGreaterThanOrEqual(2);
    for (const gap of gaps) expect(Math.abs(gap - 1_001)).toBeLessThanOrEqual(2);
  });
});

describe("costs that are no count of tokens", () => {
  it.each([Number.NaN, -5, Number.NEGATIVE_INFINITY])("%d is charged as nothing and stops nobody", (cost) => {
    const run = new EngineRun({ algorithm: "weighted", defaultPoolSize: 1 });
    run.askTimes(3, { tenant: "odd", cost });
    run.askTimes(3, { tenant: "plain", cost: 100 });
    for (let i = 0; i < 6; i++) run.finish([...run.running][0] ?? 0);
    expect(run.granted).toHaveLength(6);
    run.ask({ tenant: "odd", cost });
    expect(run.tenantPicture("odd").servedTokens).toBe(0);
  });

  it.each([Number.POSITIVE_INFINITY, 1e308])(
    "%d is charged as the largest there is, and only to its sender",
    (cost) => {
      const run = new EngineRun({ algorithm: "weighted", defaultPoolSize: 1 });
      run.askTimes(10, { tenant: "a", cost: 10 });
      run.askTimes(10, { tenant: "b", cost: 10 });
      run.ask({ tenant: "odd", cost });
      run.askTimes(5, { tenant: "odd", cost: 10 });
      for (let i = 0; i < 20; i++) run.finish([...run.running][0] ?? 0);
      expect(run.granted.filter((id) => run.asks.get(id)?.tenant === "odd")).toHaveLength(1);
      for (const { shareScore } of run.poolPicture().tenants) expect(Number.isFinite(shareScore)).toBe(true);
      run.finish([...run.running][0] ?? 0);
      expect(run.latestTenants(1)).toEqual(["odd"]);
    },
  );
});

describe("tenants that come and go inside a turn", () => {
  it.each(BOTH)("cost those that stay no turn: each has as many, %s", (algorithm) => {
    const run = new EngineRun({ algorithm, defaultPoolSize: 1 });
    const stay = ["a", "b", "c"];
    for (const tenant of stay) run.askTimes(2, { tenant, group: "g" });
    for (let i = 0; i < 300; i++) {
      const id = [...run.running][0] ?? 0;
      const leaver = run.ask({ tenant: `passing-${i}`, group: i % 2 === 0 ? "g" : `g${i}` });
      run.finish(id);
      run.cancel(leaver);
      if (run.running.has(leaver)) run.finish(leaver);
      const { tenant = "" } = run.asks.get(id) ?? {};
      if (stay.includes(tenant)) run.ask({ tenant, group: "g" });
    }
    const turns = stay.map((tenant) => run.granted.filter((id) => run.asks.get(id)?.tenant === tenant).length);
    expect(Math.max(...turns) - Math.min(...turns)).toBeLessThanOrEqual(1);
    expect(run.poolPicture().tenants.map((tenant) => tenant.tenantId)).toEqual(stay);
  });
});

describe("waiters that gave up", { timeout: 60_000 }, () => {
  it("leave no ghost: 500 of 50 keys time out or leave, twenty times over, and the next request starts at once", () => {
    const run = new EngineRun({ defaultPoolSize: 1 });
    for (let round = 0; round < 20; round++) {
      const running = run.ask();
      const ids = Array.from({ length: 50 }, (_, i) => run.ask({ tenant: `t${i}`, timeoutMs: 2_000 }));
      run.nowMs += 1_999;
      for (const id of ids.slice(0, 20)) run.cancel(id);
      run.wait(1);
      for (const id of ids.slice(20)) expect(run.refused.get(id)).toBe("timed_out");
      expect(run.poolPicture()).toMatchObject({ queued: 0, inFlight: 1 });
      expect(run.state.waiters.size).toBe(1);
      run.finish(running);
    }
    expect(run.granted).toHaveLength(20);
    expect(run.state.pools.get("m" as never)?.tenants.size).toBeLessThanOrEqual(1);
  });
});

describe("tenants that went quiet", () => {
  const served = (run: EngineRun, tenant: string) => run.finish(run.ask({ tenant, group: "g", cost: 100 }));
  const known = (run: EngineRun) => run.state.pools.get(poolId("m"))?.tenants.size ?? 0;

  it("are let go once their debt is passed, as others come and go", () => {
    const run = new EngineRun({ algorithm: "weighted", defaultPoolSize: 2 });
    for (let i = 0; i < 1_000; i++) served(run, `once-${i}`);
    expect(known(run)).toBe(1_000);
    for (let i = 0; i < 3; i++) served(run, "regular");
    for (let i = 0; i < 1_100; i++) served(run, `later-${i}`);
    expect(known(run)).toBeLessThan(1_200);
    run.wait(600_000);
    expect(known(run)).toBe(0);
  });

  it("keep their debt while more tenants have work than are quiet", () => {
    const run = new EngineRun({ algorithm: "weighted", defaultPoolSize: 1 });
    const debtor = run.ask({ tenant: "debtor", cost: 5_000 });
    for (let i = 0; i < 300; i++) run.ask({ tenant: `busy-${i}`, cost: 10 });
    run.finish(debtor);
    for (let i = 0; i < 250; i++) run.finish([...run.running][0] ?? 0);
    expect(known(run)).toBe(301);
    run.ask({ tenant: "debtor", cost: 10 });
    expect(run.tenantPicture("debtor").shareScore).toBe(50);
  });
});
