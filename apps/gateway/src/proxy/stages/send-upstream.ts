/** The call to the model's server: what is sent to whichever endpoint is tried, and the relay that takes its answer. */
import type { EndpointRecord, ModelRecord } from "../../policy-cache/records";
import type { AttemptRequest } from "../../upstream/attempt";
import type { EndpointState } from "../../upstream/endpoints";
import { isHopByHop } from "../../upstream/raw-headers";
import { UpstreamCall, type UpstreamCallDeps, type UpstreamRequest } from "../../upstream/upstream-call";
import { leavesUsageOut, rewriteBody } from "../body/rewrite-body";
import type { CallFields } from "../body/scan-call";
import type { ProxySettings } from "../proxy-deps";
import type { ProxyRequest } from "../proxy-request";
import { AnswerRelay, type RelayContext } from "../relay/answer-relay";
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
  readonly body: Buffer;
  readonly fields: CallFields;
  /** Query string with its question mark, or "". */
  readonly search: string;
  /** The chat form of an Anthropic request; null when no endpoint needs it. */
  readonly chat: Extract<ChatRequest, { kind: "chat" }> | null;
}

export type SendContext = Omit<RelayContext, "route" | "resume" | "abortCall" | "hidesUsage" | "translationFor">;

export class UpstreamSender {
  /** Endpoints that refused `stream_options`; they are not asked again while the process lives. */
  readonly #withoutStreamOptions = new Set<string>();

  constructor(
    private readonly deps: UpstreamCallDeps,
    private readonly settings: ProxySettings,
  ) {}

  /** Starts the call; its result reaches the client through the relay. */
  send(sendable: Sendable, context: SendContext): UpstreamCall {
    const { request, route } = sendable;
    const asksUsage =
      route.hasStreamOptions &&
      sendable.fields.stream &&
      leavesUsageOut(sendable.body, sendable.fields.streamOptionsAt);
    const relay = new AnswerRelay(request, {
      ...context,
      route,
      resume: () => call.resume(),
      abortCall: () => call.abort(),
      hidesUsage: () => asksUsage && !this.#withoutStreamOptions.has(request.endpoint?.id ?? ""),
      translationFor: (endpoint, isStream) =>
        endpoint.protocol === route.protocol
          ? null
          : messageTranslation({ requestId: request.id, model: sendable.fields.model }, isStream),
    });
    const call = new UpstreamCall(this.deps, this.#upstreamRequest(sendable, asksUsage), relay);
    request.call = call;
    call.start();
    return call;
  }

  #upstreamRequest(sendable: Sendable, asksUsage: boolean): UpstreamRequest {
    const { model, request, route } = sendable;
    const { connectTimeoutMs, firstByteTimeoutMs, idleTimeoutMs } = this.settings;
    const totalMs = model.requestTimeoutSecs === null ? null : model.requestTimeoutSecs * 1000;
    return {
      model,
      session: request.session.id,
      protocols: protocolsFor(route),
      limits: {
        connectMs: connectTimeoutMs,
        firstByteMs: totalMs ?? firstByteTimeoutMs,
        idleMs: idleTimeoutMs,
        deadlineAtMs: totalMs === null ? null : this.deps.watchdog.nowMs() + totalMs,
      },
      requestFor: (endpoint) =>
        this.#attemptRequest(sendable, endpoint, asksUsage && !this.#withoutStreamOptions.has(endpoint.record.id)),
      amendAfter: (endpoint, status, body) => {
        const isAboutOptions =
          asksUsage && (status === 400 || status === 422) && MENTIONS_OPTIONS.test(body.toString("latin1"));
        if (!isAboutOptions || this.#withoutStreamOptions.has(endpoint.id)) return false;
        this.#withoutStreamOptions.add(endpoint.id);
        return true;
      },
    };
  }

  #attemptRequest(sendable: Sendable, endpoint: EndpointState, asksUsage: boolean): AttemptRequest {
    const { route, body, fields, model, chat } = sendable;
    const { record } = endpoint;
    const upstreamModel = record.upstreamModel ?? model.name;
    const isTranslated = record.protocol !== route.protocol;
    const headers = forwardedHeaders(sendable.request, { endpoint: record, isTranslated });
    if (isTranslated && chat !== null) {
      return {
        method: "POST",
        path: `${endpoint.basePath}/chat/completions`,
        headers,
        body: chat.bodyFor(upstreamModel),
      };
    }
    const edits = {
      model: upstreamModel === fields.model ? null : upstreamModel,
      asksUsage,
      isForm: route.body === "form",
    };
    return {
      method: "POST",
      path: `${endpoint.basePath}${route.upstreamPath}${sendable.search}`,
      headers,
      body: rewriteBody(body, fields, edits),
    };
  }
}

const MENTIONS_OPTIONS = /stream_options|include_usage/;

/** The client's headers as far as they are the backend's business, then the endpoint's own. */
export function forwardedHeaders(
  { req }: Pick<ProxyRequest, "req">,
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
    const value = req.headers[name];
    if (typeof value === "string") headers.push(name, value);
  }
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
