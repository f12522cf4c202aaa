import type { BudgetState, Key } from "@obleth/contract";
import { type KeyRow, toJson } from "@obleth/db";
import type { ManagementDeps } from "../deps";

export async function keyJson(deps: ManagementDeps, row: KeyRow): Promise<Key> {
  const { lastUsedAt, previousSecretExpiresAt, previousSecretLastUsedAt, timezone: _zone, ...key } = row;
  const overlaps = previousSecretExpiresAt !== null && previousSecretExpiresAt.getTime() > deps.clock.wallMs();
  return {
    ...toJson(key),
    last_used_ts_ms: lastUsedAt?.getTime() ?? null,
    previous_secret_expires_ts_ms: overlaps ? previousSecretExpiresAt.getTime() : null,
    previous_secret_last_used_ts_ms: overlaps ? (previousSecretLastUsedAt?.getTime() ?? null) : null,
    budget_state: await keyBudget(deps, row),
  };
}

async function keyBudget(deps: ManagementDeps, row: KeyRow): Promise<BudgetState | null> {
  if (row.budgetTokens === null && row.budgetCostUsd === null) return null;
  return deps.budgetState({
    owner: "key",
    id: row.id,
    period: row.budgetPeriod,
    startedAtMs: (row.budgetStartedAt ?? row.createdAt).getTime(),
    timezone: row.timezone,
  });
}
