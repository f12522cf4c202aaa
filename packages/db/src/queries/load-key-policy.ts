/** What the request path needs to know of a key: itself, its tenant, the tenant's group, caps and open boosts. */
import { sql } from "drizzle-orm";
import type { Tx } from "../client";
import type { WeeklyWindowJson } from "../schema/tenants";

export interface TermBudgetRow {
  readonly tokens: number | null;
  readonly costUsd: number | null;
  readonly period: "monthly" | "term" | "lifetime";
  readonly startedAtMs: number | null;
}

export interface KeyPolicyRow {
  readonly key: {
    readonly id: string;
    readonly name: string;
    readonly weight: number;
    readonly maxInFlight: number | null;
    readonly disabled: boolean;
    readonly expiresAtMs: number | null;
    /** True when the secret asked about is the one before the last rotation. */
    readonly isPreviousSecret: boolean;
    /** Until when the secret asked about works; null for the current one. */
    readonly previousSecretExpiresAtMs: number | null;
    readonly budget: TermBudgetRow | null;
  };
  readonly tenant: {
    readonly id: string;
    readonly name: string;
    readonly weight: number;
    readonly maxInFlight: number | null;
    readonly status: "active" | "suspended";
    readonly timezone: string;
    readonly activeFromMs: number | null;
    readonly activeUntilMs: number | null;
    readonly weeklyWindows: readonly WeeklyWindowJson[];
    /** Canonical model names; null allows all. */
    readonly allowedModels: readonly string[] | null;
    readonly tokensPerMinute: number | null;
    readonly budget: TermBudgetRow | null;
    /** By canonical model name; null: no cap there. */
    readonly modelCaps: readonly { readonly model: string; readonly maxInFlight: number | null }[];
    readonly boosts: readonly BoostRow[];
  };
  readonly group: { readonly id: string; readonly name: string; readonly weight: number };
}

export interface BoostRow {
  readonly id: string;
  /** Canonical model name; null: every pool. */
  readonly model: string | null;
  /** A boost given as a weight is turned into a factor of the tenant's weight. */
  readonly factor: number;
  readonly weight: number | null;
  readonly reason: string;
  readonly createdBy: string;
  readonly expiresAtMs: number;
}

/**
 * Finds the key whose current secret has this hash, or whose previous one has and still overlaps at `nowMs`.
 * Undefined when there is none. One statement.
 */
export async function findKeyPolicy(
  db: Tx,
  lookup: { secretHash: string; nowMs: number },
): Promise<KeyPolicyRow | undefined> {
  const now = new Date(lookup.nowMs).toISOString();
  const rows = await db.execute<RawKeyPolicy>(sql`
    select k.id as key_id, k.name as key_name, k.weight as key_weight, k.max_in_flight as key_cap, k.disabled,
      ${epochMs("k.expires_at")} as key_expires_ms, k.secret_hash <> ${lookup.secretHash} as is_previous,
      ${epochMs("k.previous_secret_expires_at")} as previous_expires_ms,
      k.budget_tokens::text as key_budget_tokens, k.budget_cost_usd as key_budget_cost, k.budget_period as key_budget_period,
      coalesce(${epochMs("k.budget_started_at")}, ${epochMs("k.created_at")}) as key_budget_started_ms,
      t.id as tenant_id, t.name as tenant_name, t.weight as tenant_weight, t.max_in_flight as tenant_cap, t.status,
      t.timezone, ${epochMs("t.active_from")} as active_from_ms, ${epochMs("t.active_until")} as active_until_ms,
      t.weekly_windows, to_jsonb(t.allowed_models) as allowed_models, t.tokens_per_minute::text as tokens_per_minute,
      t.budget_tokens::text as tenant_budget_tokens, t.budget_cost_usd as tenant_budget_cost,
      t.budget_period as tenant_budget_period,
      coalesce(${epochMs("t.budget_started_at")}, ${epochMs("t.created_at")}) as tenant_budget_started_ms,
      g.id as group_id, g.name as group_name, g.weight as group_weight,
      coalesce((select jsonb_agg(jsonb_build_object('model', m.name, 'maxInFlight', c.max_in_flight))
        from tenant_model_caps c join models m on m.id = c.model_id where c.tenant_id = t.id), '[]'::jsonb) as model_caps,
      coalesce((select jsonb_agg(jsonb_build_object('id', b.id, 'model', m.name, 'weight', b.weight, 'reason', b.reason,
          'createdBy', b.created_by, 'factor', coalesce(b.factor, b.weight::float8 / t.weight),
          'expiresAtMs', ${epochMs("b.expires_at")}))
        from boosts b left join models m on m.id = b.model_id
        where b.tenant_id = t.id and b.ended_at is null and b.expires_at > ${now}::timestamptz), '[]'::jsonb) as boosts
    from keys k join tenants t on t.id = k.tenant_id join groups g on g.id = t.group_id
    where k.secret_hash = ${lookup.secretHash}
      or (k.previous_secret_hash = ${lookup.secretHash} and k.previous_secret_expires_at > ${now}::timestamptz)
    limit 1`);
  const row = rows[0];
  return row === undefined ? undefined : toKeyPolicy(row);
}

/** Notes that a secret before the last rotation was used; never moves the time back. */
export async function touchPreviousSecret(db: Tx, use: { keyId: string; nowMs: number }): Promise<void> {
  const at = new Date(use.nowMs).toISOString();
  await db.execute(sql`
    update keys set previous_secret_last_used_at = greatest(previous_secret_last_used_at, ${at}::timestamptz)
    where id = ${use.keyId} and previous_secret_hash is not null`);
}

interface RawKeyPolicy extends Record<string, unknown> {
  key_id: string;
  key_name: string;
  key_weight: number;
  key_cap: number | null;
  disabled: boolean;
  key_expires_ms: number | null;
  is_previous: boolean;
  previous_expires_ms: number | null;
  key_budget_tokens: string | null;
  key_budget_cost: number | null;
  key_budget_period: TermBudgetRow["period"];
  key_budget_started_ms: number;
  tenant_id: string;
  tenant_name: string;
  tenant_weight: number;
  tenant_cap: number | null;
  status: "active" | "suspended";
  timezone: string;
  active_from_ms: number | null;
  active_until_ms: number | null;
  weekly_windows: WeeklyWindowJson[];
  allowed_models: string[] | null;
  tokens_per_minute: string | null;
  tenant_budget_tokens: string | null;
  tenant_budget_cost: number | null;
  tenant_budget_period: TermBudgetRow["period"];
  tenant_budget_started_ms: number;
  group_id: string;
  group_name: string;
  group_weight: number;
  model_caps: { model: string; maxInFlight: number | null }[];
  boosts: BoostRow[];
}

/** Milliseconds of the epoch as a double: exact for every year the API takes. */
function epochMs(column: string) {
  return sql.raw(`round(extract(epoch from ${column}) * 1000)::float8`);
}

function toKeyPolicy(row: RawKeyPolicy): KeyPolicyRow {
  return {
    key: {
      id: row.key_id,
      name: row.key_name,
      weight: row.key_weight,
      maxInFlight: row.key_cap,
      disabled: row.disabled,
      expiresAtMs: row.key_expires_ms,
      isPreviousSecret: row.is_previous,
      previousSecretExpiresAtMs: row.is_previous ? row.previous_expires_ms : null,
      budget: toBudget({
        tokens: row.key_budget_tokens,
        costUsd: row.key_budget_cost,
        period: row.key_budget_period,
        startedAtMs: row.key_budget_started_ms,
      }),
    },
    tenant: {
      id: row.tenant_id,
      name: row.tenant_name,
      weight: row.tenant_weight,
      maxInFlight: row.tenant_cap,
      status: row.status,
      timezone: row.timezone,
      activeFromMs: row.active_from_ms,
      activeUntilMs: row.active_until_ms,
      weeklyWindows: row.weekly_windows,
      allowedModels: row.allowed_models,
      tokensPerMinute: row.tokens_per_minute === null ? null : Number(row.tokens_per_minute),
      budget: toBudget({
        tokens: row.tenant_budget_tokens,
        costUsd: row.tenant_budget_cost,
        period: row.tenant_budget_period,
        startedAtMs: row.tenant_budget_started_ms,
      }),
      modelCaps: row.model_caps,
      boosts: row.boosts,
    },
    group: { id: row.group_id, name: row.group_name, weight: row.group_weight },
  };
}

function toBudget(row: {
  tokens: string | null;
  costUsd: number | null;
  period: TermBudgetRow["period"];
  startedAtMs: number;
}): TermBudgetRow | null {
  if (row.tokens === null && row.costUsd === null) return null;
  return { ...row, tokens: row.tokens === null ? null : Number(row.tokens) };
}
