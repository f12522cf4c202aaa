/** Term budgets, the same fields on tenants and keys. */
import { z } from "zod";
import { MAX_TOKENS, MAX_USD } from "./bounds";
import { count, isoTime, isoTimeOut, tsMs, usd } from "./common";

export const BUDGET_PERIODS = ["monthly", "term", "lifetime"] as const;

/** What may be set. */
export const budgetInput = {
  budget_tokens: z.int().min(1).max(MAX_TOKENS).nullable().describe("Tokens per term; null for no limit."),
  budget_cost_usd: z.number().gt(0).max(MAX_USD).nullable().describe("US dollars per term; null for no limit."),
  budget_period: z.enum(BUDGET_PERIODS),
  budget_started_at: isoTime.nullable().describe("When a `term` began; null counts from the creation."),
};

/** What a term has used so far. */
export const budgetState = z
  .strictObject({
    used_tokens: count,
    used_cost_usd: usd,
    reserved_tokens: count,
    resets_ts_ms: tsMs.nullable(),
  })
  .meta({ id: "BudgetState" });

/** What is read back. */
export const budgetOutput = {
  budget_tokens: z.int().nullable(),
  budget_cost_usd: z.number().nullable(),
  budget_period: z.enum(BUDGET_PERIODS),
  budget_started_at: isoTimeOut.nullable(),
  budget_state: budgetState.nullable().describe("Null without a term budget, or when the counters cannot be read."),
};
export type BudgetState = z.infer<typeof budgetState>;
