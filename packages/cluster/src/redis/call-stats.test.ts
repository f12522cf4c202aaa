import { VirtualClock } from "@obleth/clock";
import { describe, expect, it } from "vitest";
import { CallStats } from "./call-stats";

describe("call statistics", () => {
  it("know nothing before the first call", () => {
    expect(new CallStats(new VirtualClock()).quantile(0.5)).toBeNull();
  });

  it("tell the middle and the tail of the last 512 calls", () => {
    const stats = new CallStats(new VirtualClock());
    for (let ms = 1; ms <= 100; ms++) stats.answered(ms);
    expect(stats.quantile(0.5)).toBe(51);
    expect(stats.quantile(0.99)).toBe(100);
    for (let i = 0; i < 512; i++) stats.answered(7);
    expect(stats.quantile(0)).toBe(7);
    expect(stats.quantile(1)).toBe(7);
  });

  it("count the errors of the last minute", () => {
    const clock = new VirtualClock();
    const stats = new CallStats(clock);
    stats.failed();
    clock.advance(30_000);
    stats.failed();
    expect(stats.errorsPerMin).toBe(2);
    clock.advance(30_001);
    expect(stats.errorsPerMin).toBe(1);
    clock.advance(60_000);
    expect(stats.errorsPerMin).toBe(0);
  });

  it("stay bounded however many errors there are", () => {
    const stats = new CallStats(new VirtualClock());
    for (let i = 0; i < 50_000; i++) stats.failed();
    expect(stats.errorsPerMin).toBe(10_000);
  });
});
