import { type EngineSnapshot, keyId, type PoolSnapshot, poolId, tenantId } from "@obleth/fairshare";
import { describe, expect, it } from "vitest";
import { mergeEngines, mergeUncut } from "./merge-views";
import { sampleEngine, sampleGroupRow, sampleKeyRow, samplePoolRow, sampleTenantRow } from "./testing/snapshot-samples";

/** A replica's part of the worked example: chatbot (500) and api-batch (50) on 8 slots. */
function replica(
  chatbot: [running: number, waiting: number],
  batch: [running: number, waiting: number],
): EngineSnapshot {
  const tenants = [];
  const groups = [];
  const rows = [
    { id: "chatbot", group: "chat", weight: 500, counts: chatbot },
    { id: "api-batch", group: "api", weight: 50, counts: batch },
  ];
  for (const { id, group, weight, counts } of rows) {
    const [inFlight, queued] = counts;
    if (inFlight + queued === 0) continue;
    const row = { inFlight, queued, weight, servedTokens: inFlight * 100, shareScore: (inFlight * 100) / weight };
    const oldestWaitMs = queued > 0 ? queued * 10 : null;
    tenants.push(sampleTenantRow(id, { ...row, group: group as never, effectiveWeight: weight, oldestWaitMs }));
    groups.push(sampleGroupRow(group, row));
  }
  return sampleEngine([samplePoolRow("sim-chat", { size: 8, tenants, groups, oldestWaitMs: 5 })]);
}

const onlyPool = (engine: EngineSnapshot): PoolSnapshot => engine.pools[0] as PoolSnapshot;

describe("the fleet's picture", () => {
  it("is the replica's own, untouched, when it is alone", () => {
    const own = replica([1, 0], [0, 0]);
    expect(mergeEngines([own])).toBe(own);
  });

  it("adds counts and tokens up and splits the pool over everybody with work anywhere", () => {
    const merged = mergeEngines([replica([3, 10], [0, 0]), replica([4, 47], [1, 31])]);
    expect(merged).toMatchObject({ inFlight: 8, queued: 88 });
    const pool = onlyPool(merged);
    expect(pool).toMatchObject({ inFlight: 8, queued: 88, usable: 8 });
    expect(pool.groups.map((group) => [group.name, group.slotCap, group.inFlight])).toEqual([
      ["chat", 7, 7],
      ["api", 1, 1],
    ]);
    const chatbot = pool.tenants.find((tenant) => tenant.tenantId === "chatbot");
    expect(chatbot).toMatchObject({ slotShare: 7, servedTokens: 700, oldestWaitMs: 470, position: expect.any(Number) });
    expect(chatbot?.expectedSlots).toBeCloseTo((8 * 500) / 550);
  });

  it("is the same whichever replica's views come first, except for the order of lists", () => {
    const parts = [replica([3, 10], [0, 0]), replica([4, 47], [1, 31]), replica([0, 0], [0, 2])] as const;
    const [a, b, c] = parts;
    const one = onlyPool(mergeEngines([a, b, c]));
    const other = onlyPool(mergeEngines([c, a, b]));
    const byName = (pool: PoolSnapshot) => Object.fromEntries(pool.tenants.map((tenant) => [tenant.tenantId, tenant]));
    expect(byName(one)).toEqual(byName(other));
    expect({ ...one, tenants: [], groups: [] }).toEqual({ ...other, tenants: [], groups: [] });
  });

  it("counts the slots that the shared books hold, for the pool and for whoever is listed, and how long they may last", () => {
    const own = replica([3, 10], [0, 0]);
    const hold = (tenant: string, leftMs: number) => ({
      pool: poolId("sim-chat"),
      tenantId: tenantId(tenant),
      keyId: keyId("k"),
      leftMs,
    });
    const merged = mergeEngines([own], [hold("chatbot", 800), hold("chatbot", 2100), hold("gone quiet", 500)]);
    expect(merged).toMatchObject({ inFlight: 3, held: 3 });
    const pool = onlyPool(merged);
    expect(pool).toMatchObject({ inFlight: 3, held: 3, holdLeftMs: 2100 });
    expect(pool.tenants.map((tenant) => [tenant.tenantId, tenant.inFlight, tenant.held])).toEqual([["chatbot", 3, 2]]);
    expect(pool.groups.map((group) => [group.name, group.held])).toEqual([["chat", 2]]);
  });

  it("sees a cap that held slots fill", () => {
    const tenants = [sampleTenantRow("chatbot", { inFlight: 1, queued: 1, maxInFlight: 2 })];
    const hold = { pool: poolId("sim-chat"), tenantId: tenantId("chatbot"), keyId: keyId("k"), leftMs: 9 };
    const groups = [sampleGroupRow("chat", { inFlight: 1, queued: 1 })];
    const merged = mergeEngines([sampleEngine([samplePoolRow("sim-chat", { tenants, groups })])], [hold]);
    expect(onlyPool(merged).tenants[0]).toMatchObject({ held: 1, atCap: true });
  });

  it("finds somebody below its share although no single replica can see it", () => {
    const first = replica([8, 0], [0, 0]);
    const second = replica([0, 0], [0, 3]);
    expect(onlyPool(second).tenants[0]?.belowShare).toBe(false);
    const pool = onlyPool(mergeEngines([first, second]));
    expect(pool.tenants.map((tenant) => [tenant.tenantId, tenant.borrowed, tenant.belowShare])).toEqual([
      ["chatbot", 1, false],
      ["api-batch", 0, true],
    ]);
    expect(pool.borrowed).toBe(1);
  });

  it("knows a cap that is reached only by all replicas together", () => {
    const part = (inFlight: number) =>
      sampleEngine([
        samplePoolRow("sim-chat", {
          tenants: [sampleTenantRow("t", { inFlight, queued: 1, maxInFlight: 4 })],
          groups: [sampleGroupRow("default", { inFlight, queued: 1 })],
          keys: [sampleKeyRow("k", "t", { inFlight, queued: 1, maxInFlight: 4 })],
        }),
      ]);
    const pool = onlyPool(mergeEngines([part(2), part(2)]));
    expect([pool.tenants[0]?.atCap, pool.keys[0]?.atCap]).toEqual([true, true]);
  });

  it("splits over what the ceiling leaves", () => {
    const part = { ...replica([2, 5], [2, 5]), ceiling: 5, configuredCeiling: 5 };
    const merged = mergeEngines([part, { ...replica([1, 5], [0, 0]), ceiling: 5, configuredCeiling: 5 }]);
    expect(merged.isCeilingReached).toBe(true);
    expect(onlyPool(merged).usable).toBe(5);
  });

  it("keeps pools that only another replica has", () => {
    const other = sampleEngine([samplePoolRow("elsewhere", { tenants: [sampleTenantRow("t", { inFlight: 1 })] })]);
    expect(mergeEngines([replica([1, 0], [0, 0]), other]).pools.map((pool) => pool.pool)).toEqual([
      "sim-chat",
      "elsewhere",
    ]);
  });

  it("under weighted lets all tenants share the pool by their own weights", () => {
    const weighted = (engine: EngineSnapshot): EngineSnapshot => ({ ...engine, algorithm: "weighted" });
    const pool = onlyPool(mergeEngines([weighted(replica([1, 9], [0, 0])), weighted(replica([0, 0], [1, 9]))]));
    expect(pool.tenants.map((tenant) => tenant.slotShare)).toEqual([7, 1]);
    expect(pool.groups.map((group) => group.slotCap)).toEqual([7, 1]);
  });
});

describe("lists that were cut", () => {
  it("are counted by the largest view or by what is listed, whichever is more", () => {
    const merged = mergeEngines([replica([1, 0], [1, 0]), replica([1, 0], [0, 0])]);
    const pool = poolId("sim-chat");
    expect(mergeUncut(merged, [new Map(), new Map([[pool, { tenants: 900, keys: 1 }]])]).get(pool)).toEqual({
      tenants: 900,
      keys: 1,
    });
    expect(mergeUncut(merged, [new Map()]).size).toBe(0);
  });
});
