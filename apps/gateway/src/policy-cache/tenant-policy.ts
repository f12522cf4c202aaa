/** What a tenant's standing means in one pool at one moment: the boost and the cap in force there. */
import type { PoolId, TenantPolicy } from "@obleth/fairshare";
import type { BoostRecord, TenantStanding } from "./records";

/** The boost in force in `pool`: its own before one for all pools, the latest to end among equals. */
export function boostIn(tenant: TenantStanding, pool: PoolId, nowMs: number): BoostRecord | null {
  let best: BoostRecord | null = null;
  for (const boost of tenant.boosts) {
    if (boost.expiresAtMs <= nowMs || (boost.model !== null && boost.model !== pool)) continue;
    if (best === null || isStronger(boost, best)) best = boost;
  }
  return best;
}

/** The cap in force in `pool` and whose it is. The model's own replaces the tenant's, even with no cap. */
export function capIn(tenant: TenantStanding, pool: PoolId): { cap: number | null; source: "tenant" | "model" | null } {
  const own = tenant.modelCaps.get(pool);
  if (own !== undefined) return { cap: own, source: own === null ? null : "model" };
  return { cap: tenant.maxInFlight, source: tenant.maxInFlight === null ? null : "tenant" };
}

/** The policy that a request of `tenant` carries into `pool`. */
export function tenantPolicyIn(tenant: TenantStanding, pool: PoolId, nowMs: number): TenantPolicy {
  return {
    id: tenant.id,
    group: tenant.group,
    weight: tenant.weight,
    boostFactor: tenant.boosts.length === 0 ? 1 : (boostIn(tenant, pool, nowMs)?.factor ?? 1),
    maxInFlight: capIn(tenant, pool).cap,
  };
}

function isStronger(boost: BoostRecord, than: BoostRecord): boolean {
  if ((boost.model === null) !== (than.model === null)) return boost.model !== null;
  return boost.expiresAtMs > than.expiresAtMs;
}
