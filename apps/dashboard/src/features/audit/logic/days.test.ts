import { describe, expect, it } from "vitest";
import { byDay } from "./days";

describe("audit days", () => {
  it("gather rows in their order", () => {
    expect(byDay([{ ts_ms: 3 }, { ts_ms: 2 }, { ts_ms: 1 }], (ts) => (ts > 1 ? "today" : "before"))).toEqual([
      { label: "today", rows: [{ ts_ms: 3 }, { ts_ms: 2 }] },
      { label: "before", rows: [{ ts_ms: 1 }] },
    ]);
  });
});
