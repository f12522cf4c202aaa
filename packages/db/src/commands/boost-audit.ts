import type { BoostView } from "../queries/read-boosts";

/** What the audit log keeps of a boost: all that was asked for. */
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

/** A boost's name in the audit log: whom it is for, and where when it is not for every pool. */
export function boostTitle(boost: BoostView): string {
  return boost.model === null ? boost.tenantName : `${boost.tenantName} on ${boost.model}`;
}
