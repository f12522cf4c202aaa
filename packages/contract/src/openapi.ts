/** The route table as an OpenAPI 3.1 document. */
import {
  extendZodWithOpenApi,
  OpenAPIRegistry,
  OpenApiGeneratorV31,
  type RouteConfig,
} from "@asteasolutions/zod-to-openapi";
import { z } from "zod";
import { ERROR_STATUS, type ErrorCode, errorEnvelope } from "./error";
import { dryRunAnswer } from "./fairshare-preview";
import { API_BASE, paths, type RouteId } from "./paths";
import { type RouteSpec, routes, takesIfMatch } from "./routes";

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
  return withoutRegexFlags(document);
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
  429: "Too many attempts",
  502: "The upstream did not answer",
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
    request.body = { required: true, content: { "application/json": { schema: spec.body } } };

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
  for (const status of statusesOf(spec)) {
    responses[status] = {
      description: STATUS_TEXT[status] ?? "Refused",
      content: { "application/json": { schema: errorEnvelope } },
    };
  }
  return responses;
}

function statusesOf(spec: RouteSpec): number[] {
  const codes: ErrorCode[] = [...spec.errors];
  if (spec.params !== undefined || spec.query !== undefined || spec.body !== undefined) codes.push("invalid_request");
  if (spec.role !== "public") codes.push("unauthorized");
  if (spec.role === "admin") codes.push("forbidden");
  return [...new Set(codes.map((code) => ERROR_STATUS[code]))].sort((a, b) => a - b);
}
