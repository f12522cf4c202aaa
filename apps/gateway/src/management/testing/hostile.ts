/** Values nobody should send, and plain ones made from a JSON schema; for tests that drive routes by their document. */

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly $ref?: string;
  readonly default?: unknown;
}

export type { Schema };

export const HOSTILE_VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER + 1,
  9e18,
  "",
  " ",
  "0",
  "-1",
  "NaN",
  "__proto__",
  "constructor",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\u202Eevil",
  "'; drop table tenants; --",
  "../../etc/passwd",
  "=cmd|'/c calc'!A0",
  "9".repeat(400),
  "x".repeat(100_000),
  [],
  [null],
  [[[[]]]],
  {},
  { a: 1 },
  JSON.parse('{"__proto__": 1, "constructor": {"prototype": 1}}'),
];

export const HOSTILE_SEGMENTS = [
  "__proto__",
  "constructor",
  "..",
  "%2e%2e",
  "%2F",
  "%00",
  "%ff%fe",
  "%",
  "0",
  "-1",
  "1e9",
  "99999999999999999999",
  "11111111-1111-4111-8111-111111111111",
  "'; drop table tenants; --",
  "x".repeat(5000),
  "(unrouted)",
  "%F0%9F%91%A9",
];

/** A value that the schema ought to take. `optional` fills in fields that may be left out, too. */
export function sampleOf(schema: Schema, resolve: (ref: string) => Schema, optional: boolean): unknown {
  if (schema.$ref !== undefined) return sampleOf(resolve(schema.$ref), resolve, optional);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const choice = schema.anyOf?.[0] ?? schema.oneOf?.[0] ?? schema.allOf?.[0];
  if (choice !== undefined) return sampleOf(choice, resolve, optional);
  const type = typeof schema.type === "object" ? schema.type[0] : schema.type;
  switch (type) {
    case "integer":
    case "number":
      return Math.max(schema.minimum ?? 1, (schema.exclusiveMinimum ?? 0) + 1);
    case "boolean":
      return false;
    case "array":
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(schema.items ?? {}, resolve, optional));
    case "object": {
      const names = Object.keys(schema.properties ?? {}).filter(
        (name) => optional || (schema.required ?? []).includes(name),
      );
      return Object.fromEntries(
        names.map((name) => [name, sampleOf(schema.properties?.[name] ?? {}, resolve, optional)]),
      );
    }
    case "string":
      return sampleText(schema);
    default:
      return "x";
  }
}

function sampleText(schema: Schema): string {
  if (schema.format === "uuid") return "11111111-1111-4111-8111-111111111111";
  if (schema.format === "date-time") return "2026-11-30T10:00:00Z";
  if (schema.format === "email") return "someone@example.org";
  return "sample".padEnd(schema.minLength ?? 0, "x");
}
