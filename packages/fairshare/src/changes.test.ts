/** What may change while requests wait and run: policies, sizes, limits, pools that come and go. */
import { describe, expect, it } from "vitest";
import { EngineRun } from "../test/engine-run";
import { groupId, keyId, poolId, tenantId } from "./ids";
import type { GroupPolicy, KeyPolicy, TenantPolicy } from "./policy";

const pool = poolId("m");

function tenantPolicy(id: string, over: Partial<Omit<TenantPolicy, "group">> & { group?: GroupPolicy } = {}) {
  const group = over.group ?? { id: groupId(id), weight: 100 };
  return { id: tenantId(id), weight: 100, boostFactor: 1, maxInFlight: null, ...over, group };
}

describe("a newer policy", () => {
  it("helps those already waiting: a boost lets a tenant's waiting requests through three times as often", () => {
    const run = new EngineRun({ algorithm: "weighted", defaultPoolSize: 1 });
    run.askTimes(41, { tenant: "a" });
    run.askTimes(40, { tenant: "b" });
    run.send({ kind: "policy_changed", pool, tenant: tenantPolicy("b", { boostFactor: 3 }) });
    expect(run.tenantPicture("b")).toMatchObject({ boostFactor: 3, effectiveWeight: 300, weight: 100 });
    for (let i = 0; i < 40; i++) run.finish([...run.running][0] ?? 0);
    const toB = run.latestTenants(40).filter((tenant) => tenant === "b").length;
    expect(toB).toBeGreaterThanOrEqual(29);
    expect(toB).toBeLessThanOrEqual(31);
  });

  it("that raises or removes a cap starts whoever waited behind it at once", () => {
    const run = new EngineRun({ defaultPoolSize: 4 });
    run.askTimes(3, { tenant: "a", cap: 1 });
    run.send({ kind: "policy_changed", pool, tenant: tenantPolicy("a", { maxInFlight: 2 }) });
    expect(run.tenantPicture("a").inFlight).toBe(2);
    run.send({ kind: "policy_changed", pool, tenant: tenantPolicy("a") });
    expect(run.tenantPicture("a").inFlight).toBe(3);
  });

  it("of a key counts too, and a cap that sinks below what runs ends nothing and starts nothing", () => {
    const run = new EngineRun({ defaultPoolSize: 4 });
    const ids = run.askTimes(4, { tenant: "a", key: "k", keyCap: 3 });
    const key: KeyPolicy = { id: keyId("k"), weight: 100, maxInFlight: 1 };
    run.send({ kind: "policy_changed", pool, key: { tenantId: tenantId("a"), policy: key } });
    expect(run.running.size).toBe(3);
    run.finish(ids[0] ?? 0);
    run.finish(ids[1] ?? 0);
    expect(run.running.size).toBe(1);
    run.finish(ids[2] ?? 0);
    expect(run.running.size).toBe(1);
  });

  it("of a group changes the split at the next pick", () => {
    const run = new EngineRun({ defaultPoolSize: 8 });
    run.askTimes(8, { tenant: "a" });
    run.askTimes(8, { tenant: "b" });
    run.send({ kind: "policy_changed", pool, group: { id: groupId("b"), weight: 700 } });
    expect(run.groupPicture("b").slotCap).toBe(7);
    for (let i = 0; i < 8; i++) run.finish(run.runningOf({ tenant: "a" }));
    expect(run.groupPicture("b").inFlight).toBeGreaterThanOrEqual(7);
  });

  it("leaves scores as they are and what the pool does not know alone", () => {
    const run = new EngineRun({ defaultPoolSize: 1 });
    run.ask({ tenant: "a", cost: 300 });
    const before = run.tenantPicture("a").shareScore;
    run.send({ kind: "policy_changed", pool, tenant: tenantPolicy("a", { weight: 1_000 }) });
    run.send({ kind: "policy_changed", pool, tenant: tenantPolicy("stranger") });
    run.send({ kind: "policy_changed", pool: poolId("none"), tenant: tenantPolicy("a") });
    expect(run.tenantPicture("a").shareScore).toBe(before);
    expect(run.poolPicture().tenants).toHaveLength(1);
    expect(run.snapshot().pools).toHaveLength(1);
  });

  it("that moves a tenant takes its running and waiting requests to the other group", () => {
    const run = new EngineRun({ defaultPoolSize: 2 });
    run.askTimes(5, { tenant: "a", group: "old" });
    run.ask({ tenant: "b", group: "new" });
    run.send({
      kind: "policy_changed",
      pool,
      tenant: tenantPolicy("a", { group: { id: groupId("new"), weight: 100 } }),
    });
    expect(run.poolPicture().groups.map((group) => group.name)).toEqual(["new"]);
    expect(run.groupPicture("new")).toMatchObject({ inFlight: 2, queued: 4 });
  });

  it("reads a cap of 0, below, or no whole number as none", () => {
    const run = new EngineRun({ defaultPoolSize: 20 });
    for (const cap of [0, -3, 1.5, Number.NaN]) run.askTimes(3, { tenant: `t${cap}`, cap, keyCap: cap });
    expect(run.poolPicture()).toMatchObject({ inFlight: 12, queued: 0 });
    expect(run.tenantPicture("t0").maxInFlight).toBeNull();
  });
});

describe("a pool's size", () => {
  it("that shrinks cuts nothing short and admits nothing until below; one that grows admits at once", () => {
    const run = new EngineRun();
    run.pool("m", { size: 4 });
    const ids = run.askTimes(8);
    run.pool("m", { size: 2 });
    expect(run.running.size).toBe(4);
    run.finish(ids[0] ?? 0);
    run.finish(ids[1] ?? 0);
    expect(run.running.size).toBe(2);
    run.finish(ids[2] ?? 0);
    expect(run.running.size).toBe(2);
    run.pool("m", { size: 4 });
    expect(run.running.size).toBe(4);
  });

  it("of 0 or less reads as unset", () => {
    const run = new EngineRun({ defaultPoolSize: 3 });
    run.pool("m", { size: 0 });
    run.askTimes(5);
    expect(run.running.size).toBe(3);
  });

  it("is the default for what no model is registered for, whatever other pools have", () => {
    const run = new EngineRun({ defaultPoolSize: 3 });
    run.pool("m", { size: 9 });
    run.askTimes(5, { pool: "(unrouted)" });
    expect(run.poolPicture("(unrouted)")).toMatchObject({ size: 3, inFlight: 3, queued: 2 });
  });
});

describe("limits that are no limits", () => {
  it.each([0, -1, Number.NaN])("a ceiling of %d leaves the one before in force, in every part of it", (ceiling) => {
    const run = new EngineRun({ defaultPoolSize: 8, ceiling: 4 });
    run.send({ kind: "limits_changed", ceiling, slots: "local", divisor: 1 });
    run.askTimes(6);
    expect(run.running.size).toBe(4);
    run.send({ kind: "limits_changed", ceiling, slots: "local", divisor: 2 });
    expect(run.snapshot()).toMatchObject({ ceiling: 2, configuredCeiling: 4, inFlight: 4 });
  });

  it("a default size of 0 or less is one slot, never none and never without end", () => {
    for (const defaultPoolSize of [0, -5, Number.NaN]) {
      const run = new EngineRun({ defaultPoolSize });
      run.askTimes(3);
      expect(run.poolPicture()).toMatchObject({ size: 1, inFlight: 1, queued: 2 });
    }
  });

  it("a size, a ceiling or a cap below one under the split is one", () => {
    const run = new EngineRun({ defaultPoolSize: 2, ceiling: 2 });
    run.send({ kind: "limits_changed", ceiling: 2, slots: "local", divisor: 5 });
    run.askTimes(3, { tenant: "a", cap: 3, keyCap: 2 });
    expect(run.snapshot()).toMatchObject({ ceiling: 1, inFlight: 1, queued: 2 });
    expect(run.tenantPicture("a").maxInFlight).toBe(1);
  });
});

describe("a pool without servers", () => {
  it("refuses at once, lets those already waiting keep their place, and starts no more than fit when servers return", () => {
    const run = new EngineRun();
    run.pool("m", { size: 2 });
    const ids = run.askTimes(5);
    run.pool("m", { size: 2, hasServers: false });
    expect(run.outcomeOf(run.ask())).toBe("no_servers");
    run.finish(ids[0] ?? 0);
    run.finish(ids[1] ?? 0);
    expect(run.running.size).toBe(0);
    run.pool("m", { size: 2, hasServers: true });
    expect([...run.running]).toEqual([ids[2], ids[3]]);
  });

  it("lets requests wait when it is told to, and admits in fair order as servers come", () => {
    const run = new EngineRun();
    run.pool("m", { size: 2, hasServers: false, queueWithoutServers: true });
    const ids = run.askTimes(100);
    expect(run.running.size).toBe(0);
    run.pool("m", { size: 2, hasServers: true, queueWithoutServers: true });
    expect([...run.running]).toEqual(ids.slice(0, 2));
  });
});

describe("the life of a pool", () => {
  it("ends after ten quiet minutes and not before; it comes back fresh", () => {
    const run = new EngineRun();
    run.pool("m", { size: 2 });
    run.finish(run.ask({ cost: 900 }));
    run.wait(599_999);
    expect(run.state.pools.size).toBe(1);
    run.wait(1);
    expect(run.state.pools.size).toBe(0);
    expect(run.poolPicture()).toMatchObject({ size: 2, inFlight: 0, tenants: [] });
    run.ask({ cost: 50 });
    expect(run.tenantPicture("t").servedTokens).toBe(50);
  });

  it("begins again with every request, and asks to be woken for its end", () => {
    const run = new EngineRun();
    const wake = run.finish(run.ask()).find((effect) => effect.kind === "wake_at");
    expect(wake).toMatchObject({ atMs: 600_000 });
    run.wait(500_000);
    run.finish(run.ask());
    run.wait(599_999);
    expect(run.state.pools.size).toBe(1);
    run.wait(1);
    expect(run.state.pools.size).toBe(0);
  });

  it("ends with its last request once its model is gone", () => {
    const run = new EngineRun();
    run.pool("m", { size: 1 });
    const [first, second] = run.askTimes(2);
    run.pool("m", { size: 1, routed: false });
    run.finish(first ?? 0);
    expect(run.running.has(second ?? 0)).toBe(true);
    run.finish(second ?? 0);
    run.wait(0);
    expect(run.state.pools.size).toBe(0);
    expect(run.snapshot().pools).toEqual([]);
  });
});

describe("settling on actual usage", () => {
  it("charges what was really used, up or down, and leaves estimates alone when it is not known", () => {
    const run = new EngineRun({ settle: "actual", defaultPoolSize: 8 });
    const [more, less, unknown] = run.askTimes(3, { cost: 100 });
    run.ask({ cost: 1 });
    run.finish(more ?? 0, 250);
    expect(run.tenantPicture("t").servedTokens).toBe(451);
    run.finish(less ?? 0, 40);
    expect(run.tenantPicture("t").servedTokens).toBe(391);
    run.finish(unknown ?? 0, null);
    expect(run.tenantPicture("t")).toMatchObject({ servedTokens: 391, shareScore: 3.91 });
  });

  it("gives back no more than the level of the siblings", () => {
    const run = new EngineRun({ settle: "actual", algorithm: "weighted", defaultPoolSize: 1 });
    const big = run.ask({ tenant: "a", cost: 10_000 });
    run.askTimes(3, { tenant: "b", cost: 10 });
    run.finish(big, 0);
    run.ask({ tenant: "a", cost: 10 });
    const [a, b] = [run.tenantPicture("a").shareScore, run.tenantPicture("b").shareScore];
    expect(a).toBeGreaterThanOrEqual(0);
    expect(a).toBeLessThanOrEqual(b);
  });

  it("does nothing by default", () => {
    const run = new EngineRun({ defaultPoolSize: 8 });
    const [first] = run.askTimes(2, { cost: 100 });
    run.finish(first ?? 0, 5_000);
    expect(run.tenantPicture("t").servedTokens).toBe(200);
  });
});
