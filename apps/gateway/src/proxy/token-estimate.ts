/**
 * What a request is taken to cost before it has run, in tokens: what fairness charges and what budgets reserve. The rule,
 * with examples, is in `docs/token-estimate.md`.
 */

/** Most output tokens an estimate assumes, so that a huge limit cannot reserve a budget away. */
export const MAX_OUTPUT_TOKENS = 8192;

/** Least output tokens assumed when the caller sets no limit. */
export const MIN_UNLIMITED_OUTPUT_TOKENS = 512;

export interface EstimateInput {
  /** Tokens of the text found in the body, 0 or more. */
  readonly inputTokens: number;
  /** The caller's own output limit, from 1; null when it gives none that is a number from 1. */
  readonly outputLimit: number | null;
  /** False for endpoints that only read: embeddings, rerank, moderation. */
  readonly generates: boolean;
}

/** Input plus output, at least 1, always a whole number. */
export function estimateTokens(request: EstimateInput): number {
  return Math.max(1, request.inputTokens + estimatedOutputTokens(request));
}

/** The output part: the caller's limit, else as much as the input within 512 to 8192, never above 8192. */
export function estimatedOutputTokens({ inputTokens, outputLimit, generates }: EstimateInput): number {
  if (!generates) return 0;
  if (outputLimit !== null) return Math.min(outputLimit, MAX_OUTPUT_TOKENS);
  return Math.min(Math.max(inputTokens, MIN_UNLIMITED_OUTPUT_TOKENS), MAX_OUTPUT_TOKENS);
}
