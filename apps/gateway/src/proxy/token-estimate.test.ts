import { describe, expect, it } from "vitest";
import { JsonCursor } from "./body/json-cursor";
import { estimateTokens } from "./token-estimate";
import { Tokenizers } from "./tokenizers";

const generates = true;

describe("the token estimate", () => {
  it("is input plus the caller's limit, which counts for at most 8192", () => {
    expect(estimateTokens({ inputTokens: 10, outputLimit: 64, generates })).toBe(74);
    expect(estimateTokens({ inputTokens: 10, outputLimit: 999_999_999, generates })).toBe(8202);
    expect(estimateTokens({ inputTokens: 10, outputLimit: 1e308, generates })).toBe(8202);
  });

  it("takes as much output as input when there is no limit, within 512 to 8192", () => {
    expect(estimateTokens({ inputTokens: 10, outputLimit: null, generates })).toBe(522);
    expect(estimateTokens({ inputTokens: 1000, outputLimit: null, generates })).toBe(2000);
    expect(estimateTokens({ inputTokens: 100_000, outputLimit: null, generates })).toBe(108_192);
  });

  it("has no output for calls that only read, and is at least 1", () => {
    expect(estimateTokens({ inputTokens: 7, outputLimit: 100, generates: false })).toBe(7);
    expect(estimateTokens({ inputTokens: 0, outputLimit: null, generates: false })).toBe(1);
  });
});

describe("a model's own tokenizer", () => {
  it("counts exactly once it is loaded; until then, and for unknown names, the rule stands in", async () => {
    const tokenizers = new Tokenizers();
    expect(tokenizers.counterFor("nonsense")).toBeNull();
    expect(tokenizers.counterFor("o200k_base")).toBeNull();
    await tokenizers.load("o200k_base");
    const cursor = new JsonCursor(Buffer.from('"hello world"'));
    cursor.readString();
    expect(tokenizers.counterFor("o200k_base")?.(cursor)).toBe(2);
  }, 30_000);
});
