import { describe, expect, it } from "vitest";
import { rowId, rowName, usageAnswer, usageFigures } from "./usage-rows";

const total = { requests: 10, fast: 5, queued: 3, timed_out: 1, p95_wait_ms: 3100, outcomes: { refused: 1 } };

describe("usage", () => {
  it("counts a wait that ran out as timed out and nowhere else", () => {
    const figures = usageFigures(total);
    expect(figures.map((figure) => figure.value)).toEqual([5, 3, 1, 1]);
    expect(figures.reduce((sum, figure) => sum + figure.value, 0)).toBe(total.requests);
  });
  it("answers in a sentence", () => {
    expect(usageAnswer(total)).toBe(
      "10 requests: 5 at once, 3 waited, 1 timed out. For 95 % the wait was under 3.1 s.",
    );
    expect(usageAnswer({ ...total, requests: 0 })).toBe("No requests in this time.");
  });
  it("names rows by what they are grouped by", () => {
    const row = { tenant_id: "t", tenant_name: "nightly", admission: "queued", outcome: "timed_out" };
    expect(rowName(row, "tenant,admission")).toEqual({ main: "nightly", second: "queued" });
    expect(rowName(row, "outcome").main).toBe("timed out");
    expect(rowName({}, "key").main).toBe("unknown key");
    expect(rowId(row)).not.toBe(rowId({ ...row, admission: "fast" }));
  });
});
