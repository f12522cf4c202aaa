/** Which model a name means: a registered one, or the one that stands for all unregistered names. */
import { UNROUTED } from "@obleth/fairshare";
import type { Refusal } from "../../error-response";
import type { EndpointRecord, ModelDirectory, ModelRecord } from "../../policy-cache/records";
import type { ProxySettings } from "../proxy-deps";
import type { CallRoute } from "../routes";
import { NO_SERVERS } from "./admit";

export type FoundModel = { readonly model: ModelRecord; readonly isRouted: boolean } | { readonly refusal: Refusal };

/** Longest part of an unknown name that is repeated to the caller. */
const MAX_ECHOED = 100;

export class ModelFinder {
  /** Where unregistered names go; null when they are refused. */
  readonly #fallback: EndpointRecord | null;

  constructor(
    private readonly models: ModelDirectory,
    settings: Pick<ProxySettings, "upstreamBaseUrl" | "upstreamApiKey">,
  ) {
    this.#fallback =
      settings.upstreamBaseUrl === null ? null : fallbackEndpoint(settings.upstreamBaseUrl, settings.upstreamApiKey);
  }

  find(name: string): FoundModel {
    const model = this.models.find(name);
    if (model !== undefined) return { model, isRouted: true };
    if (this.#fallback !== null) return { model: unroutedModel(name, this.#fallback), isRouted: false };
    return { refusal: unknownModel(name) };
  }

  /** A registered model as it is now, also under another name. */
  again({ id, name }: ModelRecord): { readonly model: ModelRecord } | { readonly refusal: Refusal } {
    const same = this.models.find(name);
    const model = same?.id === id ? same : this.models.list().find((other) => other.id === id);
    return model === undefined ? { refusal: unknownModel(name) } : { model };
  }

  /** The endpoint for unregistered names, when there is one. */
  get fallback(): EndpointRecord | null {
    return this.#fallback;
  }
}

function unknownModel(name: string): Refusal {
  const message = `The model "${name.slice(0, MAX_ECHOED)}" does not exist. GET /v1/models lists those that do.`;
  return { code: "model_not_found", message, param: "model" };
}

/**
 * Which endpoint protocols can serve a route. Anthropic calls can be translated unless they hold what has no counterpart,
 * OpenAI calls cannot; nor can a count of tokens, which would become a call that generates some.
 */
export function protocolsFor(route: CallRoute, hasCounterpart = true): readonly EndpointRecord["protocol"][] {
  if (route.protocol === "openai") return OPENAI_ONLY;
  return route.generates && hasCounterpart ? BOTH : ANTHROPIC_ONLY;
}

const BOTH = ["anthropic", "openai"] as const;
const ANTHROPIC_ONLY = ["anthropic"] as const;
const OPENAI_ONLY = ["openai"] as const;

/** Whether an enabled endpoint of the model speaks this protocol. */
export function speaks(model: ModelRecord, protocol: EndpointRecord["protocol"]): boolean {
  return model.endpoints.some((endpoint) => endpoint.enabled && endpoint.protocol === protocol);
}

/** Whether a request has somewhere to go, or is to wait until it has. */
export function hasServer(model: ModelRecord, route: CallRoute): boolean {
  if (protocolsFor(route).some((protocol) => speaks(model, protocol))) return true;
  return model.queueWithoutServers && !model.endpoints.some((endpoint) => endpoint.enabled);
}

/** What a caller is told when `hasServer` is false. */
export function noServer(model: ModelRecord, route: CallRoute): Refusal {
  if (route.protocol === "openai" && speaks(model, "anthropic")) {
    const message = `The model "${model.name}" is served in the Anthropic protocol only. Call it at /v1/messages.`;
    return { code: "invalid_request", message, param: "model" };
  }
  return NO_SERVERS;
}

function fallbackEndpoint(baseUrl: string, apiKey: string | null): EndpointRecord {
  return {
    id: UNROUTED,
    name: UNROUTED,
    apiBase: baseUrl.replace(/\/+$/, ""),
    protocol: "openai",
    upstreamModel: null,
    apiKey,
    headers: {},
    weight: 1,
    priority: 0,
    maxInFlight: null,
    enabled: true,
  };
}

function unroutedModel(name: string, endpoint: EndpointRecord): ModelRecord {
  return {
    id: UNROUTED,
    name,
    aliases: [],
    type: "chat",
    enabled: true,
    maxInFlight: null,
    admissionWeight: 100,
    endpointSelection: "failover",
    requestTimeoutSecs: null,
    maxRetries: 0,
    retryBackoffMs: 0,
    inputCostPerToken: null,
    outputCostPerToken: null,
    tokenizer: null,
    queueWithoutServers: false,
    sessionAffinity: {},
    endpoints: [endpoint],
  };
}
