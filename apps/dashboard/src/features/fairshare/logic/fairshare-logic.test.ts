import { describe, expect, it } from "vitest";
import { bandLabel, POOL_BANDS, type PoolLoad, poolBand, poolTotals } from "../../../lib/pool-state";
import { orderTenants, ordinal, standing, standingLabel, type TenantLoad } from "../../../lib/standing";
import { actionHref } from "./action-links";
import { changeAnnouncement, fairshareAnswer, paceText, poolAnswer } from "./answer-line";
import { confirmBands, listedBand } from "./confirmed-bands";
import { laneHolders } from "./lanes";
import { nearestNames } from "./nearest-names";
import { matchesFilter } from "./pool-filter";
import { comparePools } from "./pool-sort";
import { borrowedSlots, slotCells } from "./slot-cells";
import { waitingWords } from "./waiting-words";

const pool = (over: Partial<PoolLoad> = {}): PoolLoad => ({
  model: "llama-70b",
  cap: 10,
  capacity_state: "ok",
  in_flight: 0,
  held: 0,
  queued: 0,
  oldest_wait_ms: null,
  ...over,
});

const tenant = (over: Partial<TenantLoad> = {}): TenantLoad => ({
  tenant_id: "t",
  name: "nightly",
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

describe("a pool's state", () => {
  it("is Open at exactly 80 % and Busy above it", () => {
    expect(poolBand(pool({ cap: 100, in_flight: 80 }))).toBe("open");
    expect(poolBand(pool({ cap: 100, in_flight: 81 }))).toBe("busy");
  });

  it("counts held slots as in use", () => {
    expect(poolBand(pool({ in_flight: 7, held: 3 }))).toBe("full");
    expect(poolBand(pool({ in_flight: 7, held: 3, queued: 1 }))).toBe("full_waiting");
  });

  it("is Full when more runs than a cut size", () => {
    expect(poolBand(pool({ cap: 32, in_flight: 36 }))).toBe("full");
  });

  it("is No servers whatever waits, and Idle only when nothing runs, waits or is held", () => {
    expect(poolBand(pool({ capacity_state: "no_servers", queued: 3 }))).toBe("no_servers");
    expect(poolBand(pool())).toBe("idle");
    expect(poolBand(pool({ queued: 1 }))).toBe("open");
    expect(poolBand(pool({ held: 1 }))).toBe("open");
  });

  it("says how many wait only where it is full", () => {
    expect(bandLabel("full_waiting", 41)).toBe("Full, 41 waiting");
    expect(bandLabel("full", 0)).toBe("Full");
  });
});

describe("totals", () => {
  it("leave out the slots of pools without servers but keep what waits there", () => {
    const totals = poolTotals([pool({ in_flight: 4 }), pool({ capacity_state: "no_servers", cap: 16, queued: 3 })]);
    expect(totals).toMatchObject({ slots: 10, withoutServers: 1, slotsWithoutServers: 16, queued: 3, inFlight: 4 });
  });

  it("count full pools once, with and without waiters", () => {
    const totals = poolTotals([pool({ in_flight: 10 }), pool({ in_flight: 10, queued: 2, oldest_wait_ms: 900 })]);
    expect(totals.byState.full).toBe(2);
    expect(totals.fullWaiting).toBe(1);
    expect(totals.oldestWaitMs).toBe(900);
  });
});

describe("the list's order", () => {
  const rank = (one: PoolLoad) => POOL_BANDS.indexOf(poolBand(one));
  const sorted = (pools: PoolLoad[], sort: "fullest" | "name" | "waiting" | "oldest" = "fullest") =>
    [...pools]
      .sort((a, b) => comparePools(a, b, { sort, direction: sort === "name" ? "asc" : "desc", rank }))
      .map((one) => one.model);

  it("puts full pools with waiters first and pools without servers last", () => {
    const names = sorted([
      pool({ model: "off", capacity_state: "no_servers", queued: 9 }),
      pool({ model: "idle" }),
      pool({ model: "busy", in_flight: 9 }),
      pool({ model: "full", in_flight: 10 }),
      pool({ model: "waits", in_flight: 10, queued: 1 }),
      pool({ model: "open", in_flight: 1 }),
    ]);
    expect(names).toEqual(["waits", "full", "busy", "open", "idle", "off"]);
  });

  it("breaks ties by fullness, waiting and name, with unregistered names last in their band", () => {
    const names = sorted([
      pool({ model: "(unrouted)", in_flight: 10, queued: 50 }),
      pool({ model: "b", in_flight: 10, queued: 3 }),
      pool({ model: "a", in_flight: 10, queued: 3 }),
      pool({ model: "c", in_flight: 10, queued: 7 }),
      pool({ model: "over", in_flight: 12, queued: 1 }),
    ]);
    expect(names).toEqual(["over", "c", "a", "b", "(unrouted)"]);
  });

  it("sorts by name, by waiting and by the oldest wait", () => {
    const pools = [
      pool({ model: "b", queued: 1, oldest_wait_ms: 9000 }),
      pool({ model: "a", queued: 5, oldest_wait_ms: 100 }),
      pool({ model: "c" }),
    ];
    expect(sorted(pools, "name")).toEqual(["a", "b", "c"]);
    expect(sorted(pools, "waiting")).toEqual(["a", "b", "c"]);
    expect(sorted(pools, "oldest")).toEqual(["b", "a", "c"]);
  });

  it("moves a row to another band only after two samples", () => {
    const open = pool({ in_flight: 8 });
    const busy = pool({ in_flight: 9 });
    const first = confirmBands(new Map(), [open]);
    const once = confirmBands(first, [busy]);
    expect(listedBand(once, busy)).toBe("open");
    expect(listedBand(confirmBands(once, [busy]), busy)).toBe("busy");
    expect(listedBand(confirmBands(once, [open]), open)).toBe("open");
  });
});

describe("the list's filter", () => {
  const grouped = { ...pool({ in_flight: 10, queued: 2 }), groups: [{ name: "chat" }] };
  it("finds part of a name in any case", () => {
    expect(matchesFilter(grouped, { text: " LLAMA", states: [], group: null })).toBe(true);
    expect(matchesFilter(grouped, { text: "qwen", states: [], group: null })).toBe(false);
  });
  it("treats both kinds of full as one state", () => {
    expect(matchesFilter(grouped, { text: "", states: ["full"], group: null })).toBe(true);
    expect(matchesFilter(grouped, { text: "", states: ["open"], group: null })).toBe(false);
  });
  it("keeps pools where the group has work", () => {
    expect(matchesFilter(grouped, { text: "", states: [], group: "chat" })).toBe(true);
    expect(matchesFilter(grouped, { text: "", states: [], group: "batch" })).toBe(false);
  });
});

describe("a tenant's standing", () => {
  it("is below share before anything else, at its cap next", () => {
    expect(standing(tenant({ below_share: true, at_cap: true }))).toBe("below");
    expect(standing(tenant({ at_cap: true, in_flight: 9 }))).toBe("at_cap");
  });
  it("counts held slots, and says how many slots are above", () => {
    expect(standingLabel(tenant({ in_flight: 6, held: 2 }))).toBe("3 above share");
    expect(standing(tenant({ in_flight: 5 }))).toBe("at_share");
    expect(standing(tenant({ in_flight: 4 }))).toBe("within");
  });
  it("counts a share of 0 as one", () => {
    expect(standing(tenant({ slot_share: 0 }))).toBe("within");
    expect(standing(tenant({ slot_share: 0, in_flight: 1 }))).toBe("at_share");
  });
  it("orders who waits by place, then who is above, then the rest", () => {
    const order = orderTenants([
      tenant({ name: "rest", in_flight: 1 }),
      tenant({ name: "above", in_flight: 9 }),
      tenant({ name: "second", queued: 2, position: 2 }),
      tenant({ name: "first", queued: 1, position: 1 }),
    ]);
    expect(order.map((one) => one.name)).toEqual(["first", "second", "above", "rest"]);
  });
  it("writes places in line in English", () => {
    expect([1, 2, 3, 4, 11, 12, 21, 102].map(ordinal)).toEqual([
      "1st",
      "2nd",
      "3rd",
      "4th",
      "11th",
      "12th",
      "21st",
      "102nd",
    ]);
  });
});

describe("a lane", () => {
  it("shows 7 and 1 of 8 slots without anything borrowed", () => {
    expect(slotCells({ in_flight: 7, held: 0, share: 7 })).toHaveLength(7);
    expect(borrowedSlots({ in_flight: 7, held: 0, share: 7 })).toBe(0);
    expect(borrowedSlots({ in_flight: 1, held: 0, share: 1 })).toBe(0);
  });
  it("marks slots past the share as borrowed, held ones included", () => {
    const cells = slotCells({ in_flight: 3, held: 1, share: 2 });
    expect(cells.map((cell) => `${cell.kind}${cell.isBorrowed ? " borrowed" : ""}`)).toEqual([
      "running",
      "running",
      "running borrowed",
      "held borrowed",
    ]);
    expect(borrowedSlots({ in_flight: 3, held: 1, share: 2 })).toBe(2);
  });
  it("shows the unused rest of a share", () => {
    expect(slotCells({ in_flight: 1, held: 0, share: 3 }).map((cell) => cell.kind)).toEqual([
      "running",
      "unused",
      "unused",
    ]);
  });
  it("is a group under the hierarchical split and a tenant under the weighted one", () => {
    const counts = { in_flight: 1, held: 0, queued: 0 };
    const both = {
      groups: [{ ...counts, name: "chat", color: 0, slot_cap: 7 }],
      tenants: [{ ...counts, tenant_id: "t1", name: "web", group: "chat", slot_share: 7, below_share: true }],
    };
    expect(laneHolders("hierarchical", both).map((lane) => lane.name)).toEqual(["chat"]);
    expect(laneHolders("weighted", both).map((lane) => lane.name)).toEqual(["web"]);
    expect(laneHolders("hierarchical", both)[0]?.below).toBe(1);
  });
});

describe("sentences", () => {
  it("answer the list's question", () => {
    const pools = [pool({ in_flight: 10, queued: 53, oldest_wait_ms: 1 })];
    expect(fairshareAnswer(poolTotals(pools), pools[0])).toBe("10 running, 53 waiting. Busiest: llama-70b (10 of 10).");
    expect(fairshareAnswer(poolTotals([pool()]), undefined)).toBe("No traffic. 1 pool, all idle.");
    expect(fairshareAnswer(poolTotals([]), undefined)).toContain("No models yet");
  });
  it("answer a pool's question", () => {
    const full = {
      ...pool({ in_flight: 10, queued: 4, oldest_wait_ms: 38_000 }),
      finishes_5m: 630,
      tenants_below_share_urgent: 1,
      no_servers_cause: null,
    };
    expect(poolAnswer(full)).toBe("10 of 10 in use, 4 waiting, oldest 38 s. 1 tenant waits below its share.");
    const gone = { ...full, capacity_state: "no_servers" as const, no_servers_cause: "no_enabled_endpoint", queued: 1 };
    expect(poolAnswer(gone)).toBe("Nothing serves this model: no enabled endpoint. 1 request waits.");
  });
  it("give the pace per second, per minute when slow, and say so when there is none", () => {
    expect(paceText(630)).toBe("2.1 finishes/s");
    expect(paceText(10)).toBe("2.0 finishes/min");
    expect(paceText(137)).toBe("27 finishes/min");
    expect(paceText(299)).toBe("60 finishes/min");
    expect(paceText(300)).toBe("1.0 finishes/s");
    expect(paceText(0)).toBe("no finish in 5 min");
  });
  it("break waiting requests down by cause, most first", () => {
    expect(waitingWords({ queued: 41, waiting_by_reason: { pool_full: 5, below_share: 22, key_cap: 14 } })).toBe(
      "41 waiting: 22 below share, 14 key at its cap, 5 pool full.",
    );
    expect(waitingWords({ queued: 7, waiting_by_reason: { held_slots: 7 } })).toBe("7 waiting: 7 behind held slots.");
    expect(waitingWords({ queued: 7, waiting_by_reason: { fallback_split: 7 } })).toBe(
      "7 waiting: 7 for this gateway's part of the slots.",
    );
    expect(waitingWords({ queued: 0, waiting_by_reason: {} })).toBe("Nothing waits.");
  });
  it("announce a pool that became full, once, and nothing that merely moves", () => {
    const before = [pool({ in_flight: 9 })];
    const after = [pool({ in_flight: 10, queued: 41 })];
    expect(changeAnnouncement(before, after)).toBe("llama-70b is full, 41 waiting");
    expect(changeAnnouncement(after, [pool({ in_flight: 10, queued: 42 })])).toBeNull();
    expect(changeAnnouncement([], after)).toBeNull();
  });
});

describe("links", () => {
  it("lead to where an explanation's action is done", () => {
    const where = { pool: "org/m 7b", tenantId: "t-1" };
    const action = (id: string, path = "") => ({ id, path });
    expect(actionHref(action("grow_pool"), where)).toBe("/models/org%2Fm%207b?tab=capacity");
    expect(actionHref(action("cap_holder", "/tenants/t-9/model-caps/x"), where)).toBe(
      "/fairshare?pool=org%2Fm%207b&tenant=t-9",
    );
    expect(actionHref(action("raise_key_cap", "/keys/k-1"), where)).toBe("/keys?key=k-1");
    expect(actionHref(action("scale_backend"), where)).toBeNull();
  });
  it("offer the nearest names for one that is unknown, and none far off", () => {
    expect(nearestNames("lama-70b", ["llama-70b", "qwen-coder", "whisper"])).toEqual(["llama-70b"]);
    expect(nearestNames("zzzzzz", ["llama-70b"])).toEqual([]);
  });
});
