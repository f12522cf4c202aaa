import { describe, expect, it } from "vitest";
import { axisEndMs, closedSteps, SAMPLE_TS } from "./steps";

describe("closedSteps", () => {
  it("gives the newest value the width of a step", () => {
    const rows = closedSteps(
      [
        { ts: 1000, queued: 3 },
        { ts: 2000, queued: 7 },
      ],
      1000,
    );
    expect(rows).toEqual([
      { ts: 1000, queued: 3 },
      { ts: 2000, queued: 7 },
      { ts: 3000, queued: 7, [SAMPLE_TS]: 2000 },
    ]);
  });

  it("gives a lone value a width", () => {
    expect(closedSteps([{ ts: 60_000, fast: 155 }], 60_000).map((row) => row.ts)).toEqual([60_000, 120_000]);
  });

  it("leaves a hole at the end a hole", () => {
    const rows = [
      { ts: 1000, queued: 3 },
      { ts: 2000, queued: null },
    ];
    expect(closedSteps(rows, 1000)).toBe(rows);
  });

  it("has nothing to close without rows or a width", () => {
    expect(closedSteps([], 1000)).toEqual([]);
    expect(closedSteps([{ ts: 1000, queued: 3 }], 0)).toHaveLength(1);
  });
});

describe("axisEndMs", () => {
  it("shows the whole newest step, also when it began just before the end", () => {
    expect(axisEndMs([{ ts: 70_000, fast: 1 }], 61_000)).toBe(70_000);
    expect(axisEndMs([{ ts: 50_000, fast: 1 }], 61_000)).toBe(61_000);
    expect(axisEndMs([], 61_000)).toBe(61_000);
  });
});
