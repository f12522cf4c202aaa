import {
  type EngineSnapshot,
  groupId,
  type KeySnapshot,
  keyId,
  type PoolSnapshot,
  poolId,
  type TenantSnapshot,
  tenantId,
} from "@obleth/fairshare";
import { describe, expect, it } from "vitest";
import { decodeView, encodeView } from "./redis-views";
import { trimView, VIEW_BOUNDS } from "./trim-view";
import { publishIntervalMs } from "./view-store";

function tenant(id: string, inFlight: number, queued = 0): TenantSnapshot {
  return {
    tenantId: tenantId(id),
    group: groupId("group"),
    weight: 100,
    boostFactor: 1,
    effectiveWeight: 100,
    maxInFlight: null,
    slotShare: 1,
    servedTokens: 0,
    shareScore: 0,
    weightShare: 0,
    expectedSlots: 0,
    oldestWaitMs: null,
    belowShare: false,
    atCap: false,
    position: null,
    aboveShareMs: null,
    inFlight,
    queued,
    held: 0,
    borrowed: 0,
  };
}

function key(id: string, inFlight: number, queued = 0): KeySnapshot {
  return {
    keyId: keyId(id),
    tenantId: tenantId("acme"),
    weight: 100,
    maxInFlight: null,
    servedTokens: 0,
    shareScore: 0,
    weightShare: 0,
    expectedSlots: 0,
    oldestWaitMs: null,
    atCap: false,
    jumps: 0,
    inFlight,
    queued,
    held: 0,
  };
}

function pool(name: string, tenants: TenantSnapshot[], keys: KeySnapshot[] = []): PoolSnapshot {
  const sum = (of: (tenant: TenantSnapshot) => number) => tenants.reduce((total, one) => total + of(one), 0);
  const inFlight = sum((one) => one.inFlight);
  return {
    pool: poolId(name),
    size: 32,
    configuredSize: 32,
    usable: 32,
    admissionWeight: 100,
    oldestWaitMs: null,
    virtualTime: 0,
    holdLeftMs: null,
    finishes5m: 0,
    inFlight,
    queued: sum((one) => one.queued),
    held: 0,
    borrowed: 0,
    groups: [
      {
        name: groupId("group"),
        weight: 100,
        slotCap: 32,
        servedTokens: 0,
        shareScore: 0,
        weightShare: 1,
        expectedSlots: 32,
        inFlight,
        queued: 0,
        held: 0,
        borrowed: 0,
      },
    ],
    tenants,
    keys,
  };
}

function engine(pools: PoolSnapshot[]): EngineSnapshot {
  return {
    algorithm: "hierarchical",
    ceiling: 4096,
    configuredCeiling: 4096,
    isCeilingReached: false,
    inFlight: pools.reduce((total, one) => total + one.inFlight, 0),
    queued: 0,
    held: 0,
    borrowed: 0,
    pools,
  };
}

const many = (count: number, prefix: string, business: (i: number) => number) =>
  Array.from({ length: count }, (_, i) => tenant(`${prefix}${i}`, business(i)));

describe("a published view", () => {
  it("leaves out pools, tenants and keys without work", () => {
    const before = engine([
      pool("idle", [tenant("quiet", 0)]),
      pool("busy", [tenant("quiet", 0), tenant("runs", 1), tenant("waits", 0, 3)], [key("quiet", 0), key("runs", 1)]),
    ]);
    const { engine: after, uncut } = trimView(before);
    expect(after.pools.map(({ pool: name }) => name)).toEqual(["busy"]);
    expect(after.pools[0]?.tenants.map(({ tenantId: id }) => id)).toEqual(["runs", "waits"]);
    expect(after.pools[0]?.keys.map(({ keyId: id }) => id)).toEqual(["runs"]);
    expect(uncut.size).toBe(0);
  });

  it("keeps the 512 busiest tenants and 128 busiest keys of a pool, in the order they had", () => {
    const tenants = many(600, "t", (i) => 1 + (i % 7));
    const keys = Array.from({ length: 200 }, (_, i) => key(`k${i}`, 1 + (i % 5)));
    const { engine: after, uncut } = trimView(engine([pool("chat", tenants, keys)]));
    const [chat] = after.pools;
    expect(chat?.tenants).toHaveLength(VIEW_BOUNDS.poolTenants);
    expect(chat?.keys).toHaveLength(VIEW_BOUNDS.poolKeys);
    const kept = new Set(chat?.tenants);
    const leastKept = Math.min(...(chat?.tenants ?? []).map((one) => one.inFlight));
    for (const one of tenants) if (one.inFlight > leastKept) expect(kept.has(one)).toBe(true);
    const order = chat?.tenants.map((one) => tenants.indexOf(one)) ?? [];
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(uncut.get(poolId("chat"))).toEqual({ tenants: 600, keys: 200 });
  });

  it("keeps 2,048 tenants and 512 keys over all pools, the busiest of all", () => {
    const pools = Array.from({ length: 10 }, (_, p) =>
      pool(
        `pool-${p}`,
        many(400, `p${p}-t`, () => 1 + p),
        Array.from({ length: 100 }, (_, k) => key(`p${p}-k${k}`, 1 + p)),
      ),
    );
    const { engine: after, uncut } = trimView(engine(pools));
    expect(after.pools.flatMap(({ tenants }) => tenants)).toHaveLength(VIEW_BOUNDS.allTenants);
    expect(after.pools.flatMap(({ keys }) => keys)).toHaveLength(VIEW_BOUNDS.allKeys);
    expect(after.pools[9]?.tenants).toHaveLength(400);
    expect(after.pools[0]?.tenants).toHaveLength(0);
    expect(uncut.get(poolId("pool-0"))).toEqual({ tenants: 400, keys: 100 });
    expect(uncut.has(poolId("pool-9"))).toBe(false);
  });

  it("never cuts the totals of pools and groups", () => {
    const before = engine([
      pool(
        "chat",
        many(5000, "t", () => 2),
      ),
    ]);
    const { engine: after } = trimView(before);
    expect(after.inFlight).toBe(10_000);
    expect(after.pools[0]?.inFlight).toBe(10_000);
    expect(after.pools[0]?.groups).toEqual(before.pools[0]?.groups);
  });

  it("cuts equals the same way every time", () => {
    const tenants = many(700, "t", () => 1);
    const once = trimView(engine([pool("chat", tenants)]));
    const again = trimView(engine([pool("chat", [...tenants].reverse())]));
    const names = (view: typeof once) => view.engine.pools[0]?.tenants.map(({ tenantId: id }) => id).sort();
    expect(names(once)).toEqual(names(again));
  });

  it("stays below a megabyte at its bounds", () => {
    const pools = Array.from({ length: 20 }, (_, p) =>
      pool(
        `pool-${p}`,
        many(500, `p${p}-tenant-with-a-name-`, () => 1),
      ),
    );
    const view = { instance: "host-1", about: { version: "1.0.0" }, ...trimView(engine(pools)) };
    expect(encodeView(view).length).toBeLessThan(1_000_000);
  });

  it("reads as it was written", () => {
    const view = {
      instance: "host-1",
      about: { version: "1.0.0", mode: "shared", started: 12, odd: null },
      ...trimView(
        engine([
          pool(
            "chat",
            many(600, "t", () => 1),
            [key("k", 1)],
          ),
        ]),
      ),
    };
    expect(decodeView(encodeView(view))).toEqual(view);
  });

  it.each(["", "{", "null", "[]", "{}", '{"instance":"a","about":{}}', '{"instance":"a","engine":{},"about":{}}'])(
    "is nothing when the text is %j",
    (text) => {
      expect(decodeView(text)).toBeUndefined();
    },
  );

  it("is published every half second, or every heartbeat if that is shorter", () => {
    expect(publishIntervalMs(5000)).toBe(500);
    expect(publishIntervalMs(200)).toBe(200);
  });
});
