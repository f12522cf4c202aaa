import { describe, expect, it } from "vitest";
import { answerLength, answerWords, countTokens } from "./tokens";

const settings = { seed: 7, outputTokensMedian: 100, outputTokensSigma: 0.5 };

describe("answers", () => {
  it("are the same for the same seed and prompt, and differ with either", () => {
    const text = (seed: number, prompt: string) => [...answerWords({ seed, prompt, count: 30 })].join("");
    expect(text(7, "hello")).toBe(text(7, "hello"));
    expect(text(8, "hello")).not.toBe(text(7, "hello"));
    expect(text(7, "hello!")).not.toBe(text(7, "hello"));
  });

  it("have as many words as tokens", () => {
    expect([...answerWords({ seed: 1, prompt: "p", count: 12 })].join("").split(" ")).toHaveLength(12);
  });

  it("keep to the caller's limit and say that they were cut", () => {
    const natural = answerLength(settings, { prompt: "p", limit: null, exact: false });
    expect(natural.isCut).toBe(false);
    expect(answerLength(settings, { prompt: "p", limit: natural.tokens - 1, exact: false })).toEqual({
      tokens: natural.tokens - 1,
      isCut: true,
    });
    expect(answerLength(settings, { prompt: "p", limit: natural.tokens, exact: false })).toEqual(natural);
  });

  it("are exactly the limit when the caller forbids ending early", () => {
    expect(answerLength(settings, { prompt: "p", limit: 5000, exact: true }).tokens).toBe(5000);
  });

  it("have lengths scattered around the median", () => {
    const lengths = Array.from(
      { length: 999 },
      (_, i) => answerLength(settings, { prompt: `prompt ${i}`, limit: null, exact: false }).tokens,
    ).sort((a, b) => a - b);
    expect(lengths[499]).toBeGreaterThan(90);
    expect(lengths[499]).toBeLessThan(110);
    expect(lengths[0]).toBeLessThan(50);
    expect(lengths[998]).toBeGreaterThan(200);
  });
});

describe("prompt tokens", () => {
  it("are one per four characters, rounded up", () => {
    expect(["", "a", "abcd", "abcde"].map(countTokens)).toEqual([0, 1, 1, 2]);
  });
});
