/** The models a caller may use, in the form its SDK expects. */
import type { Protocol } from "../error-response";
import type { ModelRecord, TenantRecord } from "../policy-cache/records";

export function visibleModels(models: readonly ModelRecord[], tenant: TenantRecord): ModelRecord[] {
  return models.filter((model) => isVisible(model, tenant));
}

export function isVisible(model: ModelRecord, { allowedModels }: TenantRecord): boolean {
  return model.enabled && (allowedModels === null || allowedModels.has(model.name));
}

export function modelListBody(models: readonly ModelRecord[], protocol: Protocol): string {
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
export function modelBody({ name }: ModelRecord, protocol: Protocol): object {
  return protocol === "openai"
    ? { id: name, object: "model", created: 0, owned_by: "obleth" }
    : { type: "model", id: name, display_name: name, created_at: "1970-01-01T00:00:00Z" };
}
