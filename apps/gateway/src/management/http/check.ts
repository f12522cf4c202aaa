/** Turns path, query and body into what the contract's schemas accept, or into a refusal that names the field. */
import { type Part, refusedValue, unwrapped } from "@obleth/contract";
import { z } from "zod";
import { Fault } from "./fault";

/** The value as the schema has it; `part` is what one of its members is called. */
export function check(schema: z.ZodType, value: unknown, part: Part = "field"): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { field, rule } = refusedValue(parsed.error, { schema, value, part });
  const what = field === "" ? "The body" : field;
  throw new Fault("invalid_request", `${what} ${rule}.`, field === "" ? {} : { field });
}

/** Text values of a query string as the types that the schema's fields have; anything odd is left for the schema. */
export function readQuery(schema: z.ZodObject | undefined, search: URLSearchParams): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  const seen = new Set<string>();
  for (const [name, text] of search) {
    if (seen.has(name)) throw new Fault("invalid_request", `${name} is given more than once.`, { field: name });
    seen.add(name);
    entries.push([name, typed(schema, name, text)]);
  }
  return Object.fromEntries(entries);
}

function typed(schema: z.ZodObject | undefined, name: string, text: string): unknown {
  const field = schema !== undefined && Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
  const base = field instanceof z.ZodType ? unwrapped(field) : undefined;
  if (base instanceof z.ZodNumber && /^-?\d{1,20}(\.\d{1,20})?$/.test(text)) return Number(text);
  // A flag without a value, `?dry_run`, is a flag that is set.
  if (base instanceof z.ZodBoolean && (text === "" || text === "true" || text === "1")) return true;
  if (base instanceof z.ZodBoolean && (text === "false" || text === "0")) return false;
  return text;
}
