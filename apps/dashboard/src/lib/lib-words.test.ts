import { describe, expect, it } from "vitest";
import { type AuditFacts, changeSentence, fieldChanges } from "./audit-words";
import { budgetUse } from "./budget";
import {
  bucketWidth,
  EMPTY_HISTORY,
  historyPeak,
  historyView,
  holdTotals,
  mergeHistory,
  nextSinceMs,
  worstPerBucket,
} from "./history-series";
import { isUnused, keyState, keysAnswer } from "./key-rows";
import { saveTier } from "./save-tier";
import { parseSlots, parseWeight, stepWeight } from "./weight";

const row = (over: Partial<AuditFacts>): AuditFacts => ({
  action: "tenant.update",
  object: { type: "tenant", id: "t", name: "nightly" },
  before: { weight: 50 },
  after: { weight: 120 },
  reverts: null,
  ...over,
});

describe("a change in words", () => {
  it("names the object and what each field was and is", () => {
    expect(changeSentence(row({}))).toBe("nightly: weight 50 to 120");
    expect(
      changeSentence(row({ before: { weight: 50, max_in_flight: null }, after: { weight: 120, max_in_flight: 8 } })),
    ).toBe("nightly: weight 50 to 120 and 1 more");
  });
  it("tells a setting within a field in words, never as the notation of a machine", () => {
    const affinity = row({
      object: { type: "model", id: "m", name: "llama" },
      before: { session_affinity: {} },
      after: { session_affinity: { enabled: true, hold_ms: 60_000 } },
    });
    expect(changeSentence(affinity)).toBe("llama: session affinity enabled - to on and 1 more");
    expect(fieldChanges(affinity).at(1)).toEqual({ field: "session affinity hold ms", from: "-", to: "60,000" });
  });
  it("calls a model's slots its pool size, and tells a cap on one model like any other change", () => {
    const model = { type: "model", id: "m", name: "llama" };
    const sized = row({ object: model, before: { max_in_flight: 8 }, after: { max_in_flight: 12 } });
    expect(changeSentence(sized)).toBe("llama: pool size 8 to 12");
    const object = { type: "model_cap", id: "t/m", name: "nightly on llama" };
    const cap = { model: "llama", max_in_flight: 2 };
    expect(changeSentence(row({ object, action: "model_cap.set", before: null, after: cap }))).toBe(
      "nightly on llama: cap - to 2",
    );
    expect(changeSentence(row({ object, action: "model_cap.delete", before: cap, after: null }))).toBe(
      "nightly on llama: cap 2 to -",
    );
    const none = { ...cap, max_in_flight: null };
    expect(changeSentence(row({ object, action: "model_cap.set", before: null, after: none }))).toBe(
      "set cap of nightly on llama",
    );
  });
  it("says what was made and what went", () => {
    expect(
      changeSentence(row({ action: "key.create", object: { type: "key", id: "k", name: "mobile" }, before: null })),
    ).toBe("created key mobile");
    expect(
      changeSentence(row({ action: "model.delete", object: { type: "model", id: "m", name: "llama" }, after: null })),
    ).toBe("deleted model llama");
  });
  it("leaves out what did not change and what nobody asks for", () => {
    expect(fieldChanges(row({ before: { weight: 5, version: 1 }, after: { weight: 5, version: 2 } }))).toEqual([]);
  });

  it("name times as UTC while the reader's zone is not known", () => {
    const change = row({ before: { expires_at: null }, after: { expires_at: "2026-11-30T03:12:00.000Z" } });
    expect(changeSentence(change, null)).toBe("nightly: end - to 30 Nov 03:12 UTC");
    expect(changeSentence(change, "utc")).toBe("nightly: end - to 30 Nov 03:12");
  });
});

describe("weights and slots as typed", () => {
  it("are whole numbers from 1, with or without commas", () => {
    expect(parseWeight("1,000")).toEqual({ value: 1000 });
    for (const text of ["1,5", "10,00", ",5", "0", "-1", "1.5", "", "abc", "1000001", "1e3"])
      expect(parseWeight(text), text).toHaveProperty("error");
    expect(parseSlots(" 8 ")).toEqual({ value: 8 });
  });
  it("step by a tenth, by one when fine, and never below 1", () => {
    expect(stepWeight("120", 1, false)).toBe("132");
    expect(stepWeight("120", -1, true)).toBe("119");
    expect(stepWeight("1", -1, false)).toBe("1");
    expect(stepWeight("none", 1, false)).toBe("none");
  });
});

describe("how much a save asks", () => {
  const preview = (over: object) => ({
    pool: "p",
    sizeBefore: 20,
    sizeAfter: 20,
    summary: "",
    groups: [],
    tenants: [],
    keys: [],
    moved: 1,
    toFinish: 0,
    movement: "",
    warnings: [],
    flags: [],
    nextStep: null,
    ...over,
  });
  it("is one step for a small move and two for more than a quarter of a pool", () => {
    expect(saveTier([preview({ moved: 5 })]).isTwoStep).toBe(false);
    expect(saveTier([preview({ moved: 6 })])).toEqual({ isTwoStep: true, confirm: "Apply: 6 slots move in 1 pool" });
  });
  it("is two steps for many pools and for a share down to one", () => {
    expect(saveTier(Array.from({ length: 4 }, () => preview({}))).isTwoStep).toBe(true);
    expect(saveTier([preview({ flags: ["share_down_to_one"] })]).isTwoStep).toBe(true);
    expect(saveTier([]).isTwoStep).toBe(false);
  });
});

describe("keys", () => {
  const now = Date.UTC(2026, 10, 30);
  const key = {
    disabled: false,
    expires_at: null,
    last_used_ts_ms: now,
    previous_secret_expires_ts_ms: null,
    created_at: "2026-01-01T00:00:00Z",
  };
  it("are disabled, expired, rotating or active, in that order", () => {
    expect(keyState({ ...key, disabled: true, expires_at: "2020-01-01T00:00:00Z" }, now)).toBe("disabled");
    expect(keyState({ ...key, expires_at: "2020-01-01T00:00:00Z" }, now)).toBe("expired");
    expect(keyState({ ...key, previous_secret_expires_ts_ms: now + 1 }, now)).toBe("rotating");
    expect(keyState(key, now)).toBe("active");
  });
  it("count as unused after thirty days, new ones not at once", () => {
    expect(isUnused({ ...key, last_used_ts_ms: now - 31 * 86_400_000 }, now)).toBe(true);
    expect(isUnused({ ...key, last_used_ts_ms: null, created_at: new Date(now).toISOString() }, now)).toBe(false);
    expect(keysAnswer([key, { ...key, last_used_ts_ms: null }], now)).toBe("2 keys, 1 unused for 30 days.");
    const fresh = { ...key, last_used_ts_ms: null, created_at: new Date(now - 1000).toISOString() };
    expect(keysAnswer([key, fresh], now)).toBe("2 keys, none idle for 30 days, 1 never used yet.");
    expect(keysAnswer([key], now)).toBe("1 key, all used in the last 30 days.");
  });
});

describe("a budget", () => {
  const state = { used_tokens: 900, used_cost_usd: 1, resets_ts_ms: null };
  it("is the one nearer its end", () => {
    expect(budgetUse({ budget_tokens: 1000, budget_cost_usd: 10, budget_state: state })).toMatchObject({
      part: 0.9,
      text: "900 of 1,000 tokens",
    });
    expect(budgetUse({ budget_tokens: null, budget_cost_usd: null, budget_state: null })).toBeNull();
  });
});

describe("history", () => {
  const point = (ts_ms: number, in_flight = 1, queued = 0) => ({
    ts_ms,
    in_flight,
    queued,
    held: 0,
    cap: 8,
    groups: { chat: in_flight },
  });
  const answer = (points: ReturnType<typeof point>[], over = {}) => ({
    instance: "a",
    started_ts_ms: 1,
    interval_ms: 2000,
    retention_ms: 3_600_000,
    oldest_ts_ms: null,
    points,
    ...over,
  });

  it("appends what is new and asks from there", () => {
    const one = mergeHistory(EMPTY_HISTORY, answer([point(2000), point(4000)]), 4000);
    const two = mergeHistory(one, answer([point(4000), point(6000)]), 6000);
    expect(two.series.get("a")?.points.map((each) => each.ts_ms)).toEqual([2000, 4000, 6000]);
    expect(nextSinceMs(two)).toBe(6001);
    expect(nextSinceMs(EMPTY_HISTORY)).toBeUndefined();
  });

  it("shows a hole as a gap with its reason, never as a fall to zero", () => {
    const before = mergeHistory(EMPTY_HISTORY, answer([point(2000), point(4000)]), 4000);
    const after = mergeHistory(before, answer([point(14_000), point(16_000)], { started_ts_ms: 13_000 }), 16_000);
    const view = historyView(after, { fromMs: 0, toMs: 20_000 });
    expect(view.gaps).toEqual([{ fromMs: 6000, toMs: 14_000, reason: "gateway restarted" }]);
    expect(view.rows.map((each) => [each.tsMs, each.sample === null])).toEqual([
      [2000, false],
      [4000, false],
      [6000, true],
      [14_000, false],
      [16_000, false],
    ]);
    const plain = mergeHistory(before, answer([point(14_000)]), 16_000);
    expect(historyView(plain, { fromMs: 0, toMs: 20_000 }).gaps[0]?.reason).toBe("no samples");
  });

  it("sums what was held and taken; null while nothing was held", () => {
    const held = { ...point(2000), affinity: { hold: 4, redeem: 1, expire: 3 } };
    expect(holdTotals(mergeHistory(EMPTY_HISTORY, answer([held, { ...held, ts_ms: 4000 }]), 4000))).toEqual({
      hold: 8,
      redeem: 2,
    });
    expect(holdTotals(mergeHistory(EMPTY_HISTORY, answer([point(2000)]), 2000))).toBeNull();
  });

  it("takes no gap from a single late sample", () => {
    const store = mergeHistory(EMPTY_HISTORY, answer([point(2000), point(6900)]), 7000);
    expect(historyView(store, { fromMs: 0, toMs: 8000 }).gaps).toEqual([]);
  });

  it("never mixes two gateways, and moves on only when the first has been silent for 15 s", () => {
    const a = mergeHistory(EMPTY_HISTORY, answer([point(2000)]), 2000);
    const b = mergeHistory(a, answer([point(4000, 7)], { instance: "b" }), 4000);
    expect(b.shown).toBe("a");
    const later = mergeHistory(b, answer([point(20_000, 7)], { instance: "b" }), 20_000);
    expect(later).toMatchObject({ shown: "b", switches: [{ label: "switched to b" }] });
    expect(historyView(later, { fromMs: 0, toMs: 30_000 }).rows.map((each) => each.sample?.in_flight ?? null)).toEqual([
      7,
      null,
      7,
    ]);
  });

  it("draws at most 150 columns, each the worst real sample of its time", () => {
    expect(bucketWidth(900_000, 2000)).toBe(6000);
    expect(bucketWidth(3_600_000, 2000)).toBe(24_000);
    expect(worstPerBucket([point(0, 9, 1), point(2000, 3, 4), point(4000, 5, 4)], 6000)).toEqual([point(4000, 5, 4)]);
  });

  it("sums itself up for those who cannot see it", () => {
    const store = mergeHistory(EMPTY_HISTORY, answer([point(2000, 3), point(4000, 8, 5)]), 4000);
    expect(historyPeak(historyView(store, { fromMs: 0, toMs: 4000 }))).toEqual({
      min: 3,
      max: 8,
      peak: 5,
      peakTsMs: 4000,
    });
    expect(historyPeak({ rows: [], gaps: [], bucketMs: 0 })).toBeNull();
  });
});
