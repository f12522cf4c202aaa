import { describe, expect, it, vi } from "vitest";
import { EMPTY_ORDER, nextOrder } from "./calm-order";
import { learnOffset, offsetMs, UNKNOWN_OFFSET } from "./clock-offset";
import {
  formatAgo,
  formatClock,
  formatCount,
  formatDuration,
  formatExact,
  formatPercent,
  formatTimeLeft,
  formatWait,
  listWords,
  plural,
  slotCount,
  zoneName,
} from "./format";
import { ageMs, type FreshnessInput, freshness, nextPollMs } from "./freshness";
import { parsePreferences } from "./preferences";
import { modeBanner, scopeChip, scopePrefix } from "./scope";

describe("freshness", () => {
  const at = (over: Partial<FreshnessInput>): FreshnessInput => ({
    asOfMs: 100_000,
    serverNowMs: 100_000,
    intervalMs: 1000,
    failures: 0,
    isPaused: false,
    ...over,
  });
  it("is live up to the interval and two seconds, late up to ten, stale after", () => {
    expect(freshness(at({ serverNowMs: 103_000 }))).toBe("live");
    expect(freshness(at({ serverNowMs: 103_001 }))).toBe("late");
    expect(freshness(at({ serverNowMs: 110_000 }))).toBe("late");
    expect(freshness(at({ serverNowMs: 110_001 }))).toBe("stale");
  });
  it("waits three intervals where that is longer", () => {
    expect(freshness(at({ intervalMs: 5000, serverNowMs: 115_000 }))).toBe("late");
    expect(freshness(at({ intervalMs: 5000, serverNowMs: 115_001 }))).toBe("stale");
  });
  it("is stale after three failed tries however young the data, and paused above all", () => {
    expect(freshness(at({ failures: 2 }))).toBe("live");
    expect(freshness(at({ failures: 3 }))).toBe("stale");
    expect(freshness(at({ failures: 3, isPaused: true }))).toBe("paused");
  });
  it("is loading without data until three tries failed", () => {
    expect(freshness(at({ asOfMs: null }))).toBe("loading");
    expect(freshness(at({ asOfMs: null, failures: 3 }))).toBe("stale");
  });
  it("never has a negative age", () => {
    expect(ageMs({ asOfMs: 10, serverNowMs: 5 })).toBe(0);
  });
  it("tries again after 1 s, then each 2 s", () => {
    expect([0, 1, 2, 3].map((failures) => nextPollMs(5000, failures))).toEqual([5000, 1000, 2000, 2000]);
  });
});

describe("the clock offset", () => {
  it("narrows with every answer", () => {
    const true_ = 5300;
    let offset = UNKNOWN_OFFSET;
    for (const sentMs of [100, 450, 900, 1250, 1700]) {
      const answeredMs = sentMs + 20;
      const dateMs = Math.floor((answeredMs + true_) / 1000) * 1000;
      offset = learnOffset(offset, { sentMs, receivedMs: sentMs + 40, dateMs });
    }
    expect(Math.abs(offsetMs(offset) - true_)).toBeLessThan(300);
  });
  it("starts over when a clock is set anew", () => {
    const first = learnOffset(UNKNOWN_OFFSET, { sentMs: 0, receivedMs: 10, dateMs: 0 });
    const jumped = learnOffset(first, { sentMs: 1000, receivedMs: 1010, dateMs: 3_600_000 });
    expect(offsetMs(jumped)).toBeGreaterThan(3_590_000);
  });
  it("is 0 while nothing is known", () => {
    expect(offsetMs(UNKNOWN_OFFSET)).toBe(0);
  });
});

describe("the zone of times", () => {
  it("is named as the reader knows it", () => {
    vi.stubEnv("TZ", "America/St_Johns");
    expect([zoneName("utc"), zoneName("local")]).toEqual(["UTC", "America/St_Johns"]);
    vi.unstubAllEnvs();
  });
});

describe("a live list's order", () => {
  const input = { nowMs: 0, isFrozen: false, sortKey: "fullest" };
  it("sorts at once, then not again within five seconds", () => {
    const first = nextOrder(EMPTY_ORDER, { ...input, wanted: ["a", "b"] });
    const soon = nextOrder(first, { ...input, wanted: ["b", "a"], nowMs: 4999 });
    expect(soon).toMatchObject({ ids: ["a", "b"], hasPending: true });
    expect(nextOrder(soon, { ...input, wanted: ["b", "a"], nowMs: 5000 })).toMatchObject({
      ids: ["b", "a"],
      hasPending: false,
    });
  });
  it("stands still while the reader is in it, however long", () => {
    const first = nextOrder(EMPTY_ORDER, { ...input, wanted: ["a", "b"] });
    const later = nextOrder(first, { ...input, wanted: ["b", "a"], nowMs: 60_000, isFrozen: true });
    expect(later).toMatchObject({ ids: ["a", "b"], hasPending: true });
    expect(
      nextOrder(later, { ...input, wanted: ["b", "a"], nowMs: 60_001, isFrozen: true, isForced: true }).ids,
    ).toEqual(["b", "a"]);
  });
  it("drops rows that left and puts new ones at the end", () => {
    const first = nextOrder(EMPTY_ORDER, { ...input, wanted: ["a", "b", "c"] });
    expect(nextOrder(first, { ...input, wanted: ["new", "c", "a"], nowMs: 100 }).ids).toEqual(["a", "c", "new"]);
  });
  it("follows another sort at once", () => {
    const first = nextOrder(EMPTY_ORDER, { ...input, wanted: ["a", "b"] });
    expect(nextOrder(first, { ...input, wanted: ["b", "a"], nowMs: 1, isFrozen: true, sortKey: "name" }).ids).toEqual([
      "b",
      "a",
    ]);
  });
  it("is the same object while nothing changes", () => {
    const first = nextOrder(EMPTY_ORDER, { ...input, wanted: ["a", "b"] });
    expect(nextOrder(first, { ...input, wanted: ["a", "b"], nowMs: 1000 })).toBe(first);
  });
});

describe("numbers", () => {
  it("are full to 9,999 and compact above, slots always exact", () => {
    expect(formatCount(9999)).toBe("9,999");
    expect(formatCount(10_000)).toBe("10K");
    expect(formatExact(123_456)).toBe("123,456");
  });
  it("show a missing value as a dash, never as 0", () => {
    expect([
      formatCount(null),
      formatExact(undefined),
      formatDuration(null),
      formatWait(null),
      formatPercent(Number.NaN),
    ]).toEqual(Array.from({ length: 5 }, () => "-"));
  });
  it("never round something to nothing or to all", () => {
    expect(formatPercent(0)).toBe("0 %");
    expect(formatPercent(0.0001)).toBe("<1 %");
    expect(formatPercent(0.996)).toBe("99 %");
    expect(formatPercent(1)).toBe("100 %");
  });
  it("write durations by size, and a wait never as 0 s", () => {
    expect([340, 4200, 38_000, 90_000, 130_000].map((ms) => formatDuration(ms))).toEqual([
      "340 ms",
      "4.2 s",
      "38 s",
      "90 s",
      "2 min 10 s",
    ]);
    expect(formatWait(0)).toBe("<1 s");
    expect(formatTimeLeft(14 * 60_000 - 5000)).toBe("14 min");
    expect(formatTimeLeft(0)).toBe("now");
    expect(formatAgo(240_000)).toBe("4 min ago");
  });
  it("agree with their nouns", () => {
    expect([slotCount(1), slotCount(0), slotCount(12_000), slotCount(1, "held slot")]).toEqual([
      "1 slot",
      "0 slots",
      "12,000 slots",
      "1 held slot",
    ]);
    expect([plural(1, "slot"), plural(2, "slot"), plural(0, "entry", "entries")]).toEqual([
      "1 slot",
      "2 slots",
      "0 entries",
    ]);
    expect([listWords([]), listWords(["a"]), listWords(["a", "b"]), listWords(["a", "b", "c"])]).toEqual([
      "",
      "a",
      "a and b",
      "a, b and c",
    ]);
  });
  it("tell the time on a 24-hour clock", () => {
    expect(formatClock(Date.UTC(2026, 10, 30, 0, 5, 7), "utc")).toBe("00:05:07");
    expect(formatClock(Date.UTC(2026, 10, 30, 15, 5, 7), "utc")).toBe("15:05:07");
  });
});

describe("whose numbers these are", () => {
  const live = { mode: "shared", scope: "cluster", scope_reason: null, replicas: 3, replicas_reporting: 3 } as const;
  it("is the whole cluster, part of it, this gateway, or the only one", () => {
    expect(scopeChip(live).label).toBe("Whole cluster, 3 gateways");
    expect(scopeChip({ ...live, replicas_reporting: 2 })).toMatchObject({
      label: "2 of 3 gateways reporting",
      isPartial: true,
    });
    expect(scopeChip({ ...live, scope: "replica" }).label).toBe("On this gateway, 1 of 3");
    expect(scopeChip({ ...live, scope: "replica", mode: "local", replicas: 1, replicas_reporting: 1 }).label).toBe(
      "One gateway",
    );
  });
  it("begins the answer only where the numbers are of one gateway of several", () => {
    expect(scopePrefix({ ...live, scope: "replica" })).toBe("On this gateway, ");
    expect(scopePrefix({ ...live, scope: "replica", replicas: 1 })).toBe("");
    expect(scopePrefix(live)).toBe("");
  });
  it("warns under fallback and under local limits on several gateways", () => {
    const pool = { model: "llama-70b", cap: 11, configured_cap: 32 };
    expect(modeBanner({ ...live, mode: "fallback" }, "03:12:07", pool)?.text).toContain(
      "llama-70b: 11 of 32 slots here.",
    );
    expect(modeBanner({ ...live, mode: "local" }, "", null)).toMatchObject({ isWarning: true });
    expect(modeBanner({ ...live, mode: "split" }, "", null)).toMatchObject({ isWarning: false });
    expect(modeBanner(live, "", pool)).toBeNull();
    expect(modeBanner({ ...live, mode: "local", replicas: 1 }, "", null)).toBeNull();
  });
});

describe("preferences", () => {
  it("fall back one by one when malformed", () => {
    expect(parsePreferences('{"density":"compact","refresh":7,"clock":3}')).toMatchObject({
      density: "compact",
      refresh: 1,
      clock: "local",
      hasShortcuts: true,
    });
    expect(parsePreferences("not json")).toMatchObject({ density: "comfortable" });
    expect(parsePreferences(null)).toMatchObject({ motion: "system" });
  });
});
