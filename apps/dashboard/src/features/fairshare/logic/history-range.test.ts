import { afterEach, describe, expect, it, vi } from "vitest";
import { parseAsMoment } from "../search-params";
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

  it("draws no more than a gateway can keep, whatever the address says", () => {
    const [from, to] = [0, 8e15];
    expect(shownRange({ range: "custom", from, to }, NOW)).toEqual({ fromMs: at(3, 30, 29), toMs: at(3, 30, 31) });
    expect(shownRange({ range: "custom", from, to: 1 }, NOW)).toEqual({ fromMs: at(3, 15), toMs: NOW });
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

describe("a moment in an address", () => {
  it("is absent where no clock can show it", () => {
    for (const text of ["8640000000000001", "99999999999999999999", "-99999999999999999", "1e3", "0x10", "now", ""])
      expect(parseAsMoment.parse(text), text).toBeNull();
    expect(parseAsMoment.parse(String(NOW))).toBe(NOW);
  });
});
