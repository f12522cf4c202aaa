import { describe, expect, it } from "vitest";
import { foldChanges, heldBack } from "./folds";

const row = (id: number, secs: number, actor = "token", source = "api") => ({ id, ts_ms: secs * 1000, actor, source });
const ids = (runs: { id: number }[][]) => runs.map((run) => run.map((one) => one.id));

describe("foldChanges", () => {
  it("makes one of three or more changes of an actor within a minute", () => {
    expect(ids(foldChanges([row(4, 100), row(3, 90), row(2, 41), row(1, 40)]))).toEqual([[4, 3, 2], [1]]);
  });

  it("leaves two changes single", () => {
    expect(ids(foldChanges([row(2, 100), row(1, 99)]))).toEqual([[2], [1]]);
  });

  it("never folds over another actor or another way in", () => {
    const rows = [row(5, 100), row(4, 99, "eve"), row(3, 98), row(2, 97, "token", "import"), row(1, 96)];
    expect(ids(foldChanges(rows))).toEqual([[5], [4], [3], [2], [1]]);
  });
});

describe("heldBack", () => {
  const rows = [row(3, 100), row(2, 90), row(1, 80)];
  it("counts what came after the newest row the reader has seen", () => {
    expect(heldBack(rows, 1, "me")).toEqual({ shown: [row(1, 80)], waiting: 2 });
    expect(heldBack(rows, 3, "me")).toEqual({ shown: rows, waiting: 0 });
  });

  it("shows the reader's own change at once", () => {
    expect(heldBack([row(4, 110, "me"), ...rows], 3, "me").waiting).toBe(0);
  });
});
