import type { BudgetState, Tenant } from "@obleth/contract";
import { type TenantRow, toJson } from "@obleth/db";
import type { ManagementDeps } from "../deps";

export async function tenantJson(deps: ManagementDeps, row: TenantRow): Promise<Tenant> {
  const { groupId: _groupId, ...tenant } = row;
  return { ...toJson(tenant), budget_state: await tenantBudget(deps, row) };
}

async function tenantBudget(deps: ManagementDeps, row: TenantRow): Promise<BudgetState | null> {
  if (row.budgetTokens === null && row.budgetCostUsd === null) return null;
  return deps.budgetState({
    owner: "tenant",
    id: row.id,
    period: row.budgetPeriod,
    startedAtMs: (row.budgetStartedAt ?? row.createdAt).getTime(),
    timezone: row.timezone,
  });
}
