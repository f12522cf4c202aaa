/** Whether a known caller may call now, and may use this model: states, dates, weekly windows and lists. */
import { TZDate } from "@date-fns/tz";
import type { Refusal } from "../../error-response";
import type { KeyRecord, ModelRecord, TenantRecord, WeeklyWindow } from "../../policy-cache/records";

/** The reason this key may not call at `wallMs`; null when it may. */
export function accessRefusal(key: KeyRecord, wallMs: number): Refusal | null {
  const { tenant } = key;
  if (key.disabled) return refuse("key_disabled", "This API key is disabled. Ask an administrator to enable it.");
  if (key.expiresAtMs !== null && wallMs >= key.expiresAtMs) {
    return refuse("key_disabled", "This API key has expired. Ask an administrator for a new one.");
  }
  if (tenant.status !== "active") {
    return refuse("tenant_inactive", "This key's tenant is suspended. Ask an administrator to activate it.");
  }
  if (tenant.activeFromMs !== null && wallMs < tenant.activeFromMs) {
    return refuse("tenant_inactive", `This key's tenant is not active before ${isoTime(tenant.activeFromMs)}.`);
  }
  if (tenant.activeUntilMs !== null && wallMs >= tenant.activeUntilMs) {
    return refuse("tenant_inactive", `This key's tenant has been inactive since ${isoTime(tenant.activeUntilMs)}.`);
  }
  if (tenant.weeklyWindows.length > 0 && !isInsideWindows(tenant, wallMs)) {
    return refuse("outside_schedule", `This key's tenant may not call at this time of the week (${tenant.timezone}).`);
  }
  return null;
}

/** The reason this caller may not use the model; null when it may. */
export function modelRefusal(model: ModelRecord, tenant: TenantRecord): Refusal | null {
  if (!model.enabled) {
    return { ...refuse("model_disabled", `The model "${model.name}" is disabled.`), param: "model" };
  }
  if (tenant.allowedModels !== null && !tenant.allowedModels.has(model.name)) {
    const message = `This key's tenant may not use the model "${model.name}". GET /v1/models lists those it may.`;
    return { ...refuse("model_not_allowed", message), param: "model" };
  }
  return null;
}

/** Whether a moment lies in one of the windows, by the tenant's own clock. An unknown timezone is read as UTC. */
export function isInsideWindows(
  { weeklyWindows, timezone }: { weeklyWindows: readonly WeeklyWindow[]; timezone: string },
  wallMs: number,
): boolean {
  let local = new TZDate(wallMs, timezone);
  if (Number.isNaN(local.getDay())) local = new TZDate(wallMs, "UTC");
  const day = local.getDay();
  const minute = local.getHours() * 60 + local.getMinutes();
  return weeklyWindows.some((window) => window.day === day && minute >= window.startMin && minute < window.endMin);
}

function refuse(code: Refusal["code"], message: string): Refusal {
  return { code, message };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
