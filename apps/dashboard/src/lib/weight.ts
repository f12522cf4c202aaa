/** Weights, caps and sizes as they are typed. */
import { formatExact } from "./format";

export const MAX_WEIGHT = 1_000_000;
const MAX_SLOTS = 1_000_000;

export type Parsed = { readonly value: number } | { readonly error: string };

/** A weight from 1 to 1,000,000, or why the text is none. */
export function parseWeight(text: string): Parsed {
  return parseWhole(text, { what: "A weight", max: MAX_WEIGHT });
}

/** A number of slots from 1, or why the text is none. */
export function parseSlots(text: string): Parsed {
  return parseWhole(text, { what: "A number of slots", max: MAX_SLOTS });
}

export function parseWhole(text: string, range: { what: string; min?: number; max: number }): Parsed {
  const min = range.min ?? 1;
  const cleaned = text.trim().replaceAll(",", "");
  const value = Number(cleaned);
  const isGood = /^\d+$/.test(cleaned) && value >= min && value <= range.max;
  return isGood ? { value } : { error: `${range.what} is a whole number from ${min} to ${formatExact(range.max)}.` };
}

/** The weight one step away: a tenth, at least 1, or exactly 1 when fine. */
export function stepWeight(text: string, direction: 1 | -1, isFine: boolean): string {
  const parsed = parseWeight(text);
  if ("error" in parsed) return text;
  const size = isFine ? 1 : Math.max(1, Math.round(parsed.value / 10));
  return String(Math.min(MAX_WEIGHT, Math.max(1, parsed.value + direction * size)));
}
