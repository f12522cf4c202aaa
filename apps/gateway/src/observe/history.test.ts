import { VirtualClock } from "@obleth/clock";
import { fairshareHistory } from "@obleth/contract";
import { groupId, type PoolSample, poolId } from "@obleth/fairshare";
import { beforeEach, describe, expect, it } from "vitest";
import { type AffinityCounts, History } from "./history";

const EPOCH_MS = 1_700_000_000_000;
let clock: VirtualClock;
let pools: PoolSample[];
let models: [string, number][];
let faults: unknown[];
let affinity: AffinityCounts | undefined;
let history: History;

function make(retentionMs: number): History {
  return new History({
    clock,
    retentionMs,
    replica: {
      instance: "gateway-1",
      startedTsMs: EPOCH_MS,
      sharedSlots: true,
      replicaAware: true,
      defaultModelMaxInFlight: 32,
      admissionTimeoutMs: 60_000,
      maxJumps: 8,
    },
    sample: () => pools,
    pools: () => models,
    onFault: (error) => faults.push(error),
    affinity: () => affinity,
    canonical: (name) => (name === "nick" ? "sim-chat" : name),
  });
}

beforeEach(() => {
  clock = new VirtualClock({ epochMs: EPOCH_MS });
  pools = [busy(3)];
  models = [
    ["sim-chat", 8],
    ["other", 4],
  ];
  faults = [];
  affinity = undefined;
  history = make(3_600_000);
});

function busy(inFlight: number): PoolSample {
  return {
    pool: poolId("sim-chat"),
    size: 8,
    inFlight,
    queued: 5,
    held: 1,
    groups: new Map([[groupId("chat"), inFlight]]),
  };
}

describe("history", () => {
  it("samples every two seconds and answers in the contract's form, ascending", () => {
    history.start();
    clock.advance(2_000);
    pools = [busy(7)];
    clock.advance(2_000);
    const answer = history.answer({ model: "sim-chat" });
    expect(fairshareHistory.safeParse(answer).error).toBeUndefined();
    expect(answer).toMatchObject({ instance: "gateway-1", interval_ms: 2000, oldest_ts_ms: EPOCH_MS + 2_000 });
    expect(answer.points.map((point) => [point.ts_ms - EPOCH_MS, point.in_flight, point.groups])).toEqual([
      [2_000, 3, { chat: 3 }],
      [4_000, 7, { chat: 7 }],
    ]);
  });

  it("adds all pools up when no model is named", () => {
    clock.advance(2_000);
    history.sample();
    expect(history.answer({}).points).toEqual([
      { ts_ms: EPOCH_MS + 2_000, in_flight: 3, queued: 5, held: 1, cap: 12, groups: { chat: 3 } },
    ]);
  });

  it("gives zeros for a model it does not know and follows an alias", () => {
    clock.advance(2_000);
    history.sample();
    expect(history.answer({ model: "nobody" }).points[0]).toMatchObject({ in_flight: 0, cap: 0, groups: {} });
    expect(history.answer({ model: "nick" }).points[0]).toMatchObject({ in_flight: 3, cap: 8 });
  });

  it("includes the moment asked from", () => {
    history.start();
    clock.advance(10_000);
    const times = history.answer({ since_ms: EPOCH_MS + 6_000 }).points.map((point) => point.ts_ms - EPOCH_MS);
    expect(times).toEqual([6_000, 8_000, 10_000]);
  });

  it("forgets what is older than it is told to keep", () => {
    history = make(10_000);
    history.start();
    clock.advance(60_000);
    expect(history.answer({}).points.map((point) => point.ts_ms - EPOCH_MS)).toEqual(
      [52, 54, 56, 58, 60].map((s) => s * 1000),
    );
  });

  it("keeps nothing when turned off", () => {
    history = make(0);
    history.start();
    clock.advance(60_000);
    expect(history.answer({})).toMatchObject({ retention_ms: 0, oldest_ts_ms: null, points: [] });
  });

  it("leaves a gap where no sample was taken", () => {
    clock.advance(2_000);
    history.sample();
    clock.advance(20_000);
    history.sample();
    expect(history.answer({}).points.map((point) => point.ts_ms - EPOCH_MS)).toEqual([2_000, 22_000]);
  });

  it("counts each session event once: those before the first sample, and none twice when the oldest go", () => {
    history = make(6_000);
    const seen: (number | undefined)[][] = [];
    for (const hold of [10, 12, 12, 15, 16]) {
      affinity = { hold, redeem: hold - 2, expire: 1 };
      clock.advance(2_000);
      history.sample();
      seen.push(history.answer({ model: "sim-chat" }).points.map((point) => point.affinity?.hold));
    }
    expect(seen).toEqual([[10], [10, 2], [10, 2, 0], [2, 0, 3], [0, 3, 1]]);
    expect(history.answer({ model: "sim-chat" }).points[1]?.affinity).toEqual({ hold: 3, redeem: 3, expire: 0 });
    expect(history.answer({}).points.map((point) => point.affinity)).toEqual([undefined, undefined, undefined]);
  });

  it("counts no session event again after a time in which the model had no pool", () => {
    pools = [];
    affinity = { hold: 10, redeem: 8, expire: 1 };
    for (const present of [true, false, true]) {
      models = present ? [["sim-chat", 8]] : [];
      clock.advance(2_000);
      history.sample();
    }
    expect(history.answer({ model: "sim-chat" }).points.map((point) => point.affinity?.hold)).toEqual([10, 0, 0]);
  });

  it("shows a model that nobody asks for at rest, with its size", () => {
    clock.advance(2_000);
    history.sample();
    const [point] = history.answer({ model: "other" }).points;
    expect(point).toMatchObject({ in_flight: 0, queued: 0, cap: 4, groups: {} });
  });

  it("goes on after a moment that could not be sampled", () => {
    history.start();
    models = undefined as unknown as [string, number][];
    clock.advance(2_000);
    models = [];
    clock.advance(2_000);
    expect(faults).toHaveLength(1);
    expect(history.answer({}).points.map((point) => point.ts_ms - EPOCH_MS)).toEqual([4_000]);
  });

  it("stops when told to", () => {
    history.start();
    history.stop();
    clock.advance(10_000);
    expect(history.answer({}).points).toEqual([]);
  });
});
