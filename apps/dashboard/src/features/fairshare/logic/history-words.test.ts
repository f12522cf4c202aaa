import { describe, expect, it } from "vitest";
import { historyWords } from "./history-words";

const at = (minute: number, sec = 0) => Date.UTC(2026, 10, 30, 3, minute, sec);
const row = (tsMs: number, in_flight: number, queued: number) => ({
  tsMs,
  sample: { ts_ms: tsMs, in_flight, queued, held: 0, cap: 32, groups: {} },
});

describe("historyWords", () => {
  it("tells the range of what ran and the peak of what waited", () => {
    const rows = [row(at(2), 24, 0), row(at(4), 32, 41), row(at(5), 30, 12)];
    expect(historyWords({ rows, gaps: [], bucketMs: 6000 }, "utc")).toBe(
      "Running 24 to 32; waiting peaked at 41 at 03:04. Each column is the worst of 6 s.",
    );
  });

  it("says so when nothing waited", () => {
    expect(historyWords({ rows: [row(at(2), 3, 0)], gaps: [], bucketMs: 2000 }, "utc")).toBe(
      "Running 3; nothing waited.",
    );
  });

  it("names each hole with its reason, the last two of many", () => {
    const gaps = [
      { fromMs: at(1), toMs: at(1, 20), reason: "no samples" },
      { fromMs: at(3), toMs: at(3, 20), reason: "gateway restarted" },
      { fromMs: at(5), toMs: at(6), reason: "no samples" },
    ];
    expect(historyWords({ rows: [row(at(2), 3, 0)], gaps, bucketMs: 2000 }, "utc")).toContain(
      "No samples from 03:03:00 to 03:03:20 (gateway restarted) and from 03:05:00 to 03:06:00, and 1 more before.",
    );
  });

  it("says nothing of no samples", () => {
    expect(historyWords({ rows: [], gaps: [], bucketMs: 2000 }, "utc")).toBe("");
  });
});
