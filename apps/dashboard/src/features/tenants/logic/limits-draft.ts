/** A tenant's limits as they are typed. */
import { MAX_TOKENS, MAX_TOKENS_PER_MINUTE, MAX_USD } from "@obleth/contract/bounds";
import type { PreviewChange } from "@obleth/fairshare/preview";
import { errorOf, parseAmount, parseOptional, parseSlots, parseWeight, parseWhole } from "../../../lib/weight";

export interface LimitsDraft {
  readonly group: string;
  readonly weight: string;
  readonly cap: string;
  readonly tokensPerMinute: string;
  readonly budgetTokens: string;
  readonly budgetCost: string;
  readonly period: "monthly" | "term" | "lifetime";
}

interface TenantFacts {
  readonly group: string;
  readonly weight: number;
  readonly max_in_flight: number | null;
  readonly tokens_per_minute: number | null;
  readonly budget_tokens: number | null;
  readonly budget_cost_usd: number | null;
  readonly budget_period: LimitsDraft["period"];
}

export function limitsDraft(tenant: TenantFacts): LimitsDraft {
  return {
    group: tenant.group,
    weight: String(tenant.weight),
    cap: text(tenant.max_in_flight),
    tokensPerMinute: text(tenant.tokens_per_minute),
    budgetTokens: text(tenant.budget_tokens),
    budgetCost: text(tenant.budget_cost_usd),
    period: tenant.budget_period,
  };
}

/** What is typed, read. */
function read(draft: LimitsDraft) {
  const optional = (text: string, what: string, max: number) =>
    parseOptional(text, (given) => parseWhole(given, { what, max }));
  return {
    weight: parseWeight(draft.weight),
    cap: parseOptional(draft.cap, parseSlots),
    tokensPerMinute: optional(draft.tokensPerMinute, "Tokens per minute", MAX_TOKENS_PER_MINUTE),
    budgetTokens: optional(draft.budgetTokens, "A token budget", MAX_TOKENS),
    budgetCost: parseOptional(draft.budgetCost, (given) =>
      parseAmount(given, { what: "A cost budget in dollars", above: 0, max: MAX_USD }),
    ),
  };
}

export function limitsErrors(draft: LimitsDraft) {
  const { weight, cap, tokensPerMinute, budgetTokens, budgetCost } = read(draft);
  return {
    weight: errorOf(weight),
    cap: errorOf(cap),
    tokensPerMinute: errorOf(tokensPerMinute),
    budgetTokens: errorOf(budgetTokens),
    budgetCost: errorOf(budgetCost),
  };
}

/** The fields that differ, as a patch; what is not valid counts as unchanged. */
export function limitsBody(draft: LimitsDraft, tenant: TenantFacts) {
  const typed = read(draft);
  const or = <Value extends number | null>(parsed: { value: Value } | { error: string }, now: Value) =>
    "error" in parsed ? now : parsed.value;
  const wanted = {
    group: draft.group,
    weight: or(typed.weight, tenant.weight),
    max_in_flight: or(typed.cap, tenant.max_in_flight),
    tokens_per_minute: or(typed.tokensPerMinute, tenant.tokens_per_minute),
    budget_tokens: or(typed.budgetTokens, tenant.budget_tokens),
    budget_cost_usd: or(typed.budgetCost, tenant.budget_cost_usd),
    budget_period: draft.period,
  };
  const changed = Object.entries(wanted).filter(([name, value]) => tenant[name as keyof TenantFacts] !== value);
  return Object.fromEntries(changed) as Partial<typeof wanted>;
}

/** What of a patch moves slots, as the preview takes it. */
export function limitsChanges(body: ReturnType<typeof limitsBody>, tenantId: string): PreviewChange[] {
  const changes: PreviewChange[] = [];
  if (body.weight !== undefined) changes.push({ kind: "tenant_weight", id: tenantId, value: body.weight });
  if (body.max_in_flight !== undefined) changes.push({ kind: "tenant_cap", id: tenantId, value: body.max_in_flight });
  if (body.group !== undefined) changes.push({ kind: "tenant_group", id: tenantId, value: body.group });
  return changes;
}

function text(value: number | null): string {
  return value === null ? "" : String(value);
}
