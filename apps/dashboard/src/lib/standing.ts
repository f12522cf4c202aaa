import { inUse } from "./pool-state";

/** A tenant's numbers in one pool that decide how it stands. */
export interface TenantLoad {
  readonly tenant_id: string;
  readonly name: string;
  readonly in_flight: number;
  readonly held: number;
  readonly queued: number;
  readonly slot_share: number;
  readonly max_in_flight: number | null;
  readonly at_cap: boolean;
  readonly below_share: boolean;
  readonly position: number | null;
}

export type Standing = "below" | "at_cap" | "above" | "at_share" | "within";

/** Below share first: the badge stays even when the tenant's own cap is what holds it there. */
export function standing(tenant: TenantLoad): Standing {
  if (tenant.below_share) return "below";
  if (tenant.at_cap) return "at_cap";
  const above = aboveShare(tenant);
  if (above > 0) return "above";
  return above === 0 ? "at_share" : "within";
}

/** Whole slots in use above the share; negative below it. A share of 0 counts as one, as it does for the scheduler. */
export function aboveShare(tenant: TenantLoad): number {
  return inUse(tenant) - Math.max(1, tenant.slot_share);
}

export function standingLabel(tenant: TenantLoad): string {
  const labels: Record<Standing, string> = {
    below: "Below share",
    at_cap: "At cap",
    above: `${aboveShare(tenant)} above share`,
    at_share: "At share",
    within: "Within share",
  };
  return labels[standing(tenant)];
}

/** Who waits, by place in line; then who has more than its share, most first; then the rest by slots in use and name. */
export function orderTenants<T extends TenantLoad>(tenants: readonly T[]): T[] {
  return [...tenants].sort((a, b) => {
    const waits = rank(a) - rank(b);
    if (waits !== 0) return waits;
    if (rank(a) === 0) return (a.position ?? Infinity) - (b.position ?? Infinity) || byName(a, b);
    return aboveShare(b) - aboveShare(a) || inUse(b) - inUse(a) || byName(a, b);
  });
}

/** "1st", "2nd", "11th". */
export function ordinal(position: number): string {
  const suffixes: Record<string, string> = { one: "st", two: "nd", few: "rd", other: "th" };
  return `${position}${suffixes[ORDINALS.select(position)] ?? "th"}`;
}

const ORDINALS = new Intl.PluralRules("en", { type: "ordinal" });

function rank(tenant: TenantLoad): number {
  if (tenant.queued > 0) return 0;
  return aboveShare(tenant) > 0 ? 1 : 2;
}

function byName(a: TenantLoad, b: TenantLoad): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
