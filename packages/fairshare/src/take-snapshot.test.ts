import { describe, expect, it } from "vitest";
import { EngineRun } from "../test/engine-run";
import { SharedRun } from "../test/shared-run";
import { decisionsSince } from "./engine";
import { waitingTags } from "./index";
import { sample } from "./take-snapshot";

/** Two groups, three tenants, two of them over their share, on a full pool with a queue. */
function busyRun(algorithm: "hierarchical" | "weighted" = "hierarchical"): EngineRun {
  const run = new EngineRun({ algorithm });
  run.pool("m", { size: 8 });
  run.askTimes(6, { tenant: "a", group: "g1", groupWeight: 300, cost: 10 });
  run.askTimes(2, { tenant: "b", group: "g1", groupWeight: 300, cost: 20, cap: 2 });
  run.nowMs = 40;
  run.askTimes(3, { tenant: "b", group: "g1", groupWeight: 300, cost: 20, cap: 2 });
  run.nowMs = 100;
  run.askTimes(2, { tenant: "c", group: "g2", groupWeight: 100, cost: 5, key: "c1" });
  run.ask({ tenant: "c", group: "g2", groupWeight: 100, cost: 5, key: "c2", keyWeight: 300 });
  run.nowMs = 250;
  return run;
}

describe("the snapshot", () => {
  it("counts every level alike, and the levels add up", () => {
    const pool = busyRun().poolPicture();
    const sum = (rows: readonly { inFlight: number; queued: number }[]) =>
      rows.reduce((all, row) => [(all[0] ?? 0) + row.inFlight, (all[1] ?? 0) + row.queued], [0, 0]);
    expect([pool.inFlight, pool.queued]).toEqual([8, 6]);
    for (const rows of [pool.groups, pool.tenants, pool.keys]) expect(sum(rows)).toEqual([8, 6]);
  });

  it("gives slots by the split, fair shares by weight, and what is held above a share as borrowed", () => {
    const run = busyRun();
    expect(run.groupPicture("g1")).toMatchObject({ slotCap: 6, borrowed: 2, weightShare: 0.75, expectedSlots: 6 });
    expect(run.groupPicture("g2")).toMatchObject({ slotCap: 2, borrowed: 0, weightShare: 0.25, expectedSlots: 2 });
    expect(run.tenantPicture("a")).toMatchObject({ slotShare: 3, borrowed: 3, expectedSlots: 3 });
    expect(run.tenantPicture("c")).toMatchObject({ slotShare: 2, borrowed: 0 });
    expect(run.poolPicture()).toMatchObject({ borrowed: 3, usable: 8 });
  });

  it("divides by tenant alone under weighted, and a group has what its tenants have", () => {
    const run = busyRun("weighted");
    const shares = ["a", "b", "c"].map((tenant) => run.tenantPicture(tenant).slotShare);
    expect(shares.toSorted()).toEqual([2, 3, 3]);
    expect(run.groupPicture("g1").slotCap).toBe((shares[0] ?? 0) + (shares[1] ?? 0));
    expect(run.tenantPicture("c").weightShare).toBeCloseTo(1 / 3);
  });

  it("says who is below its share, at a cap, and how long the oldest has waited", () => {
    const run = busyRun();
    expect(run.tenantPicture("c")).toMatchObject({ belowShare: true, atCap: false, oldestWaitMs: 150 });
    expect(run.tenantPicture("b")).toMatchObject({ belowShare: true, atCap: true, maxInFlight: 2, oldestWaitMs: 210 });
    expect(run.tenantPicture("a")).toMatchObject({ belowShare: false, oldestWaitMs: null });
    expect(run.poolPicture().oldestWaitMs).toBe(210);
  });

  it("calls nobody below its share of whom nothing waits, who has its share, or beside whom nobody has a whole slot more", () => {
    const isBelow = (capOfA: number | null, asks: readonly [tenant: string, times: number][]) => {
      const run = new EngineRun();
      run.pool("m", { size: 8 });
      // Elsewhere somebody is above its share and somebody else below it.
      run.pool("n", { size: 8 });
      run.askTimes(8, { tenant: "x", pool: "n" });
      run.ask({ tenant: "y", pool: "n" });
      expect(run.tenantPicture("y", "n").belowShare).toBe(true);
      for (const [tenant, times] of asks) run.askTimes(times, { tenant, cap: tenant === "a" ? capOfA : null });
      const { inFlight, slotShare, queued, belowShare } = run.tenantPicture("a");
      return { inFlight, slotShare, isWaiting: queued > 0, belowShare };
    };
    const nothingWaits = isBelow(null, [
      ["a", 1],
      ["b", 7],
    ]);
    expect(nothingWaits).toEqual({ inFlight: 1, slotShare: 4, isWaiting: false, belowShare: false });
    const atShare = isBelow(null, [
      ["a", 4],
      ["b", 5],
      ["a", 1],
    ]);
    expect(atShare).toEqual({ inFlight: 4, slotShare: 4, isWaiting: true, belowShare: false });
    const nobodyAbove = isBelow(3, [
      ["a", 4],
      ["b", 4],
    ]);
    expect(nobodyAbove).toEqual({ inFlight: 3, slotShare: 4, isWaiting: true, belowShare: false });
    const below = isBelow(3, [
      ["a", 4],
      ["b", 5],
    ]);
    expect(below).toEqual({ inFlight: 3, slotShare: 4, isWaiting: true, belowShare: true });
  });

  it("places waiting tenants from 1 in picking order, those held back by a cap last", () => {
    const run = busyRun();
    const positions = ["a", "b", "c"].map((tenant) => run.tenantPicture(tenant).position);
    expect(positions).toEqual([null, 2, 1]);
  });

  it("gives position 1 to whoever the next freed slot goes to, under weighted", () => {
    const run = new EngineRun({ algorithm: "weighted", defaultPoolSize: 3 });
    for (let i = 0; i < 60; i++) {
      run.ask({ tenant: `t${(i * 7) % 6}`, group: `g${((i * 7) % 6) % 2}`, cost: 1 + ((i * 11) % 30) });
    }
    for (let i = 0; i < 40; i++) {
      const first = run.poolPicture().tenants.find((tenant) => tenant.position === 1)?.tenantId;
      const [running = 0] = run.running;
      const owner = run.asks.get(running)?.tenant;
      run.finish(running);
      // Giving a slot back may put its own tenant first; nobody else can overtake.
      expect([first, owner]).toContain(run.latestTenants(1)[0]);
    }
  });

  it("splits a tenant's share over its keys by weight", () => {
    const keys = busyRun()
      .poolPicture()
      .keys.filter((key) => key.tenantId === "c");
    expect(keys.map((key) => [key.keyId, key.weightShare, key.expectedSlots])).toEqual([
      ["c1", 0.25, 0.5],
      ["c2", 0.75, 1.5],
    ]);
  });

  it("counts since when a tenant is above its share from the moment it rose above it", () => {
    const run = new EngineRun({ defaultPoolSize: 4 });
    run.askTimes(4, { tenant: "a" });
    expect(run.tenantPicture("a").aboveShareMs).toBeNull();
    run.nowMs = 500;
    run.ask({ tenant: "b" });
    run.nowMs = 800;
    expect(run.tenantPicture("a")).toMatchObject({ borrowed: 2, aboveShareMs: 300 });
    for (let i = 0; i < 2; i++) run.finish(run.runningOf({ tenant: "a" }));
    expect(run.tenantPicture("a").aboveShareMs).toBeNull();
  });

  it("shows the pools that are configured beside those that exist, by name", () => {
    const run = busyRun();
    run.pool("z", { size: 5 });
    run.pool("b", { size: 6 });
    run.ask({ pool: "k" });
    expect(run.snapshot().pools.map((pool) => [pool.pool, pool.size, pool.inFlight])).toEqual([
      ["b", 6, 0],
      ["k", 32, 1],
      ["m", 8, 8],
      ["z", 5, 0],
    ]);
  });

  it("leaves out who has no work, and changes nothing however often it is taken", () => {
    const run = new EngineRun({ defaultPoolSize: 4 });
    run.finish(run.ask({ tenant: "gone" }));
    run.ask({ tenant: "here" });
    expect(run.poolPicture().tenants.map((tenant) => tenant.tenantId)).toEqual(["here"]);
    const [looked, blind] = [new EngineRun({ defaultPoolSize: 3 }), new EngineRun({ defaultPoolSize: 3 })];
    for (let i = 0; i < 120; i++) {
      for (const each of [looked, blind]) {
        each.ask({ tenant: `t${(i * 5) % 7}`, group: `g${i % 3}`, cost: (i * 17) % 50 });
        if (i % 2 === 0) each.finish([...each.running][0] ?? 0);
      }
      looked.snapshot();
      sample(looked.state);
    }
    expect(looked.granted).toEqual(blind.granted);
    expect(decisionsSince(looked.state, 0)).toEqual(decisionsSince(blind.state, 0));
  });

  it("gives the lowest waiting score as the virtual time, and the remembered level when nobody waits", () => {
    const run = new EngineRun({ algorithm: "weighted", defaultPoolSize: 1 });
    run.ask({ tenant: "a", cost: 700 });
    run.finish(1);
    run.ask({ tenant: "a", cost: 100 });
    expect(run.poolPicture().virtualTime).toBe(7);
    run.ask({ tenant: "a", cost: 100 });
    expect(run.poolPicture().virtualTime).toBe(8);
  });

  it("shows an open claim as queued with its wait, first in line", () => {
    const run = new SharedRun({ defaultPoolSize: 1 });
    run.ask({ tenant: "a" });
    run.ask({ tenant: "b" });
    run.nowMs = 30;
    expect(run.tenantPicture("a")).toMatchObject({ inFlight: 0, queued: 1, oldestWaitMs: 30, position: 1 });
    expect(run.tenantPicture("b")).toMatchObject({ queued: 1, position: 2 });
  });
});

describe("the sample", () => {
  it("agrees with the snapshot", () => {
    const run = busyRun();
    run.ask({ pool: "other" });
    const { pools } = run.snapshot();
    expect(sample(run.state)).toHaveLength(2);
    for (const each of sample(run.state)) {
      const pool = pools.find((picture) => picture.pool === each.pool);
      expect(each).toMatchObject({
        size: pool?.size,
        inFlight: pool?.inFlight,
        queued: pool?.queued,
        held: pool?.held,
      });
      const running = new Map(pool?.groups.filter((g) => g.inFlight > 0).map((g) => [g.name, g.inFlight]));
      expect(each.groups).toEqual(running);
    }
  });
});

describe("tags", () => {
  it("come back with grants and refusals, and those of waiting requests can be listed", () => {
    const run = new EngineRun({ defaultPoolSize: 1 });
    const first = run.ask({ tag: "first" });
    expect(run.effects).toContainEqual(expect.objectContaining({ kind: "grant", tag: "first" }));
    run.ask({ tag: "second" });
    run.ask({ tag: "third", timeoutMs: 10 });
    expect(waitingTags(run.state)).toEqual(["second", "third"]);
    run.wait(10);
    expect(run.effects).toContainEqual(expect.objectContaining({ kind: "refuse", tag: "third" }));
    run.finish(first);
    expect(run.effects).toContainEqual(expect.objectContaining({ kind: "grant", tag: "second" }));
    expect(waitingTags(run.state)).toEqual([]);
  });
});
