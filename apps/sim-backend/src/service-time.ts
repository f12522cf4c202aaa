/**
 * How long a simulated model takes. Two phases, as on a real accelerator: reading the prompt (prefill), whose time grows
 * with the tokens the prefix cache did not have, and writing the answer (decode), whose time per token is flat until the
 * batch passes a knee and then grows in proportion, so that total throughput stays level.
 */
import type { Settings } from "./settings";

/** Unscaled milliseconds from the start of work to the first token. `cachedTokens` is at most `promptTokens`. */
export function firstTokenMs(
  settings: Pick<Settings, "overheadMs" | "prefillTokensPerSec">,
  prompt: { promptTokens: number; cachedTokens: number },
): number {
  const uncached = Math.max(0, prompt.promptTokens - prompt.cachedTokens);
  return settings.overheadMs + (uncached / settings.prefillTokensPerSec) * 1000;
}

/** Unscaled milliseconds per answer token while `running` requests (at least 1) share the model. */
export function tokenMs(settings: Pick<Settings, "decodeTokensPerSec" | "knee">, running: number): number {
  return (1000 / settings.decodeTokensPerSec) * Math.max(1, running / settings.knee);
}
