import { describe, expect, it } from "vitest";
import { EMPTY_HISTORY } from "../../../lib/history-series";
import { groupNames, historyBands, historyRows } from "./history-rows";
import { draftErrors, draftOfTenant, editOf, editWords, isUnchanged, previewChangesOf } from "./tenant-draft";
import { type PoolSituation, remedies } from "./what-you-can-do";

const tenant = { weight: 50, model_caps: [{ model: "other", max_in_flight: 3 }] };

describe("an edit in a pool", () => {
  it("starts as the tenant is, with the cap of this pool only", () => {
    expect(draftOfTenant(tenant, "llama")).toEqual({ weight: "50", cap: "tenant", slots: "" });
    expect(draftOfTenant(tenant, "other")).toEqual({ weight: "50", cap: "own", slots: "3" });
    expect(draftOfTenant({ ...tenant, model_caps: [{ model: "llama", max_in_flight: null }] }, "llama").cap).toBe(
      "none",
    );
  });
  it("is what differs, and nothing while a part is invalid", () => {
    const draft = { weight: "120", cap: "own", slots: "8" } as const;
    expect(editOf(draft, tenant, "llama")).toEqual({ weight: 120, cap: { value: 8 } });
    expect(isUnchanged(editOf(draftOfTenant(tenant, "llama"), tenant, "llama"))).toBe(true);
    expect(editOf({ ...draft, weight: "0", slots: "x" }, tenant, "llama")).toEqual({ weight: null, cap: null });
    expect(draftErrors({ ...draft, weight: "0", slots: "x" })).toMatchObject({
      weight: expect.any(String),
      slots: expect.any(String),
    });
  });
  it("takes a cap away, or says that there is none here", () => {
    expect(editOf({ weight: "50", cap: "tenant", slots: "" }, tenant, "other").cap).toEqual({ value: "tenant" });
    expect(editOf({ weight: "50", cap: "none", slots: "" }, tenant, "other").cap).toEqual({ value: null });
  });
  it("is said in words and asked of the preview", () => {
    const edit = { weight: 120, cap: { value: 8 } };
    expect(editWords(edit, tenant, "llama")).toBe("weight 50 to 120, cap on llama 8");
    expect(previewChangesOf(edit, { tenantId: "t", pool: "llama" })).toEqual([
      { kind: "tenant_weight", id: "t", value: 120 },
      { kind: "tenant_model_cap", id: "t", model: "llama", value: 8 },
    ]);
  });
});

describe("what can be done about a full pool", () => {
  const someone = (name: string, over = {}) => ({
    tenant_id: name,
    name,
    in_flight: 0,
    held: 0,
    queued: 0,
    slot_share: 5,
    max_in_flight: null,
    at_cap: false,
    below_share: false,
    position: null,
    ...over,
  });
  const pool = (over: Partial<PoolSituation> = {}): PoolSituation => ({
    model: "llama",
    cap: 20,
    usable: 20,
    in_flight: 20,
    held: 0,
    replicas: 1,
    tenants: [],
    capacity: null,
    affinity: null,
    ...over,
  });
  const ids = (over: Partial<PoolSituation>) => remedies(pool(over)).map((remedy) => remedy.id);

  it("names only what this pool's facts speak for", () => {
    expect(ids({})).toEqual([]);
    expect(ids({ usable: 12 })).toEqual(["raise_ceiling"]);
    expect(ids({ capacity: { mode: "static", isTuned: false } })).toEqual(["grow"]);
    expect(ids({ capacity: { mode: "static", isTuned: true } })).toEqual(["add_servers"]);
    expect(ids({ replicas: 3 })).toEqual(["gateways"]);
    expect(ids({ affinity: { hold: 10, redeem: 4 } })).toEqual(["shorten_hold"]);
    expect(ids({ affinity: { hold: 10, redeem: 5 } })).toEqual([]);
  });
  it("rebalances, caps and boosts where one has what another waits for", () => {
    const tenants = [
      someone("web", { in_flight: 15 }),
      someone("nightly", { queued: 4, below_share: true, position: 1 }),
    ];
    const list = remedies(pool({ tenants }));
    expect(list.map((remedy) => remedy.id)).toEqual(["rebalance", "cap_holder", "boost"]);
    expect(list[0]?.text).toContain("web has 10 slots above its share while nightly waits below");
  });
});

describe("history bands", () => {
  const view = {
    bucketMs: 2000,
    gaps: [],
    rows: [
      {
        tsMs: 2000,
        sample: { ts_ms: 2000, in_flight: 6, queued: 1, held: 0, cap: 8, groups: { chat: 4, seventh: 2, idle: 0 } },
      },
      { tsMs: 2001, sample: null },
    ],
  };
  const named = (colors: Record<string, number | null>) =>
    historyBands(groupNames(view), new Map(Object.entries(colors)));

  it("are the groups that had work, each by its name while at most one has no colour", () => {
    const bands = named({ seventh: null, chat: 1, idle: 0 });
    expect(bands.map((band) => [band.name, band.colorIndex])).toEqual([
      ["chat", 1],
      ["seventh", null],
    ]);
    expect(historyRows(view, bands)).toEqual([
      { ts: 2000, queued: 1, cap: 8, "group chat": 4, "group seventh": 2 },
      { ts: 2001, queued: null, cap: null, "group chat": null, "group seventh": null },
    ]);
  });

  it("stack as Other where more than one has no colour", () => {
    const bands = named({ seventh: null, chat: null });
    expect(bands.map((band) => band.name)).toEqual(["Other"]);
    expect(historyRows(view, bands)[0]).toEqual({ ts: 2000, queued: 1, cap: 8, other: 6 });
    expect(EMPTY_HISTORY.shown).toBeNull();
  });
});
