import { afterEach, describe, expect, it, vi } from "vitest";
import { lastTimeAt, shownRange, stepOf } from "./history-range";

const NOW = Date.UTC(2026, 10, 30, 3, 30);
const at = (hours: number, minutes: number, day = 30) => Date.UTC(2026, 10, day, hours, minutes);

afterEach(() => vi.unstubAllEnvs());

describe("shownRange", () => {
  it("is the last minutes, or the two times that were chosen", () => {
    const none = { from: null, to: null };
    expect(shownRange({ range: "15m", ...none }, NOW)).toEqual({ fromMs: at(3, 15), toMs: NOW });
    expect(shownRange({ range: "1h", ...none }, NOW)).toEqual({ fromMs: at(2, 30), toMs: NOW });
    expect(shownRange({ range: "custom", from: at(3, 0), to: at(3, 10) }, NOW)).toEqual({
      fromMs: at(3, 0),
      toMs: at(3, 10),
    });
  });

  it("falls back to 15 minutes when the times are missing or out of order", () => {
    const fallback = { fromMs: at(3, 15), toMs: NOW };
    expect(shownRange({ range: "custom", from: null, to: at(3, 10) }, NOW)).toEqual(fallback);
    expect(shownRange({ range: "custom", from: at(3, 10), to: at(3, 0) }, NOW)).toEqual(fallback);
    expect(shownRange({ range: "custom", from: at(3, 10), to: at(3, 10) }, NOW)).toEqual(fallback);
  });

  it("moves less often the longer it is", () => {
    expect([stepOf("15m"), stepOf("1h"), stepOf("custom")]).toEqual([5000, 10_000, 10_000]);
  });
});

describe("lastTimeAt", () => {
  it("is today's time when it has passed and yesterday's otherwise", () => {
    expect(lastTimeAt("03:12", NOW, "utc")).toBe(at(3, 12));
    expect(lastTimeAt("23:50", NOW, "utc")).toBe(at(23, 50, 29));
    expect(lastTimeAt("03:30", NOW, "utc")).toBe(NOW);
  });

  it("reads a local time in the reader's zone", () => {
    vi.stubEnv("TZ", "Asia/Kathmandu");
    expect(lastTimeAt("09:00", NOW, "local")).toBe(at(3, 15));
    expect(lastTimeAt("09:30", NOW, "local")).toBe(at(3, 45, 29));
  });

  it("refuses what is no time of day", () => {
    for (const text of ["", "3:12", "24:00", "12:60", "now"]) expect(lastTimeAt(text, NOW, "utc")).toBeNull();
  });
});
