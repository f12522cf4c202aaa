/** Keys: what a client authenticates with, and the third level of sharing. The secret is shown once. */
import { z } from "zod";
import { budgetInput, budgetOutput } from "./budgets";
import { cap, isoTime, isoTimeOut, line, objectName, paging, textSearch, tsMs, uuid, version, weight } from "./common";

export const key = z
  .strictObject({
    id: uuid,
    tenant_id: uuid,
    tenant_name: z.string(),
    name: z.string(),
    prefix: z.string().describe("First characters of the secret, for recognising it."),
    weight,
    max_in_flight: z.int().nullable(),
    ...budgetOutput,
    disabled: z.boolean(),
    expires_at: isoTimeOut.nullable(),
    last_used_ts_ms: tsMs.nullable(),
    created_by: z.string(),
    rotated_at: isoTimeOut.nullable(),
    previous_secret_expires_ts_ms: tsMs.nullable().describe("Until when the secret before the rotation still works."),
    previous_secret_last_used_ts_ms: tsMs.nullable(),
    created_at: isoTimeOut,
    updated_at: isoTimeOut,
    version,
  })
  .meta({ id: "Key" });
export type Key = z.infer<typeof key>;

const settable = {
  name: objectName,
  weight,
  max_in_flight: cap,
  ...budgetInput,
  disabled: z.boolean(),
  expires_at: isoTime.nullable(),
};

export const keyCreate = z.strictObject({
  name: settable.name,
  weight: settable.weight.default(100),
  max_in_flight: settable.max_in_flight.default(null),
  budget_tokens: settable.budget_tokens.default(null),
  budget_cost_usd: settable.budget_cost_usd.default(null),
  budget_period: settable.budget_period.default("monthly"),
  budget_started_at: settable.budget_started_at.default(null),
  disabled: settable.disabled.default(false),
  expires_at: settable.expires_at.default(null),
});
const secretHash = z.string().regex(/^[0-9a-f]{64}$/, "must be a hash of an export");

/** A key in a configuration file: with the hashes its secret is recognised by, never the secret. */
export const configKey = z.strictObject({
  id: uuid,
  tenant_id: uuid,
  ...settable,
  prefix: line.max(20),
  secret_hash: secretHash,
  previous_secret_hash: secretHash.nullable(),
  previous_secret_expires_at: isoTime.nullable(),
  rotated_at: isoTime.nullable(),
  created_by: line,
});
export const keyPatch = z.strictObject(settable).partial();
export const keyWithSecret = z
  .strictObject({ key, secret: z.string().describe("Shown in this answer only.") })
  .meta({ id: "KeyWithSecret" });
export type KeyWithSecret = z.infer<typeof keyWithSecret>;
export const keyRotate = z.strictObject({
  overlap_secs: z.int().min(0).max(604_800).default(0).describe("How long the old secret goes on working."),
});
export const keyQuery = z.strictObject({
  ...paging,
  sort: z.enum(["name", "tenant", "weight", "created_at", "last_used"]).default("name"),
  q: textSearch,
  tenant_id: uuid.optional(),
  state: z.enum(["active", "disabled", "expired", "rotating"]).optional(),
  unused_days: z.int().min(1).max(3650).optional().describe("Only keys not used for so many days."),
});
export const tenantKeyQuery = keyQuery.omit({ tenant_id: true });
