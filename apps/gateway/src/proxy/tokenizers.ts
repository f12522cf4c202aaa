/**
 * Exact token counts for models that name a tokenizer. Its tables are large, so each is loaded when first asked for;
 * until it is there the rule by characters stands in, as it does for whatever would block the process.
 */
import type { PieceCounter } from "./body/text-walk";
import { countByCharacters } from "./body/text-walk";

export const TOKENIZERS = ["o200k_base", "cl100k_base"] as const;
export type TokenizerName = (typeof TOKENIZERS)[number];

/** Longest piece counted exactly, bytes: a few ms of work. */
const MAX_EXACT_BYTES = 16 * 1024;
/** Text of one request counted exactly, bytes: 50 ms of work, or several times that for letters at random. */
const MAX_REQUEST_BYTES = 256 * 1024;
/** Longest run of letters, signs or blanks that is taken apart: that work, and what is remembered, grow with its square. */
const MAX_RUN = 128;

/**
 * Characters after which the library's memory of words is emptied. It is never left to fill up: from then on each new word
 * would cost it a search through the places of all forgotten ones.
 */
const REMEMBERED_CHARACTERS = 4 * 1024 * 1024;

/** The library's tables of one tokenizer. */
export interface Encoding {
  countTokens(text: string): number;
  setMergeCacheSize(words: number): void;
  clearMergeCache(): void;
}

const LOADERS: Record<TokenizerName, () => Promise<Encoding>> = {
  o200k_base: () => import("gpt-tokenizer/encoding/o200k_base"),
  cl100k_base: () => import("gpt-tokenizer/encoding/cl100k_base"),
};

type Encode = (text: string) => number;

export class Tokenizers {
  readonly #ready = new Map<TokenizerName, Encode>();
  readonly #loading = new Map<TokenizerName, Promise<void>>();

  /** How to count one request's text for this tokenizer; null while it is loading or when there is none of that name. */
  counterFor(name: string): PieceCounter | null {
    const known = TOKENIZERS.find((tokenizer) => tokenizer === name);
    if (known === undefined) return null;
    void this.load(known);
    const encode = this.#ready.get(known);
    return encode === undefined ? null : exactCounter(encode);
  }

  /** Resolves when `counterFor` gives the counter; a failed load is tried again when next asked for. */
  load(name: TokenizerName): Promise<void> {
    const loading = this.#loading.get(name) ?? this.#load(name);
    this.#loading.set(name, loading);
    return loading;
  }

  async #load(name: TokenizerName): Promise<void> {
    try {
      this.#ready.set(name, encodeWith(await LOADERS[name]()));
    } catch {
      this.#loading.delete(name);
    }
  }
}

/** Counts with these tables, whose memory of words stays bounded without ever being full. */
export function encodeWith(encoding: Encoding): Encode {
  encoding.setMergeCacheSize(Number.MAX_SAFE_INTEGER);
  let remembered = 0;
  return (text) => {
    remembered += text.length;
    if (remembered > REMEMBERED_CHARACTERS) {
      encoding.clearMergeCache();
      remembered = text.length;
    }
    return encoding.countTokens(text);
  };
}

function exactCounter(encode: Encode): PieceCounter {
  let bytesLeft = MAX_REQUEST_BYTES;
  return (cursor) => {
    const bytes = cursor.textEnd - cursor.textStart;
    if (bytes > Math.min(MAX_EXACT_BYTES, bytesLeft)) return countByCharacters(cursor);
    bytesLeft -= bytes;
    try {
      const text = cursor.text();
      return hasLongRun(text) ? countByCharacters(cursor) : encode(text);
    } catch {
      return countByCharacters(cursor);
    }
  };
}

const DIGIT = 0;
const BLANK = 1;
const LETTER = 2;
const SIGN = 3;

/** Whether one kind of character goes on for longer than words, rulers and indents do. Digits are split by threes anyway. */
function hasLongRun(text: string): boolean {
  let kind = DIGIT;
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const next = kindOf(text.charCodeAt(i));
    length = next === kind ? length + 1 : 1;
    kind = next;
    if (length > MAX_RUN && kind !== DIGIT) return true;
  }
  return false;
}

function kindOf(code: number): number {
  if (code >= 0x80) return isWidePunctuation(code) ? SIGN : LETTER;
  if (code >= 0x30 && code <= 0x39) return DIGIT;
  if (code <= 0x20) return BLANK;
  return (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a ? LETTER : SIGN;
}

/** What ends a run of letters in scripts that write no blanks: General, CJK and fullwidth punctuation. */
function isWidePunctuation(code: number): boolean {
  return (code >= 0x2000 && code <= 0x206f) || (code >= 0x3000 && code <= 0x303f) || (code >= 0xff00 && code <= 0xff20);
}
