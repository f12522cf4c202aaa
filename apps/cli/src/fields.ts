/**
 * `name=value` on the command line, read by the contract's own schemas: JSON where the field takes it, text otherwise,
 * so `weight=50` is a number and a tenant named 50 is still text.
 */
import { refusedValue } from "@obleth/contract";
import type { z } from "zod";
import { usageError } from "./failure";

export type Fields = Readonly<Record<string, z.ZodType>>;

/** Splits at the first `=`. */
export function splitAssignment(text: string, option: string): readonly [name: string, value: string] {
  const at = text.indexOf("=");
  if (at < 1) throw usageError(`${option} takes name=value, not "${text}".`);
  return [text.slice(0, at).trim(), text.slice(at + 1)];
}

/** Reads every `name=value`; later ones win. Unknown names are refused with the list of known ones. */
export function readAssignments(
  texts: readonly string[],
  about: { readonly fields: Fields; readonly option: string },
): Record<string, unknown> {
  const values = new Map<string, unknown>();
  for (const text of texts) {
    const [name, value] = splitAssignment(text, about.option);
    if (!Object.hasOwn(about.fields, name)) {
      const known = Object.keys(about.fields).join(", ");
      throw usageError(`There is no field ${name} here.`, `Fields: ${known}.`);
    }
    values.set(name, readValue(name, value, about.fields));
  }
  return Object.fromEntries(values);
}

/** The JSON value when the field accepts it or nothing else would do, else the text itself. */
function readValue(name: string, text: string, fields: Fields): unknown {
  const schema = fields[name];
  if (schema === undefined) return text;
  const parsed = parseJson(text);
  if (parsed !== undefined && schema.safeParse(parsed).success) return parsed;
  const asText = schema.safeParse(text);
  if (asText.success) return text;
  const value = parsed === undefined ? text : parsed;
  const verdict = parsed === undefined ? asText : schema.safeParse(parsed);
  if (verdict.success) return value;
  const { field, rule } = refusedValue(verdict.error, { schema, value, part: "field" });
  throw usageError(`${field === "" ? name : `${name}.${field}`} ${rule} (given ${text}).`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of "90s", "30m", "2h", "1d". */
export function readDuration(text: string, option: string): number {
  const [, amount = "", unit = ""] = /^(\d+(?:\.\d+)?)\s*(s|m|min|h|d)$/.exec(text.trim()) ?? [];
  const ms = Number(amount) * (UNIT_MS[unit] ?? Number.NaN);
  if (amount === "" || !(ms > 0)) throw usageError(`${option} takes a time such as 90s, 30m or 2h, not "${text}".`);
  return ms;
}
