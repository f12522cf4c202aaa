import { describe, expect, it } from "vitest";
import { firstTokenMs, tokenMs } from "./service-time";

describe("time to first token", () => {
  const settings = { overheadMs: 20, prefillTokensPerSec: 1000 };

  it("grows with the tokens the cache did not have, and with nothing else", () => {
    expect(firstTokenMs(settings, { promptTokens: 500, cachedTokens: 0 })).toBe(520);
    expect(firstTokenMs(settings, { promptTokens: 500, cachedTokens: 400 })).toBe(120);
    expect(firstTokenMs(settings, { promptTokens: 500, cachedTokens: 500 })).toBe(20);
  });
});

describe("time per token", () => {
  const settings = { decodeTokensPerSec: 50, knee: 4 };

  it("is flat up to the knee", () => {
    expect([1, 2, 3, 4].map((running) => tokenMs(settings, running))).toEqual([20, 20, 20, 20]);
  });

  it("rises past the knee so that the total throughput stays level", () => {
    for (const running of [4, 5, 8, 40]) {
      expect(running / tokenMs(settings, running)).toBeCloseTo(4 / 20, 10);
    }
  });
});
