/** Tokens a backend says it has used. */
export interface UsageFigures {
  /** All input, cached input included. */
  inputTokens: number;
  /** The part of the input that came from the backend's prompt cache. */
  cachedTokens: number;
  outputTokens: number;
}

/**
 * Reads a `usage` object of any dialect into `into`, keeping what it does not mention, so that figures given in parts
 * (Anthropic streams) add up to the whole. Figures only grow: servers that fill a later part with zeros, and a tool's
 * arguments that look like such an object, take nothing back. Returns null when it holds no figure.
 */
export function readUsage(usage: Record<string, unknown>, into: UsageFigures | null): UsageFigures | null {
  const input = count(usage.prompt_tokens) ?? anthropicInput(usage) ?? null;
  const output = count(usage.completion_tokens) ?? count(usage.output_tokens) ?? null;
  const total = count(usage.total_tokens);
  if (input === null && output === null && total === undefined) return into;
  const figures = into ?? { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
  if (input !== null) {
    figures.inputTokens = Math.max(figures.inputTokens, input);
    figures.cachedTokens = Math.max(figures.cachedTokens, Math.min(input, cachedPart(usage)));
  } else if (total !== undefined && output === null) {
    figures.inputTokens = Math.max(figures.inputTokens, total);
  }
  if (output !== null) figures.outputTokens = Math.max(figures.outputTokens, output);
  return figures;
}

/** Anthropic counts cached input apart from `input_tokens`; OpenAI's responses name the total the same way. */
function anthropicInput(usage: Record<string, unknown>): number | undefined {
  const fresh = count(usage.input_tokens);
  if (fresh === undefined) return undefined;
  return fresh + (count(usage.cache_read_input_tokens) ?? 0) + (count(usage.cache_creation_input_tokens) ?? 0);
}

function cachedPart(usage: Record<string, unknown>): number {
  const details = usage.prompt_tokens_details ?? usage.input_tokens_details;
  const inDetails =
    details !== null && typeof details === "object" && "cached_tokens" in details ? details.cached_tokens : 0;
  return count(inDetails) || (count(usage.cache_read_input_tokens) ?? 0);
}

/** More than any answer can have taken; a budget booked at a figure like that would be gone, and no table would take it. */
const MAX_COUNT = 1e9;

/** A sane count; undefined for anything else, so that no odd value reaches a counter. */
function count(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= MAX_COUNT ? Math.floor(value) : undefined;
}
