import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { VirtualClock } from "@obleth/clock";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UnsavedCount } from "./unsaved-count";

describe("the count of unsaved usage records", () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "obleth-unsaved-"));
    file = path.join(folder, "usage-unsaved");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("is on disk a tenth of a second after it changed, and found once by the next life", () => {
    const clock = new VirtualClock();
    let count = 0;
    new UnsavedCount({ file, clock, count: () => count });
    clock.advance(100);
    expect(existsSync(file)).toBe(false);
    count = 41;
    clock.advance(100);
    count = 12;
    clock.advance(100);
    expect(readFileSync(file, "utf8")).toBe("12");
    expect(UnsavedCount.takeLeftBehind(file)).toBe(12);
    expect(UnsavedCount.takeLeftBehind(file)).toBe(0);
  });

  it("is nothing after a stop in order", () => {
    const clock = new VirtualClock();
    const unsaved = new UnsavedCount({ file, clock, count: () => 3 });
    clock.advance(100);
    unsaved.stop();
    clock.advance(1000);
    expect(UnsavedCount.takeLeftBehind(file)).toBe(0);
  });

  it("is nothing when the file cannot be understood, and a disk that takes nothing stops nobody", () => {
    writeFileSync(file, "many");
    expect(UnsavedCount.takeLeftBehind(file)).toBe(0);
    const clock = new VirtualClock();
    const unsaved = new UnsavedCount({ file: path.join(folder, "none", "x"), clock, count: () => 3 });
    clock.advance(1000);
    unsaved.stop();
  });
});
