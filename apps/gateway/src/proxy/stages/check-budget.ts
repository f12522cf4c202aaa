/**
 * Token and money limits: asked before admission, drawn on after it, settled at the end. Requests of callers without
 * limits pass through without a promise.
 */
import type { BudgetAnswer, Spend } from "@obleth/cluster";
import type { Refusal } from "../../error-response";
import type { KeyRecord, ModelRecord } from "../../policy-cache/records";
import type { CallFields } from "../body/scan-call";
import type { CallRoute } from "../routes";
import { estimatedOutputTokens } from "../token-estimate";
import type { TermCalendar } from "./budget-terms";

export interface SpendSource {
  readonly requestId: string;
  readonly key: KeyRecord;
  readonly model: ModelRecord;
  readonly fields: CallFields;
  readonly route: CallRoute;
  readonly estimatedTokens: number;
  readonly wallMs: number;
  readonly calendar: TermCalendar;
}

/** What the request would draw, and from which accounts; null when it costs nothing or its caller has no limits. */
export function spendOf(source: SpendSource): Spend | null {
  const { key, wallMs, estimatedTokens } = source;
  if (!source.route.spends) return null;
  const { tokensPerMinute } = key.tenant;
  if (tokensPerMinute === null && key.tenant.budget === null && key.budget === null) return null;
  const terms = source.calendar.limitsOf(key, wallMs);
  if (tokensPerMinute === null && terms.length === 0) return null;
  const { inputTokens, outputLimit } = source.fields;
  const outputTokens = estimatedOutputTokens({ inputTokens, outputLimit, generates: source.route.generates });
  return {
    requestId: source.requestId,
    minute: tokensPerMinute === null ? null : { subject: key.tenant.id, tokensPerMinute },
    terms,
    estimatedTokens,
    estimatedCostUsd: costUsd(source.model, { inputTokens, outputTokens }) ?? 0,
  };
}

/** US dollars for these tokens; null when the model has no price. */
export function costUsd(
  { inputCostPerToken, outputCostPerToken }: ModelRecord,
  { inputTokens, outputTokens }: { inputTokens: number; outputTokens: number },
): number | null {
  if (inputCostPerToken === null && outputCostPerToken === null) return null;
  return inputTokens * (inputCostPerToken ?? 0) + outputTokens * (outputCostPerToken ?? 0);
}

/** The refusal a budget's answer stands for; null when the request may go on. */
export function budgetRefusal(answer: BudgetAnswer, { failOpen }: { failOpen: boolean }): Refusal | null {
  switch (answer.kind) {
    case "ok":
      return null;
    case "minute-exhausted": {
      const retryAfterSecs = Math.max(1, Math.ceil(answer.retryAfterMs / 1000));
      const message = `This tenant's tokens per minute are used up. Try again in ${retryAfterSecs} s, or raise the budget.`;
      return { code: "token_budget_exceeded", message, retryAfterSecs };
    }
    case "term-exhausted": {
      const whose = answer.subject.startsWith("key:") ? "key" : "tenant";
      const message = `This ${whose}'s budget for the term is used up. An administrator can raise it.`;
      return { code: "term_budget_exhausted", message };
    }
    case "unavailable":
      return failOpen ? null : BUDGETS_UNAVAILABLE;
  }
}

const BUDGETS_UNAVAILABLE: Refusal = {
  code: "budget_unavailable",
  message: "Budgets cannot be checked at the moment, and requests are not let through without. Try again shortly.",
  retryAfterSecs: 5,
};
