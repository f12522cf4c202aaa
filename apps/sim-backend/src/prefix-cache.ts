/**
 * Which prompt prefixes a model still remembers. A prompt is cut into blocks; a block's key covers everything before it,
 * so two prompts share exactly the blocks of their common beginning.
 */
import { BLOCK_TOKENS, BlockCache } from "./block-cache";
import { hash32 } from "./random";
import { CHARS_PER_TOKEN } from "./tokens";

const BLOCK_CHARS = BLOCK_TOKENS * CHARS_PER_TOKEN;

export class PrefixCache {
  readonly #blocks = new BlockCache<string>();

  get tokens(): number {
    return this.#blocks.tokens;
  }

  /** Tokens of `prompt` that need no reading. */
  lookUp(prompt: string): number {
    return this.#blocks.lookUp(blockKeys(prompt));
  }

  /** Remembers `prompt`, forgetting what has no room in `capacityTokens` (0 or more). */
  store(prompt: string, capacityTokens: number): void {
    this.#blocks.store(blockKeys(prompt), capacityTokens);
  }

  /** Forgets the least recently used until at most `capacityTokens` remain. */
  shrink(capacityTokens: number): void {
    this.#blocks.shrink(capacityTokens);
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
