import type { GroupId, KeyId, TenantId } from "./ids";

/** A group as it was when the request was looked up. */
export interface GroupPolicy {
  readonly id: GroupId;
  /** Whole number from 1 to 1,000,000. */
  readonly weight: number;
}

/** A tenant in one pool: its weight before the model's percentage, and the cap in force in that pool. */
export interface TenantPolicy {
  readonly id: TenantId;
  readonly group: GroupPolicy;
  /** Whole number from 1 to 1,000,000, before boost and admission weight. */
  readonly weight: number;
  /** Factor of the boost in force in this pool, 0.1 to 100; 1 when there is none. */
  readonly boostFactor: number;
  /** Most slots in this pool, from 1; null for no cap. The model's own cap for the tenant where there is one. */
  readonly maxInFlight: number | null;
}

/** A key as it was when the request was looked up. Keys are not scaled by model or boost. */
export interface KeyPolicy {
  readonly id: KeyId;
  /** Whole number from 1 to 1,000,000. */
  readonly weight: number;
  /** Most slots in this pool, from 1; null for no cap. */
  readonly maxInFlight: number | null;
}

/**
 * The weight a tenant competes with in a pool: weight x boost x admission percentage, rounded once, at least 1.
 */
export function effectiveWeight(
  tenant: Pick<TenantPolicy, "weight" | "boostFactor">,
  admissionWeightPercent: number,
): number {
  return Math.max(1, Math.round((tenant.weight * tenant.boostFactor * admissionWeightPercent) / 100));
}
