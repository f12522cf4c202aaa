/**
 * Which blocks of prompts a model still remembers, whatever names them. Bounded: the least recently used blocks go
 * first, and of one prompt the tail goes before the head, since a tail is useless without its head.
 */

/** Tokens of a block. Small enough that a short shared system text counts, large enough that a long prompt makes few. */
export const BLOCK_TOKENS = 16;

/** `Key` names a block together with everything before it in its prompt. */
export class BlockCache<Key> {
  /** Least recently used first. */
  readonly #blocks = new Set<Key>();

  get tokens(): number {
    return this.#blocks.size * BLOCK_TOKENS;
  }

  /** Tokens of a prompt that are remembered: whole blocks from its start, freshened by being asked for. */
  lookUp(prompt: Iterable<Key>): number {
    const found: Key[] = [];
    for (const key of prompt) {
      if (!this.#blocks.has(key)) break;
      found.push(key);
    }
    this.#touch(found);
    return found.length * BLOCK_TOKENS;
  }

  /** Remembers a prompt's blocks, forgetting the least recently used ones beyond `capacityTokens` (0 or more). */
  store(prompt: Iterable<Key>, capacityTokens: number): void {
    this.#touch([...prompt]);
    this.shrink(capacityTokens);
  }

  /** Forgets the least recently used blocks until at most `capacityTokens` remain. */
  shrink(capacityTokens: number): void {
    for (const key of this.#blocks) {
      if (this.tokens <= capacityTokens) return;
      this.#blocks.delete(key);
    }
  }

  #touch(keys: readonly Key[]): void {
    for (const key of [...keys].reverse()) {
      this.#blocks.delete(key);
      this.#blocks.add(key);
    }
  }
}
