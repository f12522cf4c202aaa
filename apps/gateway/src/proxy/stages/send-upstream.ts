/** The call to the model's server: what is sent to whichever endpoint is tried, and the relay that takes its answer. */
import type { EndpointRecord, ModelRecord } from "../../policy-cache/records";
import type { AttemptLimits, AttemptRequest } from "../../upstream/attempt";
import type { EndpointState } from "../../upstream/endpoints";
import { isHopByHop } from "../../upstream/raw-headers";
import { UpstreamCall, type UpstreamCallDeps, type UpstreamRequest } from "../../upstream/upstream-call";
import type { EditedBytes } from "../body/edited-bytes";
import { leavesUsageOut, rewriteBody } from "../body/rewrite-body";
import type { CallFields } from "../body/scan-call";
import type { ProxySettings } from "../proxy-deps";
import type { ProxyRequest } from "../proxy-request";
import { AnswerRelay, type AnswerTranslation, type RelayCall, type RelayEndings } from "../relay/answer-relay";
import type { CallRoute } from "../routes";
import type { ChatRequest } from "../translate/chat-request";
import { messageTranslation } from "../translate/translation";
import { protocolsFor } from "./find-model";

/** Client headers that are about this hop, about who the client is, or that the gateway sets itself. */
const NOT_FORWARDED = new Set([
  "host",
  "content-length",
  "content-encoding",
  "expect",
  "authorization",
  "x-api-key",
  "accept-encoding",
  "cookie",
  "origin",
  "referer",
  "forwarded",
  "via",
  "x-session-id",
]);

const DEFAULT_ANTHROPIC_VERSION = "2023-06-01";

/** Everything of a request that is known when its slot has been granted. */
export interface Sendable {
  readonly request: ProxyRequest;
  readonly route: CallRoute;
  readonly model: ModelRecord;
  readonly body: EditedBytes;
  readonly fields: CallFields;
  /** Query string with its question mark, or "". */
  readonly search: string;
  /** The chat form of an Anthropic request; null when no endpoint needs it. */
  readonly chat: Extract<ChatRequest, { kind: "chat" }> | null;
}

export class UpstreamSender {
  /** Endpoints that refused `stream_options`; they are not asked again while the process lives. */
  readonly #withoutStreamOptions = new Set<string>();

  constructor(
    private readonly deps: UpstreamCallDeps,
    private readonly settings: ProxySettings,
  ) {}

  /** Starts the call; its result reaches the client through the relay. */
  send(sendable: Sendable, extraHeaders: readonly string[], endings: RelayEndings): void {
    const prepared = new PreparedCall(sendable, {
      extraHeaders,
      limits: this.#limits(sendable.model),
      withoutStreamOptions: this.#withoutStreamOptions,
    });
    const relay = new AnswerRelay(sendable.request, prepared, endings);
    const call = new UpstreamCall(this.deps, prepared, relay);
    sendable.request.call = call;
    call.start();
  }

  #limits({ requestTimeoutSecs }: ModelRecord): AttemptLimits {
    const { connectTimeoutMs, firstByteTimeoutMs, idleTimeoutMs } = this.settings;
    const totalMs = requestTimeoutSecs === null ? null : requestTimeoutSecs * 1000;
    return {
      connectMs: connectTimeoutMs,
      firstByteMs: totalMs ?? firstByteTimeoutMs,
      idleMs: idleTimeoutMs,
      deadlineAtMs: totalMs === null ? null : this.deps.watchdog.nowMs() + totalMs,
    };
  }
}

interface PreparedParts {
  readonly extraHeaders: readonly string[];
  readonly limits: AttemptLimits;
  readonly withoutStreamOptions: Set<string>;
}

/** One call as its tries and its relay need it. */
class PreparedCall implements UpstreamRequest, RelayCall {
  readonly model: ModelRecord;
  readonly route: CallRoute;
  readonly session: string | null;
  readonly protocols: readonly EndpointRecord["protocol"][];
  readonly limits: AttemptLimits;
  readonly extraHeaders: readonly string[];
  readonly #sendable: Sendable;
  readonly #withoutStreamOptions: Set<string>;
  /** Usage figures that the client did not ask for can be asked of a backend in the client's own form of the call. */
  readonly #wantsUsage: boolean;
  /** Whether the latest try asked for them. */
  #hasAsked = false;

  constructor(sendable: Sendable, parts: PreparedParts) {
    const { route, fields, body, chat } = sendable;
    this.#sendable = sendable;
    this.#withoutStreamOptions = parts.withoutStreamOptions;
    this.#wantsUsage = route.hasStreamOptions && fields.stream && leavesUsageOut(body.original, fields.streamOptionsAt);
    this.model = sendable.model;
    this.route = route;
    this.session = sendable.request.session.id;
    this.protocols = protocolsFor(route, chat !== null);
    this.limits = parts.limits;
    this.extraHeaders = parts.extraHeaders;
  }

  hidesUsage(): boolean {
    return this.#hasAsked;
  }

  translationFor({ protocol }: EndpointRecord, isStream: boolean): AnswerTranslation | null {
    if (protocol === this.route.protocol) return null;
    const { request, fields } = this.#sendable;
    return messageTranslation({ requestId: request.id, model: fields.model }, isStream);
  }

  amendAfter({ id }: EndpointRecord, status: number, body: Buffer): boolean {
    const isAboutOptions = (status === 400 || status === 422) && MENTIONS_OPTIONS.test(body.toString("latin1"));
    if (!this.#hasAsked || !isAboutOptions) return false;
    this.#withoutStreamOptions.add(id);
    return true;
  }

  requestFor(endpoint: EndpointState): AttemptRequest {
    const { route, body, fields, model, chat, request, search } = this.#sendable;
    const { record } = endpoint;
    const upstreamModel = record.upstreamModel ?? model.name;
    const isTranslated = record.protocol !== route.protocol;
    const headers = forwardedHeaders(request, { endpoint: record, isTranslated });
    const wantsUsage = isTranslated ? fields.stream : this.#wantsUsage;
    this.#hasAsked = wantsUsage && !this.#withoutStreamOptions.has(record.id);
    if (isTranslated && chat !== null) {
      return {
        method: "POST",
        path: `${endpoint.basePath}/chat/completions`,
        headers,
        body: chat.bodyFor(upstreamModel, this.#hasAsked),
      };
    }
    const edits = {
      model: upstreamModel === fields.model ? null : upstreamModel,
      asksUsage: this.#hasAsked,
      isForm: route.body === "form",
    };
    const path = `${endpoint.basePath}${route.upstreamPath}${search}`;
    return { method: "POST", path, headers, body: rewriteBody(body, fields, edits) };
  }
}

const MENTIONS_OPTIONS = /stream_options|include_usage/;

/** The client's headers as far as they are the backend's business, then the endpoint's own. */
export function forwardedHeaders(
  { req, trace }: Pick<ProxyRequest, "req" | "trace">,
  { endpoint, isTranslated }: { endpoint: EndpointRecord; isTranslated: boolean },
): string[] {
  const headers: string[] = ["accept-encoding", "identity"];
  const own = ownHeaderNames(endpoint);
  const connection = req.headers.connection;
  const named =
    connection === undefined || connection === "keep-alive" || connection === "close" ? null : connection.toLowerCase();
  for (const name in req.headers) {
    if (NOT_FORWARDED.has(name) || isHopByHop(name)) continue;
    if (name.charCodeAt(0) === 0x78 && isOurs(name)) continue;
    if (own.has(name) || (named !== null && isNamed(named, name))) continue;
    if (isTranslated && name.startsWith("anthropic-")) continue;
    if (trace !== null && (name === "traceparent" || name === "tracestate")) continue;
    const value = req.headers[name];
    if (typeof value === "string") headers.push(name, value);
  }
  if (trace !== null) headers.push(...trace.sent());
  addCredential(headers, endpoint, req.headers["anthropic-version"] !== undefined);
  for (const [name, value] of Object.entries(endpoint.headers)) headers.push(name, value);
  return headers;
}

function ownHeaderNames({ headers }: EndpointRecord): ReadonlySet<string> {
  const names = Object.keys(headers);
  return names.length === 0 ? NO_NAMES : new Set(names.map((name) => name.toLowerCase()));
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** `x-` headers that are meant for the gateway or come from proxies before it. */
function isOurs(name: string): boolean {
  return name.startsWith("x-obleth-") || name.startsWith("x-forwarded-") || name === "x-real-ip";
}

function isNamed(connection: string, name: string): boolean {
  return connection.split(",").some((part) => part.trim() === name);
}

function addCredential(headers: string[], endpoint: EndpointRecord, hasVersion: boolean): void {
  const isAnthropic = endpoint.protocol === "anthropic";
  if (isAnthropic && !hasVersion) headers.push("anthropic-version", DEFAULT_ANTHROPIC_VERSION);
  if (endpoint.apiKey === null || endpoint.apiKey === "") return;
  if (isAnthropic) headers.push("x-api-key", endpoint.apiKey);
  else headers.push("authorization", `Bearer ${endpoint.apiKey}`);
}
