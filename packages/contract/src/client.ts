/**
 * A typed client over the path table. It imports schemas as types only, so a browser bundle carries no validator.
 * Answers are trusted to be what the contract says; the server's tests check that they are.
 */
import type { z } from "zod";
import type { ErrorCode, ErrorEnvelope } from "./error";
import type { DryRunAnswer } from "./fairshare-preview";
import { API_BASE, fillPath, paths, type RouteId } from "./paths";
import type { Routes } from "./routes";

type Part<Id extends RouteId, Name extends string> = Routes[Id] extends { readonly [P in Name]: infer Schema }
  ? Schema extends z.ZodType
    ? z.input<Schema>
    : never
  : never;

type Given<Name extends string, Value, Optional extends boolean> = [Value] extends [never]
  ? { readonly [P in Name]?: undefined }
  : Optional extends true
    ? { readonly [P in Name]?: Value }
    : { readonly [P in Name]: Value };

/** What a route is called with: its path parameters, query and body. */
export type RouteRequest<Id extends RouteId> = Given<"params", Part<Id, "params">, false> &
  Given<"query", Part<Id, "query">, Record<string, never> extends Part<Id, "query"> ? true : false> &
  Given<"body", Part<Id, "body">, false>;

/** What a route answers; undefined when it has no JSON body. */
export type RouteAnswer<Id extends RouteId> = Routes[Id] extends { readonly response: infer Schema }
  ? Schema extends z.ZodType
    ? z.output<Schema>
    : undefined
  : undefined;

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Refuse the change when the object has another version by now: the ETag read before. */
  readonly ifMatch?: string;
  /** Answer `notModified` when nothing is newer: the ETag read before. */
  readonly ifNoneMatch?: string;
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Reply {
  readonly etag: string | null;
  /** The server's clock as it answered, from `Date`. */
  readonly serverTimeMs: number | null;
  /** Of the audit row a change wrote. */
  readonly auditId: number | null;
  /** Configuration version that holds the change. */
  readonly configVersion: number | null;
}
export interface Answered<Data> extends Reply {
  readonly notModified: false;
  readonly data: Data;
}
export interface NotModified extends Reply {
  readonly notModified: true;
}

/** A refusal, or an answer that is not the API's (then `code` is `unreachable` or `unexpected`). */
export class ApiError extends Error {
  override readonly name = "ApiError";
  constructor(
    message: string,
    readonly details: {
      readonly status: number;
      readonly code: ErrorCode | "unreachable" | "unexpected";
      readonly field: string | null;
      readonly requestId: string | null;
      readonly retryAfterSecs: number | null;
    },
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
  get status(): number {
    return this.details.status;
  }
  get code(): string {
    return this.details.code;
  }
}

export interface ClientOptions {
  /** Origin, and a path before `/api/v1` if there is one; empty for the same origin. */
  readonly baseUrl: string;
  readonly fetch?: typeof fetch;
  /** Bearer token, or where to get it. */
  readonly token?: string | (() => string | null | Promise<string | null>);
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiClient {
  /** Calls a route; throws `ApiError` when it refuses. */
  call<Id extends RouteId>(
    id: Id,
    request: RouteRequest<Id>,
    options?: CallOptions,
  ): Promise<Answered<RouteAnswer<Id>>>;
  /** Reads with an ETag: `notModified` when the state is still the one of `ifNoneMatch`. */
  poll<Id extends RouteId>(
    id: Id,
    request: RouteRequest<Id>,
    options?: CallOptions,
  ): Promise<Answered<RouteAnswer<Id>> | NotModified>;
  /** Asks a changing route what it would do; nothing is written. */
  dryRun<Id extends RouteId>(id: Id, request: RouteRequest<Id>, options?: CallOptions): Promise<Answered<DryRunAnswer>>;
  /** The response itself, for files and for passing on. */
  raw<Id extends RouteId>(id: Id, request: RouteRequest<Id>, options?: CallOptions): Promise<Response>;
}

interface Loose {
  readonly params?: Readonly<Record<string, string | number>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

export function createClient(client: ClientOptions): ApiClient {
  const doFetch = client.fetch ?? fetch;

  const raw = async (id: RouteId, request: Loose, options: CallOptions = {}): Promise<Response> => {
    const route = paths[id];
    const url = `${client.baseUrl.replace(/\/$/, "")}${API_BASE}${fillPath(route.path, request.params ?? {})}${queryText(request.query)}`;
    const token = typeof client.token === "function" ? await client.token() : client.token;
    const headers: Record<string, string> = { accept: "application/json", ...client.headers, ...options.headers };
    if (token != null) headers.authorization = `Bearer ${token}`;
    if (options.ifMatch !== undefined) headers["if-match"] = options.ifMatch;
    if (options.ifNoneMatch !== undefined) headers["if-none-match"] = options.ifNoneMatch;
    if (options.idempotencyKey !== undefined) headers["idempotency-key"] = options.idempotencyKey;
    const init: RequestInit = { method: route.method, headers };
    if (request.body !== undefined) {
      headers["content-type"] = "application/json";
      init.body = JSON.stringify(request.body, onlyNumbers);
    }
    if (options.signal !== undefined) init.signal = options.signal;
    try {
      return await doFetch(url, init);
    } catch (cause) {
      if (options.signal?.aborted === true) throw cause;
      throw new ApiError("The gateway cannot be reached.", NO_ANSWER, { cause });
    }
  };

  const poll = async (id: RouteId, request: Loose, options?: CallOptions): Promise<Answered<unknown> | NotModified> => {
    const response = await raw(id, request, options);
    if (response.status === 304) return { notModified: true, ...replyOf(response) };
    if (!response.ok) throw await refusalOf(response);
    const data: unknown = response.status === 204 ? undefined : await bodyOf(response);
    return { notModified: false, data, ...replyOf(response) };
  };

  const call = async (id: RouteId, request: Loose, options?: CallOptions): Promise<Answered<unknown>> => {
    const answer = await poll(id, request, options);
    if (answer.notModified) throw new ApiError("Unexpected 304.", { ...NO_ANSWER, status: 304, code: "unexpected" });
    return answer;
  };

  const dryRun = (id: RouteId, request: Loose, options?: CallOptions) =>
    call(id, { ...request, query: { ...request.query, dry_run: true } }, options);

  // The table's types cannot be followed through a loop over routes; the public interface states them.
  return { raw, poll, call, dryRun } as unknown as ApiClient;
}

const NO_ANSWER = { status: 0, code: "unreachable", field: null, requestId: null, retryAfterSecs: null } as const;

/** JSON has no word for what is no number and says null instead, which clears a limit: such a body is not sent. */
function onlyNumbers(name: string, value: unknown): unknown {
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  throw new ApiError(`${name} is not a number.`, { ...NO_ANSWER, code: "unexpected", field: name });
}

function queryText(query: Readonly<Record<string, unknown>> | undefined): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) search.set(name, String(value));
  }
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}

function replyOf(response: Response): Reply {
  const date = Date.parse(response.headers.get("date") ?? "");
  return {
    etag: response.headers.get("etag"),
    serverTimeMs: Number.isNaN(date) ? null : date,
    auditId: numberOf(response.headers.get("x-obleth-audit-id")),
    configVersion: numberOf(response.headers.get("x-obleth-config-version")),
  };
}

function numberOf(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

async function bodyOf(response: Response): Promise<unknown> {
  const isJson = (response.headers.get("content-type") ?? "").includes("json");
  return isJson ? response.json() : response.text();
}

async function refusalOf(response: Response): Promise<ApiError> {
  const retryAfterSecs = numberOf(response.headers.get("retry-after"));
  const body = (await response.json().catch(() => undefined)) as Partial<ErrorEnvelope> | undefined;
  const error = body?.error;
  // Other listeners and proxies on the way answer with errors of their own.
  if (error?.type !== "obleth_management_error") {
    const details = { ...NO_ANSWER, status: response.status, code: "unexpected", retryAfterSecs } as const;
    return new ApiError(`The gateway answered ${response.status}.`, details);
  }
  return new ApiError(error.message, {
    status: response.status,
    code: error.code,
    field: error.field ?? null,
    requestId: error.request_id ?? response.headers.get("x-obleth-request-id"),
    retryAfterSecs,
  });
}
