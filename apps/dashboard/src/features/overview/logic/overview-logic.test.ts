import { describe, expect, it } from "vitest";
import { type AttentionFacts, attentionKey, attentionWords, isOnlyWatched, overviewAnswer } from "./attention";
import { parseSnoozes, tidySnoozes } from "./snooze";

const item = (kind: string, over: Partial<AttentionFacts> = {}): AttentionFacts => ({
  kind,
  urgent: true,
  object: { type: "pool", id: "llama", name: "llama", pool: null },
  reason: null,
  numbers: {
    queued: 41,
    in_use: 32,
    cap: 32,
    oldest_wait_ms: 38_000,
    slot_share: 5,
    replicas: 3,
    heartbeat_age_ms: 9000,
    ends_in_ms: 290_000,
    used_fraction: 0.91,
  },
  ...over,
});

describe("an attention item", () => {
  it("is only watched where nobody is kept waiting", () => {
    expect(isOnlyWatched(item("full", { urgent: false }))).toBe(true);
    expect(isOnlyWatched(item("no_servers", { urgent: false }))).toBe(true);
    expect(isOnlyWatched(item("no_servers"))).toBe(false);
    expect(isOnlyWatched(item("boost_ending", { urgent: false }))).toBe(false);
    const refused = item("no_servers", { numbers: { queued: 0, refused: 7 } });
    expect(attentionWords(refused).cause).toContain("7 requests refused in the last hour");
  });
  it("of a full pool names who has most above its share", () => {
    const words = attentionWords({
      kind: "full_waiting",
      urgent: true,
      object: { type: "pool", id: "llama", name: "llama", pool: "llama" },
      reason: null,
      numbers: {
        in_use: 32,
        cap: 32,
        queued: 41,
        oldest_wait_ms: 38_000,
        above_share_tenant: "chat",
        above_share_slots: 4,
      },
    });
    expect(words.cause).toBe("32 of 32, oldest 38 s; chat has 4 above its share");
  });

  it.each([
    ["full_waiting", "Full, 41 waiting", "32 of 32, oldest 38 s", "/fairshare?pool=llama"],
    ["full", "Full", "32 of 32, oldest 38 s", "/fairshare?pool=llama"],
    ["no_servers", "No servers", "nowhere to send a request, 41 requests wait", "/models/llama?tab=endpoints"],
    ["gateway_late", "Gateway late", "last heartbeat 9 s ago", "/settings?tab=cluster"],
    [
      "fallback",
      "Fallback",
      "shared slots are unavailable; each gateway holds its part of every limit",
      "/settings?tab=cluster",
    ],
    [
      "local_with_several",
      "Limits per gateway",
      "3 gateways can each run every number in full",
      "/settings?tab=cluster",
    ],
    ["boost_ending", "Boost ends", "in 5 min", "/boosts"],
    ["budget_near", "Budget", "91 % used", "/tenants/llama?tab=limits"],
  ])("of kind %s says its state, its cause and where to go", (kind, label, cause, href) => {
    expect(attentionWords(item(kind))).toMatchObject({ label, cause, href });
  });
  it("of a tenant leads to the tenant in its pool", () => {
    const object = { type: "tenant", id: "t-1", name: "nightly", pool: "llama" };
    expect(attentionWords(item("below_share", { object }))).toMatchObject({
      object: "nightly on llama",
      href: "/fairshare?pool=llama&tenant=t-1",
    });
  });
  it("of a kind this version does not know still shows", () => {
    expect(attentionWords(item("brand_new")).label).toBe("brand new");
  });
});

describe("the overview's sentence", () => {
  it("is calm when nothing needs anyone", () => {
    expect(overviewAnswer({ pools: 14, pools_full: 0, tenants_below_share: 0 }, true)).toBe(
      "All quiet. 14 pools, none full.",
    );
    expect(overviewAnswer({ pools: 14, pools_full: 2, tenants_below_share: 3 }, false)).toBe(
      "2 pools are full and 3 tenants wait below their share.",
    );
    expect(overviewAnswer({ pools: 0, pools_full: 0, tenants_below_share: 0 }, true)).toBe("Nothing is set up yet.");
  });
});

describe("a snooze", () => {
  const key = attentionKey(item("full"));
  it("ends with its time", () => {
    const snoozes = { [key]: { untilMs: 1000, hasCleared: false } };
    expect(tidySnoozes(snoozes, [key], 999)).toEqual(snoozes);
    expect(tidySnoozes(snoozes, [key], 1000)).toEqual({});
  });
  it("without a time ends when the item comes back after it had cleared", () => {
    const asleep = { [key]: { untilMs: null, hasCleared: false } };
    expect(tidySnoozes(asleep, [key], 0)).toEqual(asleep);
    const cleared = tidySnoozes(asleep, [], 0);
    expect(tidySnoozes(cleared, [], 1)).toEqual(cleared);
    expect(tidySnoozes(cleared, [key], 2)).toEqual({});
  });
  it("is forgotten when what is stored is none", () => {
    expect([parseSnoozes("x"), parseSnoozes(null), parseSnoozes("[null]")]).toEqual([{}, {}, {}]);
  });
});
