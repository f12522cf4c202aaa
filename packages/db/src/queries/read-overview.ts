import { sql } from "drizzle-orm";
import type { Tx } from "../client";

/** What an installation has at all. */
export async function hasAny(db: Tx): Promise<{ has_models: boolean; has_tenants: boolean; has_keys: boolean }> {
  const rows = await db.execute<{ has_models: boolean; has_tenants: boolean; has_keys: boolean }>(sql`
    select exists (select 1 from models) as has_models, exists (select 1 from tenants) as has_tenants,
      exists (select 1 from keys) as has_keys`);
  return rows[0] ?? { has_models: false, has_tenants: false, has_keys: false };
}

/** A tenant or key with a term budget. */
export interface AccountWithBudget {
  readonly owner: "tenant" | "key";
  readonly id: string;
  readonly name: string;
  readonly tokens: number | null;
  readonly costUsd: number | null;
  readonly period: "monthly" | "term" | "lifetime";
  readonly startedAtMs: number;
  readonly timezone: string;
}

/** Those used most recently first, at most `limit`. */
export async function accountsWithBudget(db: Tx, limit: number): Promise<AccountWithBudget[]> {
  return await db.execute<AccountWithBudget & Record<string, unknown>>(sql`
    select * from (
      select 'tenant' as owner, t.id, t.name, t.budget_tokens::float8 as tokens, t.budget_cost_usd as "costUsd",
        t.budget_period as period, t.timezone,
        round(extract(epoch from coalesce(t.budget_started_at, t.created_at)) * 1000)::float8 as "startedAtMs",
        (select max(k.last_used_at) from keys k where k.tenant_id = t.id) as used
      from tenants t where t.budget_tokens is not null or t.budget_cost_usd is not null
      union all
      select 'key', k.id, k.name, k.budget_tokens::float8, k.budget_cost_usd, k.budget_period, t.timezone,
        round(extract(epoch from coalesce(k.budget_started_at, k.created_at)) * 1000)::float8, k.last_used_at
      from keys k join tenants t on t.id = k.tenant_id
      where k.budget_tokens is not null or k.budget_cost_usd is not null
    ) accounts where used is not null order by used desc limit ${limit}`);
}
