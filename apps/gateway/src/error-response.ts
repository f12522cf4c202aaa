/**
 * The one place that turns a refusal or a fault into what a client reads: status, headers and body in the caller's
 * dialect. Codes and statuses are a closed table; texts shown to clients are written here or by whoever refuses, never
 * taken from an exception.
 */

export type Protocol = "openai" | "anthropic";

/** Every code a client can meet, with the status it travels under. */
export const STATUS_BY_CODE = {
  invalid_request: 400,
  invalid_api_key: 401,
  key_disabled: 403,
  tenant_inactive: 403,
  outside_schedule: 403,
  model_disabled: 403,
  model_not_allowed: 403,
  term_budget_exhausted: 403,
  model_not_found: 404,
  unknown_endpoint: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  body_too_large: 413,
  unsupported_encoding: 415,
  expectation_failed: 417,
  token_budget_exceeded: 429,
  headers_too_large: 431,
  internal_error: 500,
  upstream_failed: 502,
  admission_timeout: 503,
  shutting_down: 503,
  no_servers: 503,
  budget_unavailable: 503,
  policy_unavailable: 503,
  upstream_timeout: 504,
} as const;

export type RefusalCode = keyof typeof STATUS_BY_CODE;

/** Why a request is not answered with a model's answer. `message` says what to do and holds no secret. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  /** The request field at fault, for 400. */
  readonly param?: string;
  /** Whole seconds, from 1. */
  readonly retryAfterSecs?: number;
  /** For 405: the methods that exist. */
  readonly allow?: string;
}

export interface ErrorResponse {
  readonly status: number;
  /** Flat list of names and values, ready for `writeHead`. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** Seconds a client told to come back later should wait when nothing better is known. */
export const RETRY_LATER_SECS = 5;

/** What a fault of ours looks like from outside: always the same words; the log has the rest under the request id. */
export const INTERNAL_ERROR: Refusal = {
  code: "internal_error",
  message: "The gateway failed to handle this request. Quote the request id to whoever runs the gateway.",
};

const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
  504: "timeout_error",
};

/** The Anthropic error type for a status; `api_error` for those that have no name of their own. */
export function anthropicErrorType(status: number): string {
  return ANTHROPIC_TYPES[status] ?? "api_error";
}

export function statusOf(refusal: Refusal): number {
  return STATUS_BY_CODE[refusal.code];
}

/** The complete answer for a refusal. */
export function errorResponse(refusal: Refusal, protocol: Protocol, requestId: string): ErrorResponse {
  const status = statusOf(refusal);
  const body = Buffer.from(JSON.stringify(errorEnvelope(refusal, protocol, requestId)));
  const headers = ["content-type", "application/json", "content-length", String(body.length)];
  if (refusal.retryAfterSecs !== undefined) headers.push("retry-after", String(refusal.retryAfterSecs));
  if (refusal.allow !== undefined) headers.push("allow", refusal.allow);
  return { status, headers, body };
}

/** The same as one event of a stream whose head has gone out already, with the dialect's end marker. */
export function errorEvent(refusal: Refusal, protocol: Protocol, requestId: string): Buffer {
  const data = JSON.stringify(errorEnvelope(refusal, protocol, requestId));
  return Buffer.from(
    protocol === "anthropic" ? `event: error\ndata: ${data}\n\n` : `data: ${data}\n\ndata: [DONE]\n\n`,
  );
}

/** Wraps a message that came from a backend in the Anthropic envelope, keeping its status. */
export function anthropicErrorBody(status: number, message: string, requestId: string): Buffer {
  return Buffer.from(
    JSON.stringify({ type: "error", error: { type: anthropicErrorType(status), message }, request_id: requestId }),
  );
}

/**
 * The answer to bytes that are not HTTP, written straight to the socket because no response object exists. `parserCode`
 * is Node's code for what was wrong.
 */
export function malformedHttpResponse(parserCode: string | undefined, requestId: string): string {
  const refusal = malformedHttpRefusal(parserCode);
  const status = statusOf(refusal);
  const body = JSON.stringify(errorEnvelope(refusal, "openai", requestId));
  const reason = { 400: "Bad Request", 408: "Request Timeout", 431: "Request Header Fields Too Large" }[status] ?? "";
  return (
    `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json\r\nx-obleth-request-id: ${requestId}\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
  );
}

function malformedHttpRefusal(parserCode: string | undefined): Refusal {
  if (parserCode === "HPE_HEADER_OVERFLOW") {
    return { code: "headers_too_large", message: "The request's headers are too large. Send fewer or shorter ones." };
  }
  if (parserCode === "ERR_HTTP_REQUEST_TIMEOUT") {
    return { code: "request_timeout", message: "The request took too long to arrive. Send it again." };
  }
  return { code: "invalid_request", message: "The bytes received are not one well-formed HTTP/1.1 request." };
}

function errorEnvelope(refusal: Refusal, protocol: Protocol, requestId: string): unknown {
  if (protocol === "anthropic") {
    const type = anthropicErrorType(statusOf(refusal));
    return { type: "error", error: { type, message: refusal.message, code: refusal.code }, request_id: requestId };
  }
  const { message, code, param } = refusal;
  return { error: { message, type: "obleth_gateway_error", code, param: param ?? null } };
}
