/** Weights, caps and sizes as they are typed. */
import { MAX_SLOTS, MAX_WEIGHT } from "@obleth/contract/bounds";
import { formatExact } from "./format";

export type Parsed = { readonly value: number } | { readonly error: string };
export type ParsedOptional = Parsed | { readonly value: null };

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
  const cleaned = withoutGroups(text);
  const value = Number(cleaned);
  const isGood = /^\d+$/.test(cleaned) && value >= min && value <= range.max;
  return isGood ? { value } : { error: `${range.what} is a whole number from ${min} to ${formatExact(range.max)}.` };
}

/** A number above one bound and at most another, or why the text is none. */
export function parseAmount(text: string, range: { what: string; above: number; max: number }): Parsed {
  const cleaned = withoutGroups(text);
  const value = Number(cleaned);
  const isGood = /^\d*\.?\d+$/.test(cleaned) && value > range.above && value <= range.max;
  return isGood ? { value } : { error: `${range.what} is above ${range.above} and at most ${formatExact(range.max)}.` };
}

/** Commas count where they stand between thousands; "1,5" is one and a half to some and is refused, not read as 15. */
function withoutGroups(text: string): string {
  const trimmed = text.trim();
  return /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(trimmed) ? trimmed.replaceAll(",", "") : trimmed;
}

/** A field that may be left empty, which says null. */
export function parseOptional(text: string, parse: (text: string) => Parsed): ParsedOptional {
  return text.trim() === "" ? { value: null } : parse(text);
}

/** Why a text is none of what it should be; null when it is. */
export function errorOf(parsed: ParsedOptional): string | null {
  return "error" in parsed ? parsed.error : null;
}

/** The value of a field that is right; a form is not sent while one of its fields is not. */
export function numberOf<Value extends number | null>(
  parsed: { readonly value: Value } | { readonly error: string },
): Value {
  if ("error" in parsed) throw new Error(parsed.error);
  return parsed.value;
}

/** The weight one step away: a tenth, at least 1, or exactly 1 when fine. */
export function stepWeight(text: string, direction: 1 | -1, isFine: boolean): string {
  const parsed = parseWeight(text);
  if ("error" in parsed) return text;
  const size = isFine ? 1 : Math.max(1, Math.round(parsed.value / 10));
  return String(Math.min(MAX_WEIGHT, Math.max(1, parsed.value + direction * size)));
}
