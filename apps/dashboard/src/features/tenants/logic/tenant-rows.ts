/** Tenants as the list shows them: configuration, live counts and the last day in one row. */
import { BUDGET_NEAR, type BudgetUse, budgetUse } from "../../../lib/budget";
import { formatExact, plural } from "../../../lib/format";
import type { LiveBoost, Tenant } from "../../../queries/wire";

interface LiveCounts {
  readonly tenant_id: string;
  readonly in_flight: number;
  readonly held: number;
  readonly queued: number;
  readonly below_share: boolean;
  readonly boost: LiveBoost | null;
}

interface RequestCounts {
  readonly tenant_id?: string | null | undefined;
  readonly requests: number;
}

interface ActiveBoost extends LiveBoost {
  readonly tenant_id: string;
}

export interface TenantRow {
  readonly tenant: Tenant;
  /** Null while the live state is not known, which is not 0. */
  readonly inUse: number | null;
  readonly queued: number | null;
  readonly isBelow: boolean;
  readonly boost: LiveBoost | null;
  /** Null where the records do not tell. */
  readonly requests: number | null;
  readonly budget: BudgetUse | null;
}

export interface TenantSources {
  readonly tenants: readonly Tenant[];
  /** Of those with work; null while it is not known. */
  readonly live: readonly LiveCounts[] | null;
  readonly boosts: readonly ActiveBoost[];
  readonly usage: { readonly rows: readonly RequestCounts[]; readonly truncated: boolean } | null;
}

export function tenantRows(sources: TenantSources): TenantRow[] {
  const live = new Map(sources.live?.map((one) => [one.tenant_id, one]));
  const requests = new Map(sources.usage?.rows.map((one) => [one.tenant_id ?? "", one.requests]));
  // Of a list that was cut nobody knows whether the others sent none.
  const restRequests = sources.usage === null || sources.usage.truncated ? null : 0;
  const boosts = new Map(sources.boosts.map((one) => [one.tenant_id, one]));
  return sources.tenants.map((tenant) => {
    const counts = live.get(tenant.id);
    return {
      tenant,
      inUse: sources.live === null ? null : (counts?.in_flight ?? 0) + (counts?.held ?? 0),
      queued: sources.live === null ? null : (counts?.queued ?? 0),
      isBelow: counts?.below_share ?? false,
      boost: counts?.boost ?? boosts.get(tenant.id) ?? null,
      requests: requests.get(tenant.id) ?? restRequests,
      budget: budgetUse(tenant),
    };
  });
}

export interface TenantFilter {
  readonly text: string;
  readonly group: string | null;
  readonly isSuspended: boolean;
  readonly isWaiting: boolean;
  readonly isNearBudget: boolean;
  readonly isBoosted: boolean;
}

export function matchesTenant(row: TenantRow, filter: TenantFilter): boolean {
  if (filter.group !== null && row.tenant.group !== filter.group) return false;
  if (filter.isSuspended && row.tenant.status !== "suspended") return false;
  if (filter.isWaiting && !isWaiting(row)) return false;
  if (filter.isNearBudget && (row.budget?.part ?? 0) < BUDGET_NEAR) return false;
  if (filter.isBoosted && row.boost === null) return false;
  return row.tenant.name.toLowerCase().includes(filter.text.trim().toLowerCase());
}

function isWaiting(row: TenantRow): boolean {
  return row.queued !== null && row.queued > 0;
}

/** "6 tenants, 2 wait, 1 below its share."; who waits is left out while it is not known. */
export function tenantsAnswer(rows: readonly TenantRow[]): string {
  if (rows.length === 0) return "No tenants yet.";
  const waiting = rows.filter(isWaiting).length;
  const below = rows.filter((row) => row.isBelow).length;
  const near = rows.filter((row) => (row.budget?.part ?? 0) >= BUDGET_NEAR).length;
  const parts = [plural(rows.length, "tenant")];
  if (rows.some((row) => row.queued !== null)) {
    parts.push(waiting === 0 ? "none waits" : `${formatExact(waiting)} ${waiting === 1 ? "waits" : "wait"}`);
  }
  if (below > 0) parts.push(`${formatExact(below)} below ${below === 1 ? "its" : "their"} share`);
  if (near > 0) parts.push(`${formatExact(near)} near a budget's end`);
  return `${parts.join(", ")}.`;
}
