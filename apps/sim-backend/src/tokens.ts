/** The backend's own idea of a token: four characters of a prompt, one word of an answer. */
import { hash32, logNormal, seededRandom } from "./random";
import type { Settings } from "./settings";

export const CHARS_PER_TOKEN = 4;

/** Tokens in a prompt; 0 only for an empty one. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}

const WORDS = (
  "the model reads a prompt and writes one word after another while other requests wait their turn so every " +
  "tenant sees steady progress even when many ask at once and each slot goes to whoever is furthest behind its share"
).split(" ");

/** Answer text, one word per token, the same for the same seed and prompt. */
export function* answerWords(options: { seed: number; prompt: string; count: number }): Generator<string> {
  const random = seededRandom(hash32(options.prompt, options.seed));
  for (let i = 0; i < options.count; i++) {
    const word = WORDS[Math.floor(random() * WORDS.length)] ?? "word";
    yield i === 0 ? word : ` ${word}`;
  }
}

export interface AnswerLength {
  readonly tokens: number;
  /** True when the limit cut the answer short, false when it ended by itself. */
  readonly isCut: boolean;
}

/** How long the answer to `prompt` is: its natural length, at most `limit`; exactly `limit` when `exact` is set. */
export function answerLength(
  settings: Pick<Settings, "seed" | "outputTokensMedian" | "outputTokensSigma">,
  ask: { prompt: string; limit: number | null; exact: boolean },
): AnswerLength {
  if (ask.exact && ask.limit !== null) return { tokens: ask.limit, isCut: true };
  const random = seededRandom(hash32(ask.prompt, settings.seed ^ 0x5bd1e995));
  const shape = { median: settings.outputTokensMedian, sigma: settings.outputTokensSigma };
  const natural = Math.max(1, Math.round(logNormal(random, shape)));
  if (ask.limit !== null && ask.limit < natural) return { tokens: ask.limit, isCut: true };
  return { tokens: natural, isCut: false };
}
