/**
 * Which prompt prefixes a model still remembers. A prompt is cut into blocks; a block's key covers everything before it,
 * so two prompts share exactly the blocks of their common beginning. Bounded in tokens: the least recently used blocks go
 * first, and of one prompt the tail goes before the head, since a tail is useless without its head.
 */
import { hash32 } from "./random";
import { CHARS_PER_TOKEN } from "./tokens";

/** Small enough that a short shared system text counts, large enough that a long prompt makes few keys. */
export const BLOCK_TOKENS = 16;
const BLOCK_CHARS = BLOCK_TOKENS * CHARS_PER_TOKEN;

export class PrefixCache {
  /** Least recently used first. */
  readonly #blocks = new Set<string>();

  get tokens(): number {
    return this.#blocks.size * BLOCK_TOKENS;
  }

  /** Tokens of `prompt` that need no reading: whole blocks from its start, freshened by being asked for. */
  lookUp(prompt: string): number {
    const found: string[] = [];
    for (const key of blockKeys(prompt)) {
      if (!this.#blocks.has(key)) break;
      found.push(key);
    }
    this.#touch(found);
    return found.length * BLOCK_TOKENS;
  }

  /** Remembers `prompt`, forgetting the least recently used blocks beyond `capacityTokens` (0 or more). */
  store(prompt: string, capacityTokens: number): void {
    this.#touch([...blockKeys(prompt)]);
    this.shrink(capacityTokens);
  }

  /** Forgets the least recently used blocks until at most `capacityTokens` remain. */
  shrink(capacityTokens: number): void {
    for (const key of this.#blocks) {
      if (this.tokens <= capacityTokens) return;
      this.#blocks.delete(key);
    }
  }

  #touch(keys: readonly string[]): void {
    for (const key of [...keys].reverse()) {
      this.#blocks.delete(key);
      this.#blocks.add(key);
    }
  }
}

function* blockKeys(prompt: string): Generator<string> {
  // Two 32-bit chains: one alone would collide within a few ten thousand blocks.
  let first = 0x811c9dc5;
  let second = 0x9e3779b9;
  for (let start = 0; start + BLOCK_CHARS <= prompt.length; start += BLOCK_CHARS) {
    const block = prompt.slice(start, start + BLOCK_CHARS);
    first = hash32(block, first);
    second = hash32(block, second);
    yield `${first.toString(36)}.${second.toString(36)}`;
  }
}
