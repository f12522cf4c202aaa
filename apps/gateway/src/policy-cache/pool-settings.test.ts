import { describe, expect, it } from "vitest";
import { noServersCause, type PoolFacts, poolSettings, removedSettings, unroutedSettings } from "./pool-settings";
import { sampleEndpoint, sampleModel } from "./testing/record-samples";

const facts: PoolFacts = {
  defaults: { size: 32, affinity: { isEnabled: false, holdMs: 3000, maxHeldPercent: 25, maxBypassMs: 30_000 } },
};
const two = [sampleEndpoint(), sampleEndpoint({ id: "endpoint-2", name: "second" })];

describe("a pool's settings", () => {
  it.each([
    [8, undefined, 8],
    [null, undefined, 32],
    [0, undefined, 32],
    [-3, undefined, 32],
    [8, 14, 14],
  ])("with a size of %s and %s discovered the pool has %d slots", (maxInFlight, discoveredSize, expected) => {
    expect(poolSettings(sampleModel({ maxInFlight }), { ...facts, discoveredSize }).size).toBe(expected);
  });

  it("says where there is nowhere to send a request, and why", () => {
    expect(noServersCause(sampleModel())).toBeNull();
    expect(noServersCause(sampleModel({ endpoints: [] }))).toBe("no_base_url");
    expect(noServersCause(sampleModel({ endpoints: [sampleEndpoint({ enabled: false })] }))).toBe(
      "no_enabled_endpoint",
    );
    expect(noServersCause(sampleModel(), true)).toBe("no_ready_replica");
    expect(poolSettings(sampleModel({ endpoints: [] }), facts).hasServers).toBe(false);
  });

  it("lets a model decide for itself whether sessions are favoured, on the gateway's values where it gives none", () => {
    const own = poolSettings(
      sampleModel({ sessionAffinity: { enabled: true, holdMs: 5000, maxBypassSecs: 120 } }),
      facts,
    );
    expect(own.affinity).toEqual({ holdMs: 5000, maxHeldPercent: 25, maxBypassMs: 120_000 });
    const on = { ...facts, defaults: { ...facts.defaults, affinity: { ...facts.defaults.affinity, isEnabled: true } } };
    expect(poolSettings(sampleModel(), on).affinity).not.toBeNull();
    expect(poolSettings(sampleModel({ sessionAffinity: { enabled: false } }), on).affinity).toBeNull();
  });

  it("favours no session where requests are spread over several endpoints", () => {
    const model = sampleModel({
      sessionAffinity: { enabled: true },
      endpointSelection: "load_balance",
      endpoints: two,
    });
    expect(poolSettings(model, facts).affinity).toBeNull();
    expect(poolSettings({ ...model, endpointSelection: "session_hash" }, facts).affinity).not.toBeNull();
    const oneEnabled = [sampleEndpoint(), sampleEndpoint({ id: "endpoint-2", enabled: false })];
    expect(poolSettings({ ...model, endpoints: oneEnabled }, facts).affinity).not.toBeNull();
  });

  it("routes neither a disabled nor a removed model", () => {
    expect(poolSettings(sampleModel({ enabled: false }), facts).routed).toBe(false);
    expect(removedSettings(sampleModel(), facts)).toMatchObject({ routed: false, size: 8 });
  });

  it("opens the unrouted pool, of default size, only where there is an upstream for it", () => {
    expect(unroutedSettings(facts, true)).toMatchObject({ pool: "(unrouted)", size: 32, routed: true, affinity: null });
    expect(unroutedSettings(facts, false)).toMatchObject({ routed: false, hasServers: false });
  });

  it("favours sessions in the unrouted pool as the gateway does", () => {
    const { affinity } = facts.defaults;
    const on = { ...facts, defaults: { ...facts.defaults, affinity: { ...affinity, isEnabled: true } } };
    expect(unroutedSettings(on, true).affinity).toEqual({ holdMs: 3000, maxHeldPercent: 25, maxBypassMs: 30_000 });
  });
});
