import { VirtualClock } from "@obleth/clock";
import { beforeEach, describe, expect, it } from "vitest";
import type { DiscoveredSize } from "../policy-cache/limits-feed";
import type { DiscoveryRecord, ModelRecord } from "../policy-cache/records";
import { sampleEndpoint, sampleModel } from "../policy-cache/testing/record-samples";
import { CapacityDiscovery } from "./discovery";
import { type NameServers, readDns } from "./from-dns";
import { readEndpoints } from "./from-endpoints";
import { discoveredSize, type Reading } from "./pool-size";

const DISCOVERY: DiscoveryRecord = {
  source: "endpoints",
  perReplicaMaxInFlight: 8,
  headroom: 1,
  kubernetes: null,
  dns: null,
};
const discovered = (known: Partial<ModelRecord> = {}) => sampleModel({ discovery: DISCOVERY, ...known });

describe("a discovered size", () => {
  it.each([
    [24, 1, 24],
    [24, 1.25, 30],
    [10, 1.1, 11],
    [3, 0.5, 2],
    [1, 0.001, 1],
    [0, 1, 1],
    [1e9, 10, 1_000_000],
  ])("of %d ready slots with headroom %d is %d", (readyCapacity, headroom, size) => {
    expect(discoveredSize({ readyCapacity, readyReplicas: 1 }, headroom)).toBe(size);
  });
});

describe("the endpoints as a source", () => {
  const endpoints = [
    sampleEndpoint({ id: "a", maxInFlight: 8 }),
    sampleEndpoint({ id: "b", maxInFlight: 2 }),
    sampleEndpoint({ id: "c" }),
    sampleEndpoint({ id: "off", maxInFlight: 100, enabled: false }),
  ];
  const spread = discovered({
    endpointSelection: "load_balance",
    endpoints,
    discovery: { ...DISCOVERY, perReplicaMaxInFlight: 4 },
  });

  it("adds up what each enabled, healthy one can run, its own cap first: 8 + 2 + 4 is 14", () => {
    expect(readEndpoints(spread, () => true)).toEqual({ readyCapacity: 14, readyReplicas: 3 });
    expect(readEndpoints(spread, (id) => id !== "a")).toEqual({ readyCapacity: 6, readyReplicas: 2 });
  });

  it("under failover counts only the one in use", () => {
    const failover: ModelRecord = { ...spread, endpointSelection: "failover" };
    expect(readEndpoints(failover, () => true)).toEqual({ readyCapacity: 8, readyReplicas: 1 });
    expect(readEndpoints(failover, (id) => id !== "a")).toEqual({ readyCapacity: 2, readyReplicas: 1 });
    expect(readEndpoints(failover, () => false)).toEqual({ readyCapacity: 0, readyReplicas: 0 });
  });
});

describe("a name as a source", () => {
  const servers = (known: Partial<NameServers>): NameServers => {
    const missing = async () => Promise.reject(Object.assign(new Error("none"), { code: "ENOTFOUND" }));
    return { resolve4: missing, resolve6: missing, resolveSrv: missing, ...known };
  };
  const named = (type: "A" | "SRV"): DiscoveryRecord => ({ ...DISCOVERY, source: "dns", dns: { name: "vllm", type } });

  it("counts each address once, and each replica once when it has two families", async () => {
    const both = servers({ resolve4: async () => ["10.0.0.1", "10.0.0.2", "10.0.0.1"], resolve6: async () => ["::1"] });
    expect(await readDns(named("A"), both)).toEqual({ readyReplicas: 2, readyCapacity: 16 });
  });

  it("counts each target and port of an SRV record", async () => {
    const records = [
      { name: "a", port: 1 },
      { name: "a", port: 2 },
      { name: "a", port: 1 },
    ];
    expect(await readDns(named("SRV"), servers({ resolveSrv: async () => records }))).toMatchObject({
      readyReplicas: 2,
    });
  });

  it("takes a name without records as nothing ready, and a silent name server as a failure", async () => {
    expect(await readDns(named("A"), servers({}))).toEqual({ readyReplicas: 0, readyCapacity: 0 });
    const silent = async () => Promise.reject(Object.assign(new Error("timeout"), { code: "ETIMEOUT" }));
    await expect(readDns(named("A"), servers({ resolve4: silent }))).rejects.toThrow("timeout");
  });
});

describe("discovery", () => {
  let clock: VirtualClock;
  let models: ModelRecord[];
  let reading: Reading | Error;
  let reads: number;
  let sizes: [string, DiscoveredSize | undefined][];
  let discovery: CapacityDiscovery;
  let gate: Promise<void> | undefined;

  beforeEach(() => {
    clock = new VirtualClock();
    models = [discovered()];
    reading = { readyCapacity: 24, readyReplicas: 3 };
    reads = 0;
    sizes = [];
    gate = undefined;
    discovery = new CapacityDiscovery({
      models: { find: (name) => models.find((model) => model.name === name), list: () => models },
      clock,
      intervalMs: 15_000,
      rng: () => 0.5,
      read: async () => {
        reads++;
        const answer = reading;
        await gate;
        if (answer instanceof Error) throw answer;
        return answer;
      },
      onSize: (model, found) => sizes.push([model, found]),
      log: () => {},
    });
  });

  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it("reads at the start and at every interval, and tells of a size only when it changes", async () => {
    await discovery.start();
    clock.advance(15_000);
    await settled();
    expect(reads).toBe(2);
    reading = { readyCapacity: 32, readyReplicas: 4 };
    clock.advance(15_000);
    await settled();
    expect(sizes).toEqual([
      ["sim-chat", { size: 24, hasNoReadyReplica: false }],
      ["sim-chat", { size: 32, hasNoReadyReplica: false }],
    ]);
    expect(discovery.of("sim-chat")).toMatchObject({ state: "discovered", size: 32, readyReplicas: 4, reason: null });
  });

  it("keeps the last size while the source fails, and says why", async () => {
    await discovery.readAll();
    reading = new Error("the Kubernetes API does not answer");
    clock.advance(1_000);
    await discovery.readAll();
    expect(discovery.of("sim-chat")).toMatchObject({
      state: "stale",
      size: 24,
      reason: "the Kubernetes API does not answer",
      readTsMs: clock.wallMs() - 1_000,
    });
    expect(sizes.at(-1)).toEqual(["sim-chat", { size: 24, hasNoReadyReplica: false }]);
  });

  it("keeps the last size when nothing is ready, but then there are no servers", async () => {
    await discovery.readAll();
    reading = { readyCapacity: 0, readyReplicas: 0 };
    await discovery.readAll();
    expect(discovery.of("sim-chat")).toMatchObject({ state: "stale", size: 24, readyReplicas: 0 });
    expect(sizes.at(-1)).toEqual(["sim-chat", { size: 24, hasNoReadyReplica: true }]);
    reading = { readyCapacity: 8, readyReplicas: 1 };
    await discovery.readAll();
    expect(sizes.at(-1)).toEqual(["sim-chat", { size: 8, hasNoReadyReplica: false }]);
  });

  it("leaves the model's own size while its source was never read", async () => {
    expect(discovery.of("sim-chat")).toMatchObject({ state: "fallback", size: null });
    reading = new Error("no");
    await discovery.readAll();
    expect(discovery.of("sim-chat")).toMatchObject({ state: "fallback", size: null, reason: "no" });
    expect(sizes).toEqual([]);
  });

  it("lets a model go that is static, disabled or removed", async () => {
    await discovery.readAll();
    const before = models[0] ?? discovered();
    models = [sampleModel()];
    await discovery.modelChanged({ before, after: models[0] ?? null });
    expect(sizes.at(-1)).toEqual(["sim-chat", undefined]);
    expect(discovery.of("sim-chat")).toBeUndefined();
    models = [discovered()];
    await discovery.modelChanged({ before: sampleModel(), after: discovered() });
    expect(sizes.at(-1)?.[1]?.size).toBe(24);
    models = [];
    await discovery.readAll();
    expect(sizes.at(-1)).toEqual(["sim-chat", undefined]);
  });

  it("reads once more after a change that came while it was reading", async () => {
    let open = () => {};
    gate = new Promise((resolve) => {
      open = resolve;
    });
    const first = discovery.readOne(discovered());
    reading = { readyCapacity: 40, readyReplicas: 5 };
    await discovery.readOne(discovered());
    await discovery.readOne(discovered());
    open();
    await first;
    expect(reads).toBe(2);
    expect(discovery.of("sim-chat")).toMatchObject({ size: 40 });
  });

  it("stops when told to", async () => {
    await discovery.start();
    discovery.stop();
    clock.advance(60_000);
    expect(reads).toBe(1);
  });
});
