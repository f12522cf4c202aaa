/**
 * Exact token counts for models that name a tokenizer. Its tables are large, so each is loaded when first asked for;
 * until it is there the rule by characters stands in, as it does for very long pieces, which would block the process.
 */
import type { PieceCounter } from "./body/text-walk";
import { countByCharacters } from "./body/text-walk";

export const TOKENIZERS = ["o200k_base", "cl100k_base"] as const;
export type TokenizerName = (typeof TOKENIZERS)[number];

/** Longest piece counted exactly, bytes: a few ms of work. */
const MAX_EXACT_BYTES = 16 * 1024;

type Encode = (text: string) => number;

const LOADERS: Record<TokenizerName, () => Promise<Encode>> = {
  o200k_base: async () => (await import("gpt-tokenizer/encoding/o200k_base")).countTokens,
  cl100k_base: async () => (await import("gpt-tokenizer/encoding/cl100k_base")).countTokens,
};

export class Tokenizers {
  readonly #ready = new Map<TokenizerName, PieceCounter>();
  readonly #loading = new Map<TokenizerName, Promise<void>>();

  /** How to count for this tokenizer; null while it is loading or when there is none of that name. */
  counterFor(name: string): PieceCounter | null {
    const known = TOKENIZERS.find((tokenizer) => tokenizer === name);
    if (known === undefined) return null;
    void this.load(known);
    return this.#ready.get(known) ?? null;
  }

  /** Resolves when `counterFor` gives the counter; a failed load is tried again when next asked for. */
  load(name: TokenizerName): Promise<void> {
    const loading = this.#loading.get(name) ?? this.#load(name);
    this.#loading.set(name, loading);
    return loading;
  }

  async #load(name: TokenizerName): Promise<void> {
    try {
      const encode = await LOADERS[name]();
      this.#ready.set(name, (cursor) => exactCount(cursor, encode));
    } catch {
      this.#loading.delete(name);
    }
  }
}

function exactCount(cursor: Parameters<PieceCounter>[0], encode: Encode): number {
  if (cursor.textEnd - cursor.textStart > MAX_EXACT_BYTES) return countByCharacters(cursor);
  try {
    return encode(cursor.text());
  } catch {
    return countByCharacters(cursor);
  }
}
