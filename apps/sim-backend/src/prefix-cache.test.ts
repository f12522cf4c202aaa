import { describe, expect, it } from "vitest";
import { BLOCK_TOKENS } from "./block-cache";
import { PrefixCache } from "./prefix-cache";
import { CHARS_PER_TOKEN } from "./tokens";

const block = (letter: string) => letter.repeat(BLOCK_TOKENS * CHARS_PER_TOKEN);

describe("PrefixCache", () => {
  it("knows nothing at first and a stored prompt's whole blocks afterwards", () => {
    const cache = new PrefixCache();
    expect(cache.lookUp(block("a") + block("b"))).toBe(0);
    cache.store(`${block("a")}${block("b")}tail`, 1000);
    expect(cache.lookUp(`${block("a")}${block("b")}tail`)).toBe(2 * BLOCK_TOKENS);
  });

  it("shares exactly the common beginning of two prompts", () => {
    const cache = new PrefixCache();
    cache.store(block("a") + block("b") + block("c"), 1000);
    expect(cache.lookUp(block("a") + block("b") + block("x"))).toBe(2 * BLOCK_TOKENS);
    expect(cache.lookUp(block("b") + block("c"))).toBe(0);
  });

  it("never holds more than its capacity", () => {
    const cache = new PrefixCache();
    for (const letter of "abcdefghij") {
      cache.store(block(letter) + block("z"), 5 * BLOCK_TOKENS);
      expect(cache.tokens).toBeLessThanOrEqual(5 * BLOCK_TOKENS);
    }
  });

  it("forgets the prompt that was used least recently", () => {
    const cache = new PrefixCache();
    cache.store(block("a"), 2 * BLOCK_TOKENS);
    cache.store(block("b"), 2 * BLOCK_TOKENS);
    cache.lookUp(block("a"));
    cache.store(block("c"), 2 * BLOCK_TOKENS);
    expect(cache.lookUp(block("b"))).toBe(0);
    expect(cache.lookUp(block("a"))).toBe(BLOCK_TOKENS);
  });

  it("gives up the tail of a prompt before its head", () => {
    const cache = new PrefixCache();
    cache.store(block("a") + block("b") + block("c"), 2 * BLOCK_TOKENS);
    expect(cache.lookUp(block("a") + block("b") + block("c"))).toBe(2 * BLOCK_TOKENS);
  });

  it("is off at capacity 0", () => {
    const cache = new PrefixCache();
    cache.store(block("a"), 0);
    expect(cache.tokens).toBe(0);
  });
});
