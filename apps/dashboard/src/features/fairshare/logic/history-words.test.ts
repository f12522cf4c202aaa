import { describe, expect, it } from "vitest";
import { historyFacts } from "../../../lib/history-facts";
import type { HistoryView } from "../../../lib/history-series";
import { historyWords } from "./history-words";

const at = (minute: number, sec = 0) => Date.UTC(2026, 10, 30, 3, minute, sec);
const row = (tsMs: number, in_flight: number, queued: number) => ({
  tsMs,
  sample: { ts_ms: tsMs, in_flight, queued, held: 0, cap: 32, groups: {} },
});

const words = (view: HistoryView, zone: "utc" | null = "utc") => historyWords(historyFacts(view), zone);

describe("historyWords", () => {
  it("tells the range of what ran and the peak of what waited", () => {
    const rows = [row(at(2), 24, 0), row(at(4), 32, 41), row(at(5), 30, 12)];
    expect(words({ rows, gaps: [], bucketMs: 6000 })).toBe(
      "Running 24 to 32; waiting peaked at 41 at 03:04. Each column is the worst of 6 s.",
    );
  });

  it("says so when nothing waited", () => {
    expect(words({ rows: [row(at(2), 3, 0)], gaps: [], bucketMs: 2000 })).toBe("Running 3; nothing waited.");
  });

  it("names each hole with its reason, the last two of many", () => {
    const gaps = [
      { fromMs: at(1), toMs: at(1, 20), reason: "no samples" },
      { fromMs: at(3), toMs: at(3, 20), reason: "gateway restarted" },
      { fromMs: at(5), toMs: at(6), reason: "no samples" },
    ];
    expect(words({ rows: [row(at(2), 3, 0)], gaps, bucketMs: 2000 })).toContain(
      "No samples from 03:03:00 to 03:03:20 (gateway restarted) and from 03:05:00 to 03:06:00, and 1 more before.",
    );
  });

  it("tells no time of day while the reader's zone is not known", () => {
    const rows = [row(at(2), 24, 0), row(at(4), 32, 41)];
    const gaps = [{ fromMs: at(1), toMs: at(1, 20), reason: "no samples" }];
    expect(words({ rows, gaps, bucketMs: 6000 }, null)).toBe(
      "Running 24 to 32; waiting peaked at 41. Each column is the worst of 6 s.",
    );
  });

  it("says nothing of no samples", () => {
    expect(words({ rows: [], gaps: [], bucketMs: 2000 })).toBe("");
  });
});
