import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { BODY_EXAMPLES } from "./examples";
import { FIELD_WORDS } from "./field-words";
import {
  groupCreate,
  groupWeights,
  isoTime,
  modelCreate,
  objectName,
  paths,
  type RouteId,
  type RouteSpec,
  routes,
  tenantCreate,
} from "./index";
import { openApiDocument } from "./openapi";

describe("the contract", () => {
  it("gives every path parameter a schema, and names no parameter twice", () => {
    for (const id of Object.keys(paths) as RouteId[]) {
      const named = [...paths[id].path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const spec: RouteSpec = routes[id];
      expect(Object.keys(spec.params?.shape ?? {}).sort(), id).toEqual(named.sort());
    }
  });

  it("has every route in the OpenAPI document, with patterns that compile", () => {
    const document = openApiDocument({ version: "1" });
    const ids = Object.values(document.paths ?? {}).flatMap((item) =>
      Object.values(item as Record<string, { operationId?: string }>).map((operation) => operation.operationId),
    );
    expect(ids.sort()).toEqual(Object.keys(paths).sort());
    for (const match of JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)) {
      expect(() => new RegExp(JSON.parse(match[1] ?? '""') as string, "u")).not.toThrow();
    }
  });

  it("writes an explanation's times in any zone a browser can have, and refuses what is none", () => {
    const { query } = routes.explainFairshare;
    for (const time_zone of ["UTC", "Asia/Kathmandu", "America/St_Johns", undefined]) {
      expect(query.safeParse({ pool: "llama", time_zone }).success, time_zone).toBe(true);
    }
    for (const time_zone of ["", "Mars/Olympus", "<script>"]) {
      expect(query.safeParse({ pool: "llama", time_zone }).success, time_zone).toBe(false);
    }
  });

  it("describes every field and parameter in the document, and no word is of a field that is gone", () => {
    const bare: string[] = [];
    const said = new Set<unknown>();
    const visit = (value: unknown, place: string): void => {
      if (typeof value !== "object" || value === null) return;
      const { properties, parameters } = value as Record<string, unknown>;
      const named = [
        ...Object.entries((properties ?? {}) as Record<string, { description?: string }>),
        ...(Array.isArray(parameters) ? (parameters as { name: string; description?: string }[]) : []).map(
          (one) => [one.name, one] as const,
        ),
      ];
      for (const [name, { description = "" }] of named) {
        said.add(description);
        if (description === "") bare.push(`${place}.${name}`);
      }
      for (const [name, inner] of Object.entries(value)) if (name !== "example") visit(inner, `${place}.${name}`);
    };
    visit(openApiDocument({ version: "1" }), "");
    expect(bare).toEqual([]);
    expect(Object.entries(FIELD_WORDS).filter(([, words]) => !said.has(words))).toEqual([]);
  });

  it("shows for every body one that it takes", () => {
    for (const [id, spec] of Object.entries(routes) as [RouteId, RouteSpec][]) {
      const refused = spec.body?.safeParse(BODY_EXAMPLES[id]).error?.issues;
      expect(refused, id).toBeUndefined();
      expect(BODY_EXAMPLES[id] !== undefined, id).toBe(spec.body !== undefined);
    }
  });

  it("is what docs/openapi.json says", () => {
    const text = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
    const { version } = JSON.parse(text("package.json")) as { version: string };
    expect(text("docs/openapi.json")).toBe(`${JSON.stringify(openApiDocument({ version }), null, 1)}\n`);
  });

  it.each([0, -1, 1.5, 1_000_001, "5", null, Number.NaN])("refuses weight %s instead of clamping it", (weight) => {
    expect(groupCreate.safeParse({ name: "a", weight }).success).toBe(false);
  });

  it("states bounds that JSON carries exactly for every whole number it takes, and no limit of slots may be 0", () => {
    const boundless: string[] = [];
    const zero: string[] = [];
    let seen = 0;
    for (const { place, name, schema } of numbersOfRequests()) {
      seen++;
      const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
      if (!(maximum <= Number.MAX_SAFE_INTEGER && minimum >= Number.MIN_SAFE_INTEGER)) boundless.push(place);
      if (name.endsWith("max_in_flight") && minimum < 1) zero.push(place);
    }
    expect(seen).toBeGreaterThan(50);
    expect({ boundless, zero }).toEqual({ boundless: [], zero: [] });
  });

  it("refuses unknown fields, `__proto__` included", () => {
    expect(tenantCreate.safeParse({ name: "a", wieght: 5 }).success).toBe(false);
    expect(groupCreate.safeParse(JSON.parse('{"name":"a","__proto__":{"weight":5}}')).success).toBe(false);
  });

  it.each(["__proto__", "constructor", "0", "-1", "日本", "a/b", "שלום", "👩‍🚀"])("takes %s as a name", (name) => {
    expect(objectName.safeParse(name).success).toBe(true);
  });

  it.each(["", " a", "a ", ".", "..", "a\u0000b", "a\nb", "\ud800", "x".repeat(201)])(
    "refuses %j as a name",
    (name) => {
      expect(objectName.safeParse(name).success).toBe(false);
    },
  );

  it.each(["2026-11-30T09:00:00", "2026-11-30", "09:00", "0000-01-01T00:00:00Z", "9999-12-31T00:00:00Z", ""])(
    "refuses %j as a time: no zone, or a year that cannot be kept",
    (text) => {
      expect(isoTime.safeParse(text).success).toBe(false);
    },
  );

  it.each(["\u200b", "\u2066\u2069", "\u0301", "\u{e0020}", "\u3000"])(
    "refuses %j as a name: nothing of it shows",
    (name) => {
      expect(objectName.safeParse(name).success).toBe(false);
    },
  );

  it.each(["a\u200db", "\u202eb", "\u{1f4a5}", "-", "\u5b57", "e\u0301"])("takes %j as a name", (name) => {
    expect(objectName.safeParse(name).success).toBe(true);
  });

  it("takes a time with an offset", () => {
    expect(isoTime.safeParse("2026-11-30T09:00:00+05:45").success).toBe(true);
  });

  it("keeps a group called `__proto__` in a map of weights and checks its value", () => {
    const good = groupWeights.parse(JSON.parse('{"weights":{"__proto__":7,"a":1}}'));
    expect(Object.entries(good.weights)).toEqual([
      ["__proto__", 7],
      ["a", 1],
    ]);
    const bad = groupWeights.safeParse(JSON.parse('{"weights":{"__proto__":0}}'));
    expect(bad.error?.issues[0]?.path).toEqual(["weights", "__proto__"]);
  });

  it("takes endpoints or the shorthand for one, not both", () => {
    const base = { name: "m", api_base: "http://h/v1" };
    expect(modelCreate.safeParse(base).success).toBe(true);
    expect(modelCreate.safeParse({ ...base, endpoints: [] }).success).toBe(false);
    expect(modelCreate.safeParse({ name: "m", api_key: "k" }).success).toBe(false);
  });
});

interface NumberSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, NumberSchema>>;
  readonly items?: NumberSchema;
  readonly additionalProperties?: NumberSchema | boolean;
  readonly anyOf?: readonly NumberSchema[];
  readonly oneOf?: readonly NumberSchema[];
  readonly allOf?: readonly NumberSchema[];
}

interface RequestNumber {
  readonly place: string;
  readonly name: string;
  readonly schema: NumberSchema;
}

/** Every whole number of a body or parameter in the document. */
function numbersOfRequests(): RequestNumber[] {
  const document = openApiDocument({ version: "1" });
  const found: RequestNumber[] = [];
  const visit = (schema: NumberSchema, place: string, name: string): void => {
    if ([schema.type].flat().includes("integer")) found.push({ place, name, schema });
    const { $ref, properties = {}, items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema;
    const named = document.components?.schemas?.[$ref?.split("/").at(-1) ?? ""];
    if (named !== undefined) visit(named as NumberSchema, place, name);
    for (const [field, inner] of Object.entries(properties)) visit(inner, `${place}.${field}`, field);
    for (const inner of [items, additionalProperties, ...anyOf, ...oneOf, ...allOf]) {
      if (typeof inner === "object") visit(inner, place, name);
    }
  };
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const [method, operation] of Object.entries(item as Record<string, RequestOperation>)) {
      const body = operation.requestBody?.content["application/json"]?.schema;
      if (body !== undefined) visit(body, `${method} ${path} `, "");
      for (const { name, schema } of operation.parameters ?? []) visit(schema, `${method} ${path} ?${name}`, name);
    }
  }
  return found;
}

interface RequestOperation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: NumberSchema }>> };
  readonly parameters?: readonly { readonly name: string; readonly schema: NumberSchema }[];
}
