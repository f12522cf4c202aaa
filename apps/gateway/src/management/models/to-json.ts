import type { Model } from "@obleth/contract";
import { type ModelFields, type ModelView, type NewModel, type Sealer, toJson, toRow } from "@obleth/db";
import type { ManagementDeps } from "../deps";
import { endpointJson, newEndpoint } from "../endpoints/to-json";
import type { Call } from "../http/call";

export function modelJson(deps: ManagementDeps, view: ModelView): Model {
  const { endpoints, ...model } = view;
  return {
    ...toJson(model),
    endpoints: endpoints.map((row) => endpointJson(deps, row)),
    capacity: deps.capacityOf(view.name),
  };
}

type ModelBody = Call<"createModel">["body"];

/** A create body as rows; the shorthand becomes one endpoint. Undefined endpoints: none were given. */
export function newModel(
  sealer: Sealer,
  body: ModelBody,
): { fields: ModelFields; endpoints: NewModel["endpoints"] | undefined } {
  const { endpoints, api_base, api_key, upstream_model, protocol, ...fields } = body;
  if (api_base === undefined) {
    return { fields: toRow(fields), endpoints: endpoints?.map((endpoint) => newEndpoint(sealer, endpoint)) };
  }
  const single = {
    name: "endpoint-1",
    api_base,
    api_key,
    protocol: protocol ?? "openai",
    upstream_model: upstream_model ?? null,
    weight: 1,
    priority: 0,
    max_in_flight: null,
    enabled: true,
  } as const;
  return { fields: toRow(fields), endpoints: [newEndpoint(sealer, single)] };
}

/** A model as an import file has it: everything that can be set but credentials and header values. */
export function exportedModel(view: ModelView): Record<string, unknown> {
  const { id: _id, version: _v, createdAt: _c, updatedAt: _u, tunedAt: _t, tunedBy: _b, endpoints, ...fields } = view;
  return {
    ...toJson(fields),
    endpoints: endpoints.map((row) => {
      const { name, apiBase, protocol, upstreamModel, weight, priority, maxInFlight, enabled } = row;
      return toJson({ name, apiBase, protocol, upstreamModel, weight, priority, maxInFlight, enabled });
    }),
  };
}
