import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { JsonCursor } from "./body/json-cursor";
import { estimateTokens } from "./token-estimate";
import { encodeWith, Tokenizers } from "./tokenizers";

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
  /** Tokens of each text, all of one request. */
  async function counted(texts: readonly string[]): Promise<(number | undefined)[]> {
    const tokenizers = new Tokenizers();
    await tokenizers.load("o200k_base");
    const count = tokenizers.counterFor("o200k_base");
    return texts.map((text) => {
      const cursor = new JsonCursor(Buffer.from(JSON.stringify(text)));
      cursor.readString();
      return count?.(cursor);
    });
  }

  it("counts exactly once it is loaded; until then, and for unknown names, the rule stands in", async () => {
    const tokenizers = new Tokenizers();
    expect(tokenizers.counterFor("nonsense")).toBeNull();
    expect(tokenizers.counterFor("o200k_base")).toBeNull();
    expect(await counted(["hello world"])).toEqual([2]);
  }, 30_000);

  it("leaves runs of letters, signs or blanks longer than any word to the rule, as their cost grows with the square", async () => {
    const runs = ["x".repeat(16_000), "=".repeat(200), " ".repeat(200), "\u6f22".repeat(200)];
    expect(await counted(runs)).toEqual(runs.map((run) => run.length / 4));
    const fitting = ["x", "=", " ", "\u6f22"].map((character) => character.repeat(128));
    const texts = [...fitting, "7".repeat(300), "\u6f22\u5b57\u3002".repeat(100)];
    expect(await counted(texts)).toEqual(texts.map((text) => countTokens(text)));
  }, 30_000);

  it("counts the first 256 KiB of a request exactly and leaves the rest to the rule", async () => {
    const piece = "The quick brown fox. ".repeat(700);
    const counts = await counted(Array(20).fill(piece));
    expect(new Set(counts.slice(0, 17)).size).toBe(1);
    expect(counts[0]).not.toBe(Math.ceil(piece.length / 4));
    expect(counts.slice(17)).toEqual(Array(3).fill(Math.ceil(piece.length / 4)));
  }, 30_000);

  it("empties the library's memory of words before it holds much, and never lets it fill up", () => {
    let remembered = 0;
    let most = 0;
    let limit = 100_000;
    const encode = encodeWith({
      countTokens: (text) => {
        remembered += text.length;
        most = Math.max(most, remembered);
        return 1;
      },
      setMergeCacheSize: (words) => {
        limit = words;
      },
      clearMergeCache: () => {
        remembered = 0;
      },
    });
    for (let i = 0; i < 2000; i++) encode("w".repeat(16_000));
    expect(most).toBeLessThanOrEqual(4 * 1024 * 1024);
    expect(most).toBeLessThan(limit);
  });
});
