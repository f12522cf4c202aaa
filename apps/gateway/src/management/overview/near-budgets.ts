/** Term budgets that are nearly used up. Looks at those who used anything lately; the rest cannot be near. */
import { type AccountWithBudget, accountsWithBudget } from "@obleth/db";
import type { ManagementDeps } from "../deps";

/** Share of a budget from which it is worth knowing. */
export const NEAR_FRACTION = 0.8;
/** Accounts looked at; the most recently used first. */
const MAX_ACCOUNTS = 200;

export interface NearBudget {
  readonly account: AccountWithBudget;
  /** Used share of the tighter of both limits, from 0.8; above 1 when overdrawn. */
  readonly fraction: number;
  readonly resetsTsMs: number | null;
}

export async function nearBudgets(deps: ManagementDeps): Promise<NearBudget[]> {
  const accounts = await accountsWithBudget(deps.db, MAX_ACCOUNTS);
  const near = await Promise.all(accounts.map((account) => nearBudget(deps, account)));
  return near.filter((budget) => budget !== undefined).sort((a, b) => b.fraction - a.fraction);
}

async function nearBudget(deps: ManagementDeps, account: AccountWithBudget): Promise<NearBudget | undefined> {
  const { owner, id, period, startedAtMs, timezone } = account;
  const state = await deps.budgetState({ owner, id, period, startedAtMs, timezone });
  if (state === null) return undefined;
  const byTokens = account.tokens === null ? 0 : (state.used_tokens + state.reserved_tokens) / account.tokens;
  const byCost = account.costUsd === null ? 0 : state.used_cost_usd / account.costUsd;
  const fraction = Math.max(byTokens, byCost);
  return fraction < NEAR_FRACTION ? undefined : { account, fraction, resetsTsMs: state.resets_ts_ms };
}
