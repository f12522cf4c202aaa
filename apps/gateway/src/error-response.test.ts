/** Every refusal as the official clients read it: its class, its words, and whether it is worth another try. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as AnthropicClient from "@anthropic-ai/sdk";
import Anthropic, { APIError as AnthropicError } from "@anthropic-ai/sdk";
import OpenAI, { APIError as OpenAIError } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorResponse, type Protocol, type RefusalCode } from "./error-response";

/** Code, status, Anthropic's type for it, the clients' class, and how often a client that tries twice sends it. */
const ROWS: [RefusalCode, number, string, string, number][] = [
  ["invalid_request", 400, "invalid_request_error", "BadRequestError", 1],
  ["invalid_api_key", 401, "authentication_error", "AuthenticationError", 1],
  ["key_disabled", 403, "permission_error", "PermissionDeniedError", 1],
  ["tenant_inactive", 403, "permission_error", "PermissionDeniedError", 1],
  ["outside_schedule", 403, "permission_error", "PermissionDeniedError", 1],
  ["model_disabled", 403, "permission_error", "PermissionDeniedError", 1],
  ["model_not_allowed", 403, "permission_error", "PermissionDeniedError", 1],
  ["term_budget_exhausted", 403, "permission_error", "PermissionDeniedError", 1],
  ["model_not_found", 404, "not_found_error", "NotFoundError", 1],
  ["unknown_endpoint", 404, "not_found_error", "NotFoundError", 1],
  ["method_not_allowed", 405, "api_error", "APIError", 1],
  ["body_too_large", 413, "request_too_large", "APIError", 1],
  ["unsupported_encoding", 415, "api_error", "APIError", 1],
  ["expectation_failed", 417, "api_error", "APIError", 1],
  ["token_budget_exceeded", 429, "rate_limit_error", "RateLimitError", 2],
  ["internal_error", 500, "api_error", "InternalServerError", 2],
  ["upstream_failed", 502, "api_error", "InternalServerError", 2],
  ["admission_timeout", 503, "overloaded_error", "InternalServerError", 2],
  ["shutting_down", 503, "overloaded_error", "InternalServerError", 2],
  ["no_servers", 503, "overloaded_error", "InternalServerError", 2],
  ["budget_unavailable", 503, "overloaded_error", "InternalServerError", 2],
  ["upstream_timeout", 504, "timeout_error", "InternalServerError", 2],
];

/** Finer classes that newer Anthropic clients have. */
const FINER_CLASSES: Readonly<Record<number, string>> = {
  413: "ContentTooLargeError",
  503: "ServiceUnavailableError",
  504: "GatewayTimeoutError",
};

function anthropicClass(status: number, className: string): string {
  const finer = FINER_CLASSES[status];
  return finer !== undefined && finer in AnthropicClient ? finer : className;
}

const seen = new Map<string, number>();
/** Refuses every request with the code that its path begins with. */
const server = createServer((req, res) => {
  const [, code = "", version] = (req.url ?? "").split("/");
  const protocol: Protocol = req.url?.endsWith("/messages") === true ? "anthropic" : "openai";
  seen.set(`${protocol} ${code}`, (seen.get(`${protocol} ${code}`) ?? 0) + 1);
  const answer = errorResponse({ code: code as RefusalCode, message: `words for ${version}` }, protocol, "r-1");
  res.writeHead(answer.status, [...answer.headers, "retry-after-ms", "1"]).end(answer.body);
});

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const base = (code: string): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${code}`;
const thrown = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (error: unknown) => error,
  );

describe.each(ROWS)("%s", (code, status, type, className, tries) => {
  it("is what the openai client takes it for", async () => {
    const client = new OpenAI({ baseURL: `${base(code)}/v1`, apiKey: "k", maxRetries: 1 });
    const error = await thrown(client.chat.completions.create({ model: "m", messages: [] }));
    expect(error).toBeInstanceOf(OpenAIError);
    expect(error).toMatchObject({ status, code, type: "obleth_gateway_error", param: null });
    expect((error as OpenAIError).constructor.name).toBe(className);
    expect((error as OpenAIError).error).toMatchObject({ message: "words for v1" });
    expect(seen.get(`openai ${code}`)).toBe(tries);
  });

  it("is what the Anthropic client takes it for", async () => {
    const client = new Anthropic({ baseURL: base(code), apiKey: "k", maxRetries: 1 });
    const error = await thrown(client.messages.create({ model: "m", max_tokens: 1, messages: [] }));
    expect(error).toBeInstanceOf(AnthropicError);
    expect((error as AnthropicError).constructor.name).toBe(anthropicClass(status, className));
    expect(error).toMatchObject({
      status,
      error: { type: "error", error: { type, message: "words for v1", code }, request_id: "r-1" },
    });
    expect(seen.get(`anthropic ${code}`)).toBe(tries);
  });
});
