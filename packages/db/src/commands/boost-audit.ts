import type { BoostView } from "../queries/read-boosts";

export function boostAudit(boost: BoostView): Record<string, unknown> {
  return {
    tenant: boost.tenantName,
    model: boost.model,
    factor: boost.factor,
    weight: boost.weight,
    reason: boost.reason,
    expires_at: boost.expiresAt.toISOString(),
  };
}

export function boostTitle(boost: BoostView): string {
  return boost.model === null ? boost.tenantName : `${boost.tenantName} on ${boost.model}`;
}
