/** Tenants: who is weighed against whom, and what each may use. */
import { z } from "zod";
import { MAX_TOKENS_PER_MINUTE } from "./bounds";
import { budgetInput, budgetOutput } from "./budgets";
import {
  cap,
  count,
  freeText,
  isoTime,
  isoTimeOut,
  objectName,
  paging,
  slots,
  textSearch,
  uuid,
  version,
  weight,
} from "./common";

export const weeklyWindow = z
  .strictObject({
    day: z.int().min(0).max(6).describe("0 is Sunday."),
    start_min: z.int().min(0).max(1439).describe("Minutes after midnight in the tenant's timezone."),
    end_min: z.int().min(1).max(1440).describe("Exclusive; later than the start."),
  })
  .refine((window) => window.end_min > window.start_min, { path: ["end_min"], error: "must be later than start_min" })
  .meta({ id: "WeeklyWindow" });
export type WeeklyWindow = z.infer<typeof weeklyWindow>;

export const TENANT_STATUSES = ["active", "suspended"] as const;

const knownZone = (zone: string) => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
};
const timezone = z.string().min(1).max(64).refine(knownZone, "must be a time zone such as UTC or Europe/Berlin");

const tokensPerMinute = z.int().min(1).max(MAX_TOKENS_PER_MINUTE).nullable();

export const modelCap = z
  .strictObject({ model: z.string(), max_in_flight: z.int().nullable().describe("Null: no cap on this model.") })
  .meta({ id: "ModelCap" });
export type ModelCap = z.infer<typeof modelCap>;
export const modelCapInput = z.strictObject({ max_in_flight: cap });
export const modelCaps = z.strictObject({ items: z.array(modelCap) });

const settable = {
  name: objectName,
  group: objectName,
  weight,
  max_in_flight: cap,
  model_caps: z.array(z.strictObject({ model: objectName, max_in_flight: cap })).max(1000),
  tokens_per_minute: tokensPerMinute,
  ...budgetInput,
  status: z.enum(TENANT_STATUSES),
  timezone,
  active_from: isoTime.nullable(),
  active_until: isoTime.nullable(),
  weekly_windows: z.array(weeklyWindow).max(100).describe("Empty: at any time."),
  allowed_models: z.array(objectName).max(1000).nullable().describe("Null: all."),
  description: freeText,
};

export const tenant = z
  .strictObject({
    id: uuid,
    name: z.string(),
    group: z.string(),
    weight,
    max_in_flight: z.int().nullable(),
    model_caps: z.array(modelCap),
    tokens_per_minute: z.int().nullable(),
    ...budgetOutput,
    status: z.enum(TENANT_STATUSES),
    timezone: z.string(),
    active_from: isoTimeOut.nullable(),
    active_until: isoTimeOut.nullable(),
    weekly_windows: z.array(weeklyWindow),
    allowed_models: z.array(z.string()).nullable(),
    description: z.string(),
    key_count: count,
    created_at: isoTimeOut,
    updated_at: isoTimeOut,
    version,
  })
  .meta({ id: "Tenant" });
export type Tenant = z.infer<typeof tenant>;

export const tenantCreate = z.strictObject({
  ...settable,
  group: settable.group.default("default"),
  weight: settable.weight.default(100),
  max_in_flight: settable.max_in_flight.default(null),
  model_caps: settable.model_caps.default([]),
  tokens_per_minute: settable.tokens_per_minute.default(null),
  budget_tokens: settable.budget_tokens.default(null),
  budget_cost_usd: settable.budget_cost_usd.default(null),
  budget_period: settable.budget_period.default("monthly"),
  budget_started_at: settable.budget_started_at.default(null),
  status: settable.status.default("active"),
  timezone: settable.timezone.default("UTC"),
  active_from: settable.active_from.default(null),
  active_until: settable.active_until.default(null),
  weekly_windows: settable.weekly_windows.default([]),
  allowed_models: settable.allowed_models.default(null),
  description: settable.description.default(""),
});
/** A tenant in a configuration file. */
export const configTenant = z.strictObject({ id: uuid, ...settable });
export const tenantPatch = z.strictObject(settable).partial();
export const tenantWeight = z.strictObject({ weight });
export const tenantQuota = z.strictObject({ tokens_per_minute: tokensPerMinute, max_in_flight: slots.nullable() });
export const tenantGroup = z.strictObject({ group: objectName });
export const tenantQuery = z.strictObject({
  ...paging,
  sort: z.enum(["name", "weight", "group", "created_at", "updated_at"]).default("name"),
  q: textSearch,
  group: objectName.optional(),
  status: z.enum(TENANT_STATUSES).optional(),
});
