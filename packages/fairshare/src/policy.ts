/** What a request brings of its group, tenant and key, and what their weights come to in a pool. */
import type { GroupId, KeyId, TenantId } from "./ids";

/**
 * Largest weight that can be configured. With the largest boost and percentage an effective weight may pass what scores
 * can divide by exactly (`score.ts`), and then counts as that.
 */
export const LARGEST_WEIGHT = 1_000_000;

/** A group as it was when the request was looked up. */
export interface GroupPolicy {
  readonly id: GroupId;
  /** Whole number from 1 to `LARGEST_WEIGHT`. */
  readonly weight: number;
}

/** A tenant in one pool: its weight before the model's percentage, and the cap in force in that pool. */
export interface TenantPolicy {
  readonly id: TenantId;
  readonly group: GroupPolicy;
  /** Whole number from 1 to `LARGEST_WEIGHT`, before boost and admission weight. */
  readonly weight: number;
  /** Factor of the boost in force in this pool, 0.1 to 100; 1 when there is none. */
  readonly boostFactor: number;
  /** Most slots in this pool, from 1; null for no cap. The model's own cap for the tenant where there is one. */
  readonly maxInFlight: number | null;
}

/** A key as it was when the request was looked up. Keys are not scaled by model or boost. */
export interface KeyPolicy {
  readonly id: KeyId;
  /** Whole number from 1 to `LARGEST_WEIGHT`. */
  readonly weight: number;
  /** Most slots in this pool, from 1; null for no cap. */
  readonly maxInFlight: number | null;
}

/**
 * The weight a tenant competes with in a pool: weight x boost x admission percentage, rounded once (to the nearest, a
 * half upwards), at least 1. Rounded after each factor, 1 x 1.4 x 300 % would be 3 instead of 4.
 */
export function effectiveWeight(
  tenant: Pick<TenantPolicy, "weight" | "boostFactor">,
  admissionWeightPercent: number,
): number {
  return Math.max(1, Math.round((tenant.weight * tenant.boostFactor * admissionWeightPercent) / 100));
}
