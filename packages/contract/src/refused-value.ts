/** Why a value is refused, in words that say what is allowed: the same at the API, on the command line and in previews. */
import { z } from "zod";

/** What a member of the refused value is called. */
export type Part = "field" | "parameter";

export interface RefusedValue {
  /** Path of the first offending member, with dots; "" when it is the value itself. */
  readonly field: string;
  /** Reads on from the field's name, without a full stop. */
  readonly rule: string;
}

/** The first problem of a failed parse. Numbers and texts out of range are told the whole range. */
export function refusedValue(
  error: z.ZodError,
  checked: { readonly schema: z.ZodType; readonly value: unknown; readonly part: Part },
): RefusedValue {
  const issue = error.issues[0];
  if (issue === undefined) return { field: "", rule: "is not valid" };
  if (issue.code === "unrecognized_keys") {
    const field = [...issue.path, ...issue.keys.slice(0, 1)].map(String).join(".");
    return { field, rule: `is not a known ${checked.part}` };
  }
  const field = issue.path.map(String).join(".");
  const rule = rangeAt(checked.schema, issue) ?? ruleOf(issue);
  const isMissing = issue.code === "invalid_type" && field !== "" && valueAt(checked.value, issue.path) === undefined;
  return { field, rule: isMissing ? `is missing; it ${rule}` : rule };
}

/** The whole range where a number or a text's length is out of it; undefined when the schema has no such thing there. */
function rangeAt(schema: z.ZodType, issue: z.core.$ZodIssue): string | undefined {
  const isNumber = issue.code === "invalid_type" && ["int", "number"].includes(issue.expected);
  const isSize =
    (issue.code === "too_small" || issue.code === "too_big") && ["number", "int", "string"].includes(issue.origin);
  const found = isNumber || isSize ? schemaAt(schema, issue.path) : undefined;
  if (found === undefined) return undefined;
  const { type, minimum, maximum, exclusiveMinimum, minLength, maxLength } = z.toJSONSchema(unwrapped(found), {
    io: "input",
    unrepresentable: "any",
  });
  const orNull = found.safeParse(null).success ? ", or null" : "";
  if (type === "string" && minLength !== undefined && maxLength !== undefined) {
    return `must have ${numeral(minLength)} to ${numeral(maxLength)} characters${orNull}`;
  }
  const isAbove = typeof exclusiveMinimum === "number";
  const low = isAbove ? exclusiveMinimum : minimum;
  if ((type !== "integer" && type !== "number") || low === undefined || maximum === undefined) return undefined;
  const kind = type === "integer" ? "a whole number" : "a number";
  const from = isAbove ? "above" : "from";
  const to = isAbove ? "and at most" : "to";
  return `must be ${kind} ${from} ${numeral(low)} ${to} ${numeral(maximum)}${orNull}`;
}

function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  let at: z.ZodType = schema;
  for (const name of path) {
    const inner: z.ZodType = unwrapped(at);
    let next: unknown;
    if (inner instanceof z.ZodObject && Object.hasOwn(inner.shape, name)) next = inner.shape[String(name)];
    else if (inner instanceof z.ZodArray) next = inner.element;
    if (!(next instanceof z.ZodType)) return undefined;
    at = next;
  }
  return at;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<PropertyKey, unknown>)[name];
  }
  return at;
}

/** A bound as it is: by itself the formatter would cut a small one to 0. */
const numeral = (bound: number) => bound.toLocaleString("en-US", { maximumSignificantDigits: 16 });

/** The schema inside what makes it optional, nullable or gives it a default. */
export function unwrapped(schema: z.ZodType): z.ZodType {
  let inner: unknown = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodNullable) {
    inner = inner.unwrap();
  }
  return inner instanceof z.ZodType ? inner : schema;
}

function ruleOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${TYPE_WORDS[issue.expected] ?? issue.expected}`;
    case "too_small":
      return `must ${sizeWords(issue.origin, issue.inclusive === false ? "be above" : "be at least", issue.minimum)}`;
    case "too_big":
      return `must ${sizeWords(issue.origin, issue.inclusive === false ? "be below" : "be at most", issue.maximum)}`;
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "invalid_format":
      return FORMAT_WORDS[issue.format] ?? mustWords(issue.message);
    case "invalid_union":
      return [...new Set(issue.errors.flatMap(([first]) => (first === undefined ? [] : [ruleOf(first)])))].join(" or ");
    default:
      return mustWords(issue.message);
  }
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  int: "a whole number",
  number: "a number",
  string: "text",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};
const FORMAT_WORDS: Readonly<Record<string, string>> = {
  uuid: "must be an id (a UUID)",
  email: "must be an email address",
  safeint: "must be a whole number",
};

function sizeWords(origin: string, relation: string, bound: number | bigint): string {
  const limit = numeral(Number(bound));
  if (origin === "string") return `${relation.replace("be", "have")} ${limit} characters`;
  if (origin === "array" || origin === "set") return `${relation.replace("be", "have")} ${limit} entries`;
  return `${relation} ${limit}`;
}

/** Our own messages read on from the field's name; a library's is not passed on. */
function mustWords(message: string): string {
  return /^(must|is|give|needs)\b/.test(message) ? message : "is not valid";
}
