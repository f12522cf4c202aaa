import { describe, expect, it } from "vitest";
import { affinityDraft, affinityErrors, affinityOf, holdSentence, holdVerdict } from "./affinity-draft";
import { capacityBody, capacityDraft, capacityErrors, draftSize, isCapacityChanged } from "./capacity-draft";
import { matchesModel, modelRows, modelsAnswer } from "./model-rows";

const endpoint = (state: string, enabled = true) => ({ enabled, health: { state } });
const model = (over = {}) => ({
  id: "1",
  name: "llama",
  aliases: ["big"],
  type: "chat",
  enabled: true,
  capacity_mode: "static" as const,
  admission_weight: 100,
  session_affinity: {},
  endpoints: [endpoint("healthy"), endpoint("unhealthy"), endpoint("healthy", false)],
  capacity: { size: 32, state: "configured" },
  ...over,
});
const pool = {
  model: "llama",
  cap: 16,
  in_flight: 3,
  held: 0,
  queued: 0,
  borrowed: 0,
  capacity_state: "ok" as const,
  no_servers_cause: null,
};
const usage = { model: "llama", requests: 100, queued: 15, timed_out: 6, p95_wait_ms: 900 };

describe("the list of models", () => {
  it("says who serves, with how many servers, and what part of requests waited", () => {
    expect(modelRows([model()], [pool], [usage])[0]).toMatchObject({
      serving: "serving",
      ready: 1,
      size: 16,
      waitedPart: 0.21,
    });
  });
  it("tells off from without servers, and why", () => {
    const rows = modelRows([model({ enabled: false }), model({ name: "none", endpoints: [] })], [], []);
    expect(rows.map((row) => [row.serving, row.cause])).toEqual([
      ["off", null],
      ["no_servers", "no_base_url"],
    ]);
    expect(modelsAnswer(rows)).toBe("0 serving, 1 without servers, 1 off.");
  });
  it.each([
    ["no_base_url", [], null],
    ["no_enabled_endpoint", [endpoint("healthy", false)], null],
    ["no_enabled_endpoint", [endpoint("healthy")], { no_servers_cause: "no_enabled_endpoint" as const }],
    ["no_ready_replica", [endpoint("unhealthy")], { no_servers_cause: "no_ready_replica" as const }],
    ["no_base_url", [], { no_servers_cause: "no_base_url" as const }],
  ])("says why a model has no servers: %s", (cause, endpoints, seen) => {
    const pools = seen === null ? [] : [{ ...pool, capacity_state: "no_servers" as const, ...seen }];
    expect(modelRows([model({ endpoints })], pools, [])[0]).toMatchObject({ serving: "no_servers", cause });
  });
  it("finds names and aliases, and what waits over a fifth of the time", () => {
    const [row] = modelRows([model()], [pool], [usage]);
    const filter = { text: "", mode: null, state: null, isWaitingOnly: false };
    if (row === undefined) throw new Error("no row");
    expect(matchesModel(row, { ...filter, text: "BIG" })).toBe(true);
    expect(matchesModel(row, { ...filter, isWaitingOnly: true })).toBe(true);
    expect(matchesModel(row, { ...filter, mode: "discovered" })).toBe(false);
    expect(matchesModel(row, { ...filter, state: "serving" })).toBe(true);
    expect(matchesModel(row, { ...filter, state: "no_servers" })).toBe(false);
    expect(modelsAnswer([row])).toBe("1 serving. llama is small for its traffic.");
  });
});

describe("a pool's size", () => {
  const facts = {
    capacity_mode: "static" as const,
    max_in_flight: null,
    per_replica_max_in_flight: 8,
    capacity_headroom: 1.25,
  };
  it("left empty is the gateway's default", () => {
    expect(draftSize(capacityDraft(facts), { defaultSize: 32, readyServers: null })).toBe(32);
    expect(isCapacityChanged(capacityDraft(facts), facts)).toBe(false);
  });
  it("discovered is ready servers times slots times headroom, rounded up", () => {
    const draft = { ...capacityDraft(facts), mode: "discovered" as const };
    expect(draftSize(draft, { defaultSize: 32, readyServers: 3 })).toBe(30);
    expect(draftSize(draft, { defaultSize: 32, readyServers: null })).toBeNull();
    expect(capacityErrors({ ...draft, headroom: "11", perServer: "0" })).toMatchObject({
      headroom: expect.any(String),
      perServer: expect.any(String),
    });
  });
  it("is sent as it is read, also with commas, and empty means the default", () => {
    const sent = (slots: string) => capacityBody({ ...capacityDraft(facts), mode: "static", slots });
    expect(sent("1,000")).toEqual({ capacity_mode: "static", max_in_flight: 1000 });
    expect(sent(" ")).toEqual({ capacity_mode: "static", max_in_flight: null });
    expect(() => sent("ten")).toThrow("whole number");
    const discovered = { ...capacityDraft(facts), mode: "discovered", perServer: "1,200", headroom: ".5" } as const;
    expect(capacityBody(discovered)).toEqual({
      capacity_mode: "discovered",
      per_replica_max_in_flight: 1200,
      capacity_headroom: 0.5,
    });
  });
});

describe("session affinity", () => {
  it("left alone follows the gateway", () => {
    expect(affinityOf(affinityDraft({}))).toEqual({});
    expect(affinityOf({ mode: "off", holdMs: "", heldPercent: "50", bypassSecs: "" })).toEqual({
      enabled: false,
      max_held_percent: 50,
    });
  });
  it("refuses what is out of range with the range", () => {
    const errors = affinityErrors({ mode: "on", holdMs: "60001", heldPercent: "101", bypassSecs: "0" });
    expect(errors.holdMs).toContain("60,000");
    expect(errors.heldPercent).toContain("100");
    expect(errors.bypassSecs).toContain("1");
    expect(affinityErrors({ mode: "on", holdMs: "0", heldPercent: "0", bypassSecs: "1" })).toEqual({
      holdMs: null,
      heldPercent: null,
      bypassSecs: null,
    });
  });
  it("judges holding by what is taken", () => {
    expect(holdVerdict(0, 0)).toBeNull();
    expect(holdVerdict(100, 81)).toContain("being used");
    expect(holdVerdict(100, 80)).toContain("wasted");
    expect(holdVerdict(100, 49)).toContain("run out");
  });

  it("says what was taken of held slots, and only what this gateway saw where there are several", () => {
    expect(holdSentence({ hold: 8, redeem: 7, gateways: 1 })).toMatch(/^7 of 8 held slots were taken/);
    const partial = holdSentence({ hold: 8, redeem: 12, gateways: 3 });
    expect(partial).toMatch(/^8 slots held and 12 taken as this gateway of 3 saw it/);
    expect(partial).not.toContain("%");
    expect(holdSentence({ hold: 0, redeem: 2, gateways: 3 })).toContain("by this gateway");
  });
});
