/** The route table as an OpenAPI 3.1 document. */
import {
  extendZodWithOpenApi,
  OpenAPIRegistry,
  OpenApiGeneratorV31,
  type RouteConfig,
} from "@asteasolutions/zod-to-openapi";
import { z } from "zod";
import { ERROR_STATUS, type ErrorCode, errorEnvelope } from "./error";
import { BODY_EXAMPLES } from "./examples";
import { dryRunAnswer } from "./fairshare-preview";
import { FIELD_WORDS } from "./field-words";
import { API_BASE, paths, type RouteId } from "./paths";
import type { RouteSpec } from "./route-spec";
import { routes, takesIfMatch } from "./routes";

export { BODY_EXAMPLES };

extendZodWithOpenApi(z);

export type OpenApiDocument = ReturnType<OpenApiGeneratorV31["generateDocument"]>;

/** The same document for the same contract and version, key for key. */
export function openApiDocument(info: { version: string }): OpenApiDocument {
  const registry = new OpenAPIRegistry();
  registry.registerComponent("securitySchemes", "bearer", { type: "http", scheme: "bearer" });
  for (const id of Object.keys(routes) as RouteId[]) registry.registerPath(operation(id, routes[id]));
  const document = new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: "3.1.0",
    info: {
      title: "obleth management API",
      version: info.version,
      description:
        "Configure groups, tenants, keys and models, and see who holds the slots. Every change is audited and applies to the next admission on every gateway within a second. Unknown fields are refused; `?dry_run=true` on a change checks it and writes nothing.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: API_BASE }],
    security: [{ bearer: [] }],
  });
  return withFieldWords(withoutRegexFlags(document));
}

/** Gives every field and parameter without a description of its own the one of its name. Changes the document. */
function withFieldWords(document: OpenApiDocument): OpenApiDocument {
  const wordsFor = (container: string, name: string) => FIELD_WORDS[`${container}.${name}`] ?? FIELD_WORDS[name];
  const describe = (schema: SchemaJson, container: string): void => {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      const words = wordsFor(container, name);
      if (field.description === undefined && words !== undefined) field.description = words;
      describe(field, name);
    }
    const { items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema;
    const inner = [items, additionalProperties, ...anyOf, ...oneOf, ...allOf];
    for (const part of inner) if (typeof part === "object") describe(part, container);
  };
  for (const [id, schema] of Object.entries(document.components?.schemas ?? {})) describe(schema as SchemaJson, id);
  for (const operation of Object.values(document.paths ?? {}).flatMap(
    (item) => Object.values(item) as OperationJson[],
  )) {
    for (const parameter of operation.parameters ?? []) {
      const words = wordsFor(operation.operationId, parameter.name);
      parameter.description ??= parameter.schema?.description ?? words ?? "";
    }
    for (const content of [operation.requestBody, ...Object.values(operation.responses)].map((part) => part?.content)) {
      for (const { schema } of Object.values(content ?? {})) describe(schema, operation.operationId);
    }
  }
  return document;
}

interface SchemaJson {
  description?: string;
  readonly properties?: Readonly<Record<string, SchemaJson>>;
  readonly items?: SchemaJson;
  readonly additionalProperties?: SchemaJson | boolean;
  readonly anyOf?: readonly SchemaJson[];
  readonly oneOf?: readonly SchemaJson[];
  readonly allOf?: readonly SchemaJson[];
}

interface OperationJson {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; description?: string; readonly schema?: SchemaJson }[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema: SchemaJson }>> };
  readonly responses: Readonly<Record<string, OperationJson["requestBody"]>>;
}

/** The generator leaves a regular expression's closing slash and flags in `pattern`; JSON Schema has neither. */
function withoutRegexFlags(document: OpenApiDocument): OpenApiDocument {
  const text = JSON.stringify(document, (name, value: unknown) =>
    name === "pattern" && typeof value === "string" ? value.replace(/\/[a-z]+$/, "") : value,
  );
  return JSON.parse(text) as OpenApiDocument;
}

const STATUS_TEXT: Record<number, string> = {
  400: "Refused: names the field and says what is allowed",
  401: "Not signed in",
  403: "Needs the admin role",
  404: "Not found",
  409: "Conflicts with what is there",
  412: "Changed since it was read",
  413: "The body is too large",
  415: "The body is not JSON in UTF-8",
  429: "Too many attempts",
  502: "The upstream did not answer",
  503: "The database cannot be asked; try again",
};

function operation(id: RouteId, spec: RouteSpec): RouteConfig {
  const { method, path } = paths[id];
  const headers: Record<string, z.ZodType> = {};
  if (id === "getFairshareLive") headers["if-none-match"] = z.string().optional();
  if (takesIfMatch(id)) headers["if-match"] = z.string().optional();
  if (id === "createKey") headers["idempotency-key"] = z.string().min(1).max(200).optional();

  const request: NonNullable<RouteConfig["request"]> = {};
  if (spec.params !== undefined) request.params = spec.params;
  if (spec.query !== undefined) request.query = spec.query;
  if (Object.keys(headers).length > 0) request.headers = z.object(headers);
  if (spec.body !== undefined)
    request.body = {
      required: true,
      content: { "application/json": { schema: spec.body, example: BODY_EXAMPLES[id] } },
    };

  return {
    operationId: id,
    method: method.toLowerCase() as "get",
    path,
    tags: [spec.tag],
    summary: spec.summary,
    description: spec.role === "public" ? "Needs no credentials." : `Needs: ${ROLE_TEXT[spec.role]}.`,
    ...(spec.role === "public" ? { security: [] } : {}),
    request,
    responses: responsesOf(spec),
  };
}

const ROLE_TEXT = { session: "a session", viewer: "any role", admin: "the admin role" } as const;

function responsesOf(spec: RouteSpec): RouteConfig["responses"] {
  const responses: RouteConfig["responses"] = {};
  if (spec.response !== undefined) {
    responses[spec.status] = { description: "Done", content: { "application/json": { schema: spec.response } } };
  } else if (spec.contentType !== undefined) {
    responses[spec.status] = { description: "Done", content: { [spec.contentType]: { schema: z.string() } } };
  } else {
    responses[spec.status] = { description: "Done" };
  }
  if (spec.dryRun === true && spec.status !== 200) {
    responses[200] = { description: "With dry_run", content: { "application/json": { schema: dryRunAnswer } } };
  }
  for (const [status, codes] of refusalsOf(spec)) {
    const named = codes.map((code) => `\`${code}\``).join(", ");
    const example = {
      error: { message: STATUS_TEXT[status], type: "obleth_management_error", code: codes[0], request_id: REQUEST_ID },
    };
    responses[status] = {
      description: `${STATUS_TEXT[status] ?? "Refused"}: ${named}`,
      content: { "application/json": { schema: errorEnvelope, example } },
    };
  }
  return responses;
}

const REQUEST_ID = "25cdf748-5383-4dfb-a3ed-c51e3a3ec177";

/** Codes by status, ascending. */
function refusalsOf(spec: RouteSpec): [status: number, codes: ErrorCode[]][] {
  // A parameter that a route does not know is refused by every one.
  const codes: ErrorCode[] = [...spec.errors, "invalid_request"];
  if (spec.body !== undefined) codes.push("invalid_json", "unsupported_media_type", "body_too_large");
  if (spec.role !== "public") codes.push("unauthorized", "unavailable");
  if (spec.role === "admin") codes.push("forbidden");
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    byStatus.set(ERROR_STATUS[code], [...(byStatus.get(ERROR_STATUS[code]) ?? []), code]);
  }
  return [...byStatus].sort(([one], [other]) => one - other);
}
