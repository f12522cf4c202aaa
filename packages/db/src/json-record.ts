/**
 * Between rows and the API's JSON: names change between camelCase and snake_case at the first level, and instants
 * between `Date` and ISO 8601 in UTC. Deeper values are kept in the API's own form, so they pass as they are.
 */
type SnakeName<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeName<Tail>}`
  : Name;
type CamelName<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelName<Tail>>}`
  : Name;
type WithTexts<Value> = Value extends Date ? string : Value;
type InstantName = `${string}_at` | "active_from" | "active_until";
type WithDates<Name, Value> = Name extends InstantName ? (Value extends string ? Date : Value) : Value;

export type JsonRecord<Row> = { [Name in keyof Row as SnakeName<Name & string>]: WithTexts<Row[Name]> };
export type RowRecord<Json> = { [Name in keyof Json as CamelName<Name & string>]: WithDates<Name, Json[Name]> };

/** A row as the API shows it. */
export function toJson<Row extends object>(row: Row): JsonRecord<Row> {
  const entries = Object.entries(row).map(([name, value]) => [
    snakeName(name),
    value instanceof Date ? value.toISOString() : value,
  ]);
  return Object.fromEntries(entries) as JsonRecord<Row>;
}

/** A body of the API as a row; what is left out stays out. */
export function toRow<Json extends object>(json: Json): RowRecord<Json> {
  const entries = Object.entries(json).map(([name, value]) => [
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    typeof value === "string" && /(_at|^active_from|^active_until)$/.test(name) ? new Date(value) : value,
  ]);
  return Object.fromEntries(entries) as RowRecord<Json>;
}

export function snakeName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The fields of `after` that differ from `before`, as both had them; null when none does. */
export function difference(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): { before: Record<string, unknown>; after: Record<string, unknown> } | null {
  const names = Object.keys(after).filter((name) => canonical(before[name]) !== canonical(after[name]));
  if (names.length === 0) return null;
  const pick = (from: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, from[name] ?? null]));
  return { before: pick(before), after: pick(after) };
}

/** JSON with sorted keys, so two equal values have one text. */
export function canonical(value: unknown): string {
  return JSON.stringify(value ?? null, (_, inner: unknown) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
