/** The models a caller may use, in the form its SDK expects. */
import type { Protocol, Refusal } from "../error-response";
import type { ModelDirectory, ModelRecord, TenantRecord } from "../policy-cache/records";
import type { Route } from "./routes";

export type ModelsRoute = Extract<Route, { kind: "list-models" | "one-model" }>;

/** The answer's JSON, or why there is none. */
export function modelsAnswer(
  models: ModelDirectory,
  { route, tenant, isAnthropic }: { route: ModelsRoute; tenant: TenantRecord; isAnthropic: boolean },
): string | Refusal {
  const protocol = isAnthropic ? "anthropic" : "openai";
  if (route.kind === "list-models") {
    const visible = models.list().filter((model) => isVisible(model, tenant));
    return modelListBody(visible, protocol);
  }
  const model = models.find(route.model);
  if (model !== undefined && isVisible(model, tenant)) return JSON.stringify(modelBody(model, protocol));
  const message = `The model "${route.model.slice(0, 100)}" does not exist or may not be used. GET /v1/models lists the others.`;
  return { code: "model_not_found", message, param: "model" };
}

function isVisible(model: ModelRecord, { allowedModels }: TenantRecord): boolean {
  return model.enabled && (allowedModels === null || allowedModels.has(model.name));
}

function modelListBody(models: readonly ModelRecord[], protocol: Protocol): string {
  const data = models.map((model) => modelBody(model, protocol));
  if (protocol === "openai") return JSON.stringify({ object: "list", data });
  return JSON.stringify({
    data,
    has_more: false,
    first_id: models[0]?.name ?? null,
    last_id: models.at(-1)?.name ?? null,
  });
}

/** One model. Neither API needs a true date; the Unix epoch says that none is known. */
function modelBody({ name }: ModelRecord, protocol: Protocol): object {
  return protocol === "openai"
    ? { id: name, object: "model", created: 0, owned_by: "obleth" }
    : { type: "model", id: name, display_name: name, created_at: "1970-01-01T00:00:00Z" };
}
