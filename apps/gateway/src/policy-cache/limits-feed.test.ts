import { type LimitsChanged, type PoolChanged, poolId, UNROUTED } from "@obleth/fairshare";
import { beforeEach, describe, expect, it } from "vitest";
import { LimitsFeed } from "./limits-feed";
import type { ModelRecord } from "./records";
import { sampleModel } from "./testing/record-samples";

let models: ModelRecord[];
let pools: PoolChanged[];
let limits: Omit<LimitsChanged, "kind">[];
let feed: LimitsFeed;

beforeEach(() => {
  models = [sampleModel({ maxInFlight: 20 }), sampleModel({ id: "model-2", name: "other", maxInFlight: null })];
  pools = [];
  limits = [];
  feed = new LimitsFeed({
    models: { find: (name) => models.find((model) => model.name === name), list: () => models },
    sink: { setPool: (change) => pools.push(change), setLimits: (change) => limits.push(change) },
    defaults: { size: 32, affinity: { isEnabled: false, holdMs: 3000, maxHeldPercent: 25, maxBypassMs: 30_000 } },
    ceiling: 100,
    hasUnroutedUpstream: true,
  });
});

const sizes = () => pools.map(({ pool, size }) => [pool, size]);

describe("the scheduler's limits", () => {
  it("cover every model, the unrouted pool and the ceiling from the start", () => {
    feed.start();
    expect(limits).toEqual([{ ceiling: 100, slots: "local", divisor: 1 }]);
    expect(sizes()).toEqual([
      ["sim-chat", 20],
      ["other", 32],
      [UNROUTED, 32],
    ]);
    expect(feed.enabledPoolSlots()).toBe(52);
  });

  it("are divided under the split by one event, and whole again by another: nothing is admitted in between", () => {
    feed.setMode({ slots: "local", divisor: 3 });
    feed.setMode({ slots: "shared", divisor: 1 });
    expect(limits).toEqual([
      { ceiling: 100, slots: "local", divisor: 3 },
      { ceiling: 100, slots: "shared", divisor: 1 },
    ]);
    expect(pools).toEqual([]);
  });

  it("of a pool that nobody has asked for yet are shown as they hold under the split", () => {
    feed.setMode({ slots: "local", divisor: 3 });
    expect(feed.poolSize(poolId("sim-chat"))).toEqual({ size: 7, configuredSize: 20 });
  });

  it("are told as configured while the split holds, whose part the scheduler takes itself", () => {
    feed.setMode({ slots: "local", divisor: 3 });
    feed.modelChanged({ before: null, after: sampleModel({ maxInFlight: 5 }) });
    feed.setCeiling(10);
    expect(sizes()).toEqual([["sim-chat", 5]]);
    expect(limits.at(-1)).toEqual({ ceiling: 10, slots: "local", divisor: 3 });
  });

  it("follow a model that changes, and let go of one that is removed", () => {
    const before = sampleModel({ maxInFlight: 20 });
    feed.modelChanged({ before, after: sampleModel({ maxInFlight: 5 }) });
    feed.modelChanged({ before, after: null });
    expect(pools.map(({ size, routed }) => [size, routed])).toEqual([
      [5, true],
      [20, false],
    ]);
  });

  it("follow a discovered size, and know when nothing is ready", () => {
    feed.setDiscovered("sim-chat", { size: 14, hasNoReadyReplica: false });
    feed.setDiscovered("sim-chat", { size: 14, hasNoReadyReplica: true });
    expect(pools.map(({ size, hasServers }) => [size, hasServers])).toEqual([
      [14, true],
      [14, false],
    ]);
    expect(feed.noServersCause(poolId("sim-chat"))).toBe("no_ready_replica");
    feed.setDiscovered("sim-chat", undefined);
    expect(pools.at(-1)).toMatchObject({ size: 20, hasServers: true });
  });

  it("take a new ceiling at once and say nothing when it is the same", () => {
    feed.setCeiling(10);
    feed.setCeiling(10);
    expect(limits.map((change) => change.ceiling)).toEqual([10]);
    expect(feed.ceiling).toBe(10);
  });
});
