import { describe, expect, it } from "vitest";
import { holdMinutes } from "./hold-minutes";

const point = (secs: number, hold: number, redeem: number) => ({ ts_ms: secs * 1000, affinity: { hold, redeem } });

describe("holdMinutes", () => {
  it("sums a minute's events and all of them", () => {
    expect(holdMinutes([point(60, 2, 1), point(62, 3, 3), point(120, 1, 0)])).toEqual({
      rows: [
        { ts: 60_000, hold: 5, redeem: 4 },
        { ts: 120_000, hold: 1, redeem: 0 },
      ],
      hold: 6,
      redeem: 4,
    });
  });

  it("leaves minutes without samples as one hole", () => {
    expect(holdMinutes([point(60, 2, 1), point(300, 1, 1)]).rows).toEqual([
      { ts: 60_000, hold: 2, redeem: 1 },
      { ts: 120_000, hold: null, redeem: null },
      { ts: 300_000, hold: 1, redeem: 1 },
    ]);
  });

  it("counts a sample of a pool that never held anything as nothing", () => {
    expect(holdMinutes([{ ts_ms: 60_000 }])).toEqual({
      rows: [{ ts: 60_000, hold: 0, redeem: 0 }],
      hold: 0,
      redeem: 0,
    });
  });
});
