/** A tenant's limits as they are typed. */
import type { PreviewChange } from "@obleth/fairshare/preview";
import { parseSlots, parseWeight, parseWhole } from "../../../lib/weight";

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

const MAX_TOKENS = Number.MAX_SAFE_INTEGER;
const MAX_PER_MINUTE = 1_000_000_000_000;

export function limitsErrors(draft: LimitsDraft) {
  const weight = parseWeight(draft.weight);
  const error = (parsed: ReturnType<typeof parseWhole>) => ("error" in parsed ? parsed.error : null);
  const optional = (value: string, parse: (value: string) => ReturnType<typeof parseWhole>) =>
    value.trim() === "" ? null : error(parse(value));
  const cost = Number(draft.budgetCost);
  return {
    weight: error(weight),
    cap: optional(draft.cap, parseSlots),
    tokensPerMinute: optional(draft.tokensPerMinute, (value) =>
      parseWhole(value, { what: "Tokens per minute", max: MAX_PER_MINUTE }),
    ),
    budgetTokens: optional(draft.budgetTokens, (value) =>
      parseWhole(value, { what: "A token budget", max: MAX_TOKENS }),
    ),
    budgetCost: draft.budgetCost.trim() === "" || cost > 0 ? null : "A cost budget is an amount above 0.",
  };
}

/** The fields that differ, as a patch; what is not valid counts as unchanged. */
export function limitsBody(draft: LimitsDraft, tenant: TenantFacts) {
  const errors = limitsErrors(draft);
  const number = (value: string, problem: string | null, now: number | null) =>
    problem !== null ? now : value.trim() === "" ? null : Number(value.replaceAll(",", ""));
  const wanted = {
    group: draft.group,
    weight: number(draft.weight, errors.weight, tenant.weight) ?? tenant.weight,
    max_in_flight: number(draft.cap, errors.cap, tenant.max_in_flight),
    tokens_per_minute: number(draft.tokensPerMinute, errors.tokensPerMinute, tenant.tokens_per_minute),
    budget_tokens: number(draft.budgetTokens, errors.budgetTokens, tenant.budget_tokens),
    budget_cost_usd: number(draft.budgetCost, errors.budgetCost, tenant.budget_cost_usd),
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
