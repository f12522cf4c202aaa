/** Term budgets in words and parts. */
import { formatCount } from "./format";

interface Budgeted {
  readonly budget_tokens: number | null;
  readonly budget_cost_usd: number | null;
  readonly budget_state: {
    readonly used_tokens: number;
    readonly used_cost_usd: number;
    readonly resets_ts_ms: number | null;
  } | null;
}

export interface BudgetUse {
  /** Of 1; over 1 when a running request took it past the end. */
  readonly part: number;
  readonly text: string;
  readonly resetsTsMs: number | null;
}

/** The budget that is nearer its end; null without one. */
export function budgetUse(holder: Budgeted): BudgetUse | null {
  const state = holder.budget_state;
  if (state === null) return null;
  const uses: BudgetUse[] = [];
  if (holder.budget_tokens !== null) {
    const text = `${formatCount(state.used_tokens)} of ${formatCount(holder.budget_tokens)} tokens`;
    uses.push({ part: state.used_tokens / holder.budget_tokens, text, resetsTsMs: state.resets_ts_ms });
  }
  if (holder.budget_cost_usd !== null) {
    const text = `$${state.used_cost_usd.toFixed(2)} of $${holder.budget_cost_usd.toFixed(2)}`;
    uses.push({ part: state.used_cost_usd / holder.budget_cost_usd, text, resetsTsMs: state.resets_ts_ms });
  }
  return uses.sort((a, b) => b.part - a.part)[0] ?? null;
}

/** From here on a budget is near its end. */
export const BUDGET_NEAR = 0.8;
