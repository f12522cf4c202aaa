import type { Endpoint } from "@obleth/contract";
import { type EndpointPatch, type EndpointRow, type NewEndpoint, type Sealer, toJson, toRow } from "@obleth/db";
import type { ManagementDeps } from "../deps";

/** Credentials only as set or not; header values never leave. */
export function endpointJson(deps: ManagementDeps, row: EndpointRow): Endpoint {
  const { apiKeySealed, headersSealed, ...endpoint } = row;
  return {
    ...toJson(endpoint),
    api_key_set: apiKeySealed !== null,
    headers: Object.fromEntries(headersSealed.map(([name]) => [name, null])),
    health: row.enabled ? deps.endpointHealth(row.id) : { state: "disabled", checked_at: null, message: null },
  };
}

interface EndpointBody {
  readonly name?: string | undefined;
  readonly api_base?: string | undefined;
  readonly protocol?: "openai" | "anthropic" | undefined;
  readonly upstream_model?: string | null | undefined;
  readonly api_key?: string | null | undefined;
  readonly headers?: Record<string, string | null> | undefined;
  readonly weight?: number | undefined;
  readonly priority?: number | undefined;
  readonly max_in_flight?: number | null | undefined;
  readonly enabled?: boolean | undefined;
}

/** A body as a row, credentials sealed. A base without its trailing slash, so that paths can be put behind it. */
export function endpointPatch(sealer: Sealer, body: EndpointBody): EndpointPatch {
  const { api_key, headers, api_base, ...rest } = body;
  return {
    ...toRow(rest),
    apiBase: api_base?.replace(/\/+$/, ""),
    apiKeySealed: typeof api_key === "string" ? sealer.seal(api_key, "endpoint_key") : api_key,
    headersSealed:
      headers &&
      Object.entries(headers).map(([name, value]) => [
        name,
        value === null ? null : sealer.seal(value, "endpoint_header"),
      ]),
  };
}

type CompleteBody = EndpointBody & {
  readonly api_base: string;
  readonly protocol: "openai" | "anthropic";
  readonly upstream_model: string | null;
  readonly weight: number;
  readonly priority: number;
  readonly max_in_flight: number | null;
  readonly enabled: boolean;
};

export function newEndpoint(sealer: Sealer, body: CompleteBody): NewEndpoint {
  const { apiKeySealed, headersSealed } = endpointPatch(sealer, body);
  return {
    name: body.name,
    apiBase: body.api_base.replace(/\/+$/, ""),
    protocol: body.protocol,
    upstreamModel: body.upstream_model,
    weight: body.weight,
    priority: body.priority,
    maxInFlight: body.max_in_flight,
    enabled: body.enabled,
    apiKeySealed,
    headersSealed,
  };
}
