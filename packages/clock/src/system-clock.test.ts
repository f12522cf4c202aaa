import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SystemClock } from "./system-clock";

describe("the machine's clock", () => {
  it("gives whole epoch milliseconds on the wall and never runs backwards beside it", () => {
    const clock = new SystemClock();
    expect(Number.isInteger(clock.wallMs())).toBe(true);
    expect(Math.abs(clock.wallMs() - Date.now())).toBeLessThan(1_000);
    let before = clock.monotonicMs();
    for (let i = 0; i < 1_000; i++) {
      const now = clock.monotonicMs();
      expect(now).toBeGreaterThanOrEqual(before);
      before = now;
    }
  });

  describe("its timers", () => {
    beforeEach(() => {
      vi.useFakeTimers();
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it("fire once after their delay, and not when cancelled", () => {
      const clock = new SystemClock();
      const fired: string[] = [];
      clock.setTimer(50, () => fired.push("kept"));
      clock.setTimer(50, () => fired.push("cancelled")).cancel();
      vi.advanceTimersByTime(49);
      expect(fired).toEqual([]);
      vi.advanceTimersByTime(1_000);
      expect(fired).toEqual(["kept"]);
    });

    it("do not fire at once for a delay beyond what the machine's timers can count", () => {
      const clock = new SystemClock();
      let count = 0;
      clock.setTimer(2 ** 40, () => count++);
      vi.advanceTimersByTime(60_000);
      expect(count).toBe(0);
    });
  });
});
