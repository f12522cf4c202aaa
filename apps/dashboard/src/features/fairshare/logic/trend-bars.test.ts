import { describe, expect, it } from "vitest";
import { trendBars } from "./trend-bars";

describe("trendBars", () => {
  it("has a bar for every bucket, zeros where nothing was asked", () => {
    const points = [{ ts_ms: 120_000, requests: 9, queued: 3, timed_out: 1 }];
    expect(trendBars(points, { bucketMs: 60_000, fromMs: 30_000, toMs: 190_000 })).toEqual([
      { tsMs: 60_000, requests: 0, waited: 0 },
      { tsMs: 120_000, requests: 9, waited: 4 },
      { tsMs: 180_000, requests: 0, waited: 0 },
    ]);
  });

  it("is empty while the width is not known", () => {
    expect(trendBars([], { bucketMs: 0, fromMs: 0, toMs: 1000 })).toEqual([]);
  });
});
