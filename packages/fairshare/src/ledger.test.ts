/** What a charge, a return, an undone claim and a rebase do to the exact scores of key, tenant and group. */
import { describe, expect, it } from "vitest";
import { EngineRun } from "../test/engine-run";
import { SharedRun } from "../test/shared-run";
import { groupId, keyId, poolId, tenantId } from "./ids";
import { REBASE_AT } from "./score";
import type { Tenant } from "./state";
import { findKey } from "./tenant-keys";

const BOTH = ["hierarchical", "weighted"] as const;

function poolOf(run: EngineRun) {
  const pool = run.state.pools.get(poolId("m"));
  if (pool === undefined) throw new Error("the pool is there");
  return pool;
}

function tenantOf(run: EngineRun, id: string): Tenant {
  const tenant = poolOf(run).tenants.get(tenantId(id));
  if (tenant === undefined) throw new Error(`no tenant ${id}`);
  return tenant;
}

function keyOf(run: EngineRun, tenant: string, id: string) {
  const key = findKey(tenantOf(run, tenant), keyId(id));
  if (key === undefined) throw new Error(`no key ${id}`);
  return key;
}

/** Whole parts of the scores of a tenant's chain, with nobody's fraction in the way. */
function scoresOf(run: EngineRun, tenant: string, key = `${tenant}-key`) {
  const account = tenantOf(run, tenant);
  return { group: account.group.hi, tenant: account.hi, key: keyOf(run, tenant, key).hi };
}

describe("a charge", () => {
  it.each(BOTH)("is tokens over weight at each of the three levels, and a plain sum beside it, %s", (algorithm) => {
    const run = new EngineRun({ algorithm, defaultPoolSize: 4 });
    run.ask({ tenant: "a", group: "g", groupWeight: 2, weight: 3, keyWeight: 6, cost: 60 });
    run.ask({ tenant: "a", group: "g", groupWeight: 2, weight: 3, keyWeight: 6, cost: 12 });
    expect(scoresOf(run, "a")).toEqual({ group: 36, tenant: 24, key: 12 });
    const { served, group } = tenantOf(run, "a");
    expect([group.served, served, keyOf(run, "a", "a-key").served]).toEqual([72, 72, 72]);
  });

  it.each(BOTH)("moves the virtual time of each line up to the start, never down, %s", (algorithm) => {
    const run = new EngineRun({ algorithm, defaultPoolSize: 4 });
    run.ask({ tenant: "a", group: "g", weight: 1, groupWeight: 1, keyWeight: 1, cost: 50 });
    const { line, keyLevel, group } = tenantOf(run, "a");
    expect([line.level.hi, keyLevel.hi, group.pool.groupLine.level.hi]).toEqual([0, 0, 0]);
    run.ask({ tenant: "a", group: "g", weight: 1, groupWeight: 1, keyWeight: 1, cost: 5 });
    expect([line.level.hi, keyLevel.hi, group.pool.groupLine.level.hi]).toEqual([50, 50, 50]);
    run.ask({ tenant: "late", group: "g", weight: 1, cost: 7 });
    expect(line.level.hi).toBe(50);
  });

  it("of one that was held back by its cap, behind the others by then, leaves the virtual time where it is", () => {
    const run = new EngineRun({ algorithm: "weighted", defaultPoolSize: 3 });
    const [first = 0] = run.askTimes(2, { tenant: "capped", weight: 1, cap: 1, cost: 1 });
    run.askTimes(2, { tenant: "other", weight: 1, cost: 100 });
    const { level } = poolOf(run).tenantLine;
    expect([scoresOf(run, "capped").tenant, level.hi]).toEqual([1, 100]);
    run.finish(first);
    expect([scoresOf(run, "capped").tenant, level.hi]).toEqual([2, 100]);
  });

  it("makes whoever was granted last the last among equals", () => {
    const run = new EngineRun({ algorithm: "weighted", defaultPoolSize: 1 });
    run.askTimes(3, { tenant: "b", cost: 0 });
    run.askTimes(3, { tenant: "a", cost: 0 });
    for (let i = 0; i < 4; i++) run.finish([...run.running][0] ?? 0);
    expect(run.latestTenants(5)).toEqual(["b", "a", "b", "a", "b"]);
  });
});

describe("a score that no fraction of a token can say", () => {
  const fractionsOf = (run: EngineRun, tenant: string) => {
    const account = tenantOf(run, tenant);
    return [account.group, account, keyOf(run, tenant, `${tenant}-key`)].map(({ hi, lo, rest }) => [hi, lo, rest]);
  };

  it.each(BOTH)("is kept to the last digit by the virtual time that a newcomer joins at, %s", (algorithm) => {
    const run = new EngineRun({ algorithm, defaultPoolSize: 4 });
    const first = { tenant: "a", group: "g", weight: 29, groupWeight: 29, key: "a-key", keyWeight: 29 };
    run.ask({ ...first, cost: 10 });
    run.ask({ ...first, cost: 19 });
    expect(fractionsOf(run, "a")).toEqual([0, 0, 0].map(() => [1, 0, 0]));
    run.ask({ tenant: "b", group: "g", weight: 58, groupWeight: 29, cost: 38 });
    expect(fractionsOf(run, "b")[1]).toEqual([1, 0, 0]);
  });

  it.each(BOTH)("is kept to the last digit when the weights of group, tenant and key double, %s", (algorithm) => {
    const run = new EngineRun({ algorithm, defaultPoolSize: 4 });
    run.ask({ tenant: "a", group: "g", weight: 29, groupWeight: 29, keyWeight: 29, cost: 10 });
    run.ask({ tenant: "a", group: "g", weight: 58, groupWeight: 58, keyWeight: 58, cost: 38 });
    expect(fractionsOf(run, "a")).toEqual([0, 0, 0].map(() => [1, 0, 0]));
  });
});

describe("a return", () => {
  it("is to the lowest score of a sibling that waits and could run, not of one that waits at its cap", () => {
    const run = new EngineRun({ algorithm: "weighted", defaultPoolSize: 2 });
    const capped = { tenant: "capped", weight: 1, cap: 1, cost: 20 };
    run.askTimes(2, capped);
    const other = { tenant: "other", weight: 1, cost: 300 };
    run.askTimes(2, other);
    expect(scoresOf(run, "capped").tenant).toBe(20);
    expect(scoresOf(run, "other").tenant).toBe(300);
    run.ask({ tenant: "new", weight: 1 });
    expect(scoresOf(run, "new").tenant).toBe(300);
  });

  it("happens to a tenant with requests running as well, and clears no debt", () => {
    const run = new EngineRun({ algorithm: "weighted", defaultPoolSize: 3 });
    run.ask({ tenant: "owes", weight: 1, cost: 900 });
    run.ask({ tenant: "runs", weight: 1, cost: 10 });
    run.askTimes(3, { tenant: "waits", weight: 1, cost: 400 });
    run.ask({ tenant: "runs", weight: 1, cost: 10 });
    run.ask({ tenant: "owes", weight: 1, cost: 10 });
    expect(scoresOf(run, "runs").tenant).toBe(400);
    expect(scoresOf(run, "owes").tenant).toBe(900);
  });

  it("of a key is to its tenant's other keys, of a group to the other groups", () => {
    const run = new EngineRun({ defaultPoolSize: 1 });
    run.askTimes(2, { tenant: "a", group: "g", key: "k1", keyWeight: 1, groupWeight: 1, cost: 70 });
    run.ask({ tenant: "a", group: "g", key: "k2", keyWeight: 1, groupWeight: 1, cost: 70 });
    expect(scoresOf(run, "a", "k2").key).toBe(70);
    run.ask({ tenant: "b", group: "h", groupWeight: 1 });
    expect(scoresOf(run, "b").group).toBe(70);
    expect(scoresOf(run, "b").tenant).toBe(0);
  });

  it("of somebody above the virtual time, with nothing running and nobody waiting, is to its debt", () => {
    const run = new EngineRun({ algorithm: "weighted", defaultPoolSize: 2 });
    run.finish(run.ask({ tenant: "a", weight: 1, cost: 100 }));
    run.ask({ tenant: "a", weight: 1, cost: 1 });
    expect(scoresOf(run, "a").tenant).toBe(101);
    expect(tenantOf(run, "a").served).toBe(101);
  });

  it("of somebody with requests running is never to a lower score than its own, nor does it start its sum anew", () => {
    const run = new EngineRun({ algorithm: "weighted", defaultPoolSize: 4 });
    run.askTimes(2, { tenant: "low", weight: 1, cap: 1, cost: 10 });
    run.ask({ tenant: "mid", weight: 1, cost: 50 });
    run.askTimes(2, { tenant: "high", weight: 1, cost: 60 });
    const low = tenantOf(run, "low");
    run.send({ kind: "policy_changed", pool: poolId("m"), tenant: { ...low.policy, maxInFlight: null } });
    expect([low.hi, low.queued, low.line.level.hi]).toEqual([10, 1, 60]);
    run.ask({ tenant: "mid", weight: 1, cost: 50 });
    expect(tenantOf(run, "mid")).toMatchObject({ hi: 50, served: 50, queued: 1 });
  });

  it("of somebody at or below the virtual time starts the plain sum and the turn anew", () => {
    const run = new EngineRun({ algorithm: "weighted", defaultPoolSize: 2 });
    run.finish(run.ask({ tenant: "a", key: "k2", keyWeight: 1, cost: 5 }));
    run.finish(run.ask({ tenant: "a", key: "k1", keyWeight: 1, cost: 50 }));
    run.ask({ tenant: "a", key: "k1", keyWeight: 1, cost: 50 });
    run.ask({ tenant: "a", key: "k2", keyWeight: 1, cost: 5 });
    expect(keyOf(run, "a", "k2")).toMatchObject({ hi: 55, served: 5 });
    expect(keyOf(run, "a", "k1")).toMatchObject({ hi: 100, served: 100 });
  });
});

describe("silence", () => {
  it.each(BOTH)("is forgotten at every level at the virtual time, and remembered above it, %s", (algorithm) => {
    const run = new EngineRun({ algorithm, defaultPoolSize: 1 });
    const running = run.ask({ tenant: "a", group: "g", cost: 100 });
    const leaver = run.ask({ tenant: "b", group: "h", cost: 100 });
    const sibling = run.ask({ tenant: "a", group: "g", key: "k2", cost: 100 });
    expect([...poolOf(run).tenants.keys()]).toEqual(["a", "b"]);
    run.cancel(leaver);
    run.cancel(sibling);
    expect([...poolOf(run).tenants.keys()]).toEqual(["a"]);
    expect([...poolOf(run).groups.keys()]).toEqual(["g"]);
    expect(findKey(tenantOf(run, "a"), keyId("k2"))).toBeUndefined();
    run.finish(running);
    expect([...poolOf(run).tenants.keys()]).toEqual(["a"]);
    expect(keyOf(run, "a", "a-key").hi).toBe(1);
  });
});

describe("a correction to what was really used", () => {
  it("leaves one below the virtual time where it is when it used less, and charges it when it used more", () => {
    const run = new EngineRun({ algorithm: "weighted", defaultPoolSize: 6, settle: "actual" });
    const [first = 0, second = 0] = run.askTimes(3, { tenant: "low", weight: 1, cost: 10 });
    run.askTimes(2, { tenant: "high", weight: 1, cost: 100 });
    const { level } = poolOf(run).tenantLine;
    expect([scoresOf(run, "low").tenant, level.hi]).toEqual([30, 120]);
    run.finish(first, 4);
    expect([scoresOf(run, "low").tenant, tenantOf(run, "low").served]).toEqual([30, 24]);
    run.finish(second, 25);
    expect([scoresOf(run, "low").tenant, tenantOf(run, "low").served]).toEqual([45, 39]);
  });

  it("stops at the virtual time on its way down", () => {
    const run = new EngineRun({ algorithm: "weighted", defaultPoolSize: 2, settle: "actual" });
    const long = run.ask({ tenant: "a", weight: 1, cost: 100 });
    run.ask({ tenant: "a", weight: 1, cost: 10 });
    run.finish(long, 0);
    expect(scoresOf(run, "a").tenant).toBe(100);
    expect(tenantOf(run, "a").served).toBe(10);
  });
});

describe("a claim that is refused", () => {
  it.each(BOTH)("takes its charge back at all levels, to the last digit, %s", (algorithm) => {
    const run = new SharedRun({ algorithm, defaultPoolSize: 4 });
    run.admit({ tenant: "a", group: "g", weight: 7, groupWeight: 13, keyWeight: 11, cost: 3 });
    const before = pictureOf(run);
    run.ask({ tenant: "a", group: "g", weight: 7, groupWeight: 13, keyWeight: 11, cost: 5 });
    expect(pictureOf(run)).not.toEqual(before);
    run.answer("pool");
    expect(pictureOf(run)).toEqual(before);
  });

  it("takes its turn back too", () => {
    const run = new SharedRun({ algorithm: "weighted", defaultPoolSize: 4 });
    run.admit({ tenant: "a" });
    const turn = tenantOf(run, "a").lastGranted;
    const refused = run.ask({ tenant: "a" });
    run.settle(refused, "pool");
    expect(tenantOf(run, "a").lastGranted).toBe(turn);
  });

  it("leaves a later grant's turn alone", () => {
    const run = new SharedRun({ algorithm: "weighted", defaultPoolSize: 4 });
    const [first = 0] = run.askTimes(2, { tenant: "a" });
    const latest = tenantOf(run, "a").lastGranted;
    run.settle(first, "tenant");
    expect(run.claims).toHaveLength(2);
    expect([tenantOf(run, "a").lastGranted, latest]).toEqual([2, 2]);
  });

  it("takes back what it cost at the weights it was charged at, whatever they are by now", () => {
    const run = new SharedRun({ algorithm: "weighted", defaultPoolSize: 4 });
    run.admit({ tenant: "a", weight: 10, cost: 100 });
    run.ask({ tenant: "a", weight: 10, cost: 100 });
    run.send({
      kind: "policy_changed",
      pool: poolId("m"),
      tenant: { ...tenantOf(run, "a").policy, weight: 1_000 },
    });
    run.claims.splice(0, run.claims.length - 1);
    run.answer("pool");
    expect(scoresOf(run, "a").tenant).toBe(10);
    expect(tenantOf(run, "a").weight).toBe(1_000);
  });
});

describe("a claim that is refused after its tenant moved", () => {
  it("takes its charge back from the group it was made in, which then goes first by its score", () => {
    const run = new SharedRun({ defaultPoolSize: 2 });
    run.admit({ tenant: "y", group: "g2", cost: 100 });
    const claiming = run.ask({ tenant: "moves", group: "g1", cost: 300 });
    run.ask({ tenant: "x", group: "g1" });
    run.ask({ tenant: "y", group: "g2" });
    run.ask({ tenant: "z", group: "g4" });
    const { policy } = tenantOf(run, "moves");
    const group = { ...policy.group, id: groupId("g3") };
    run.send({ kind: "policy_changed", pool: poolId("m"), tenant: { ...policy, group } });
    run.settle(claiming, "tenant");
    expect(run.claims.at(-1)).toMatchObject({ tenantId: "x" });
  });
});

describe("a rebase", () => {
  it.each(BOTH)(
    "takes the same whole amount off all of a line, quiet ones included, at every level, %s",
    (algorithm) => {
      const run = new EngineRun({ algorithm, defaultPoolSize: 3, startLevel: REBASE_AT - 10 });
      const plain = { weight: 1, groupWeight: 1, keyWeight: 1 };
      const quiet = run.ask({ tenant: "quiet", group: "g", ...plain, cost: 4 });
      run.finish(quiet);
      run.ask({ tenant: "a", group: "g", key: "k1", ...plain, cost: 3 });
      run.ask({ tenant: "a", group: "g", key: "k2", ...plain, cost: 5 });
      const before = { quiet: tenantOf(run, "quiet").hi, a: tenantOf(run, "a").hi, k2: keyOf(run, "a", "k2").hi };
      run.ask({ tenant: "a", group: "g", key: "k1", ...plain, cost: 20 });
      const { a, quiet: quietAfter } = { a: tenantOf(run, "a"), quiet: tenantOf(run, "quiet") };
      expect(a.hi - quietAfter.hi).toBe(before.a + 20 - before.quiet);
      expect(Math.abs(a.hi)).toBeLessThan(1_000);
      expect(a.line.level.hi).toBe(0);
      const [k1, k2] = [keyOf(run, "a", "k1"), keyOf(run, "a", "k2")];
      expect(k1.hi - k2.hi).toBe(REBASE_AT - 10 + 3 + 20 - before.k2);
      expect([k1.hi, k2.hi, a.group.hi].every((hi) => Math.abs(hi) < 1_000)).toBe(true);
    },
  );

  it("of one group's tenants leaves those of another alone", () => {
    const run = new EngineRun({ defaultPoolSize: 4, startLevel: REBASE_AT - 10 });
    run.ask({ tenant: "other", group: "h", weight: 1, cost: 3 });
    run.ask({ tenant: "a", group: "g", weight: 1, cost: 20 });
    expect(scoresOf(run, "a").tenant).toBe(20);
    expect(scoresOf(run, "other").tenant).toBe(REBASE_AT - 7);
  });

  it.each(BOTH)("keeps the order in which those that wait go, %s", (algorithm) => {
    const order = [0, REBASE_AT - 8].map((startLevel) => {
      const run = new EngineRun({ algorithm, defaultPoolSize: 1, startLevel });
      const ask = (tenant: string, i: number) =>
        run.ask({ tenant, weight: 1, keyWeight: 1, groupWeight: 1, cost: 3 + i });
      for (let i = 0; i < 5; i++) for (const tenant of ["a", "b", "c"]) ask(tenant, i);
      for (let i = 0; i < 14; i++) run.finish([...run.running][0] ?? 0);
      return run.latestTenants(15);
    });
    expect(order[1]).toEqual(order[0]);
  });
});

describe("a rebase among the keys of a tenant", () => {
  it("keeps the order in which they go, and where a key that comes later joins", () => {
    const orders = [0, REBASE_AT - 8].map((startLevel) => {
      const run = new EngineRun({ algorithm: "weighted", defaultPoolSize: 1, startLevel });
      for (let i = 0; i < 6; i++) {
        for (const key of ["k1", "k2", "k3"]) run.ask({ key, keyWeight: 1 + (i % 2), cost: 2 + ((i * 7) % 5) });
      }
      for (let i = 0; i < 12; i++) {
        if (i === 9) run.askTimes(3, { key: "late", keyWeight: 1, cost: 9 });
        run.finish([...run.running][0] ?? 0);
      }
      return run.granted.map((id) => run.asks.get(id)?.key);
    });
    expect(new Set(orders[0]).size).toBe(4);
    expect(orders[1]).toEqual(orders[0]);
  });
});

/** Exact standings of everybody in the pool, without virtual times, which a refusal leaves where they are. */
function pictureOf(run: EngineRun) {
  return [...poolOf(run).tenants.values()].map((tenant) => {
    const key = keyOf(run, tenant.id, `${tenant.id}-key`);
    return [tenant.group, tenant, key].map(({ hi, lo, rest, served, taken }) => ({ hi, lo, rest, served, taken }));
  });
}
