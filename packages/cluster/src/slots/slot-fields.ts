/** Field names of the books, shared by the reference table, the Redis store and whoever counts holdings. */
import type { PoolId } from "@obleth/fairshare";
import { escapePart, unescapePart } from "../redis/keys";
import type { ClaimOperation, SlotOwner } from "./slot-store";

/** The four limits a running request counts against: ceiling, pool, tenant, key. */
export type Limits = readonly [ceiling: string, pool: string, tenant: string, key: string];

/** Field of the ceiling's total. */
export const CEILING_FIELD = "g";

/** The fields that one request of the owner counts in. */
export function limitFields(owner: SlotOwner): Limits {
  const pool = escapePart(owner.pool);
  return [
    CEILING_FIELD,
    `p|${pool}`,
    `t|${pool}|${escapePart(owner.tenantId)}`,
    `k|${pool}|${escapePart(owner.keyId)}`,
  ];
}

/** What each of the limits allows; no cap is infinite. */
export function sizesOf({ ceiling, poolSize, tenantCap, keyCap }: ClaimOperation): readonly number[] {
  return [ceiling, poolSize, tenantCap ?? Number.POSITIVE_INFINITY, keyCap ?? Number.POSITIVE_INFINITY];
}

/** Requests that wait with a claim for the limit at this level. It tells of those for the pool, and so for the ceiling. */
export function othersWaitingAt(level: number, { othersWaiting = 0 }: ClaimOperation): number {
  return level < 2 ? othersWaiting : 0;
}

/** The escaped name of the pool that these limits are of. */
export function poolOf(limits: Limits): string {
  return limits[1].slice(2);
}

/** The escaped name of the pool of one limit; empty for the ceiling, which is of all. */
export function poolOfLimit(limit: string): string {
  return limit.split("|")[1] ?? "";
}

/** At least one is counted at each of the limits. */
export function holdsAll(counts: ReadonlyMap<string, number>, limits: Limits): boolean {
  return limits.every((limit) => (counts.get(limit) ?? 0) >= 1);
}

/** Adds `by` at each of the limits; what falls to 0 or below is gone. */
export function addTo(counts: Map<string, number>, limits: Limits, by: number): void {
  for (const limit of limits) {
    const count = (counts.get(limit) ?? 0) + by;
    if (count > 0) counts.set(limit, count);
    else counts.delete(limit);
  }
}

/** The pool whose escaped name this is. The one place where a name from the books becomes an id again. */
export function poolNamed(part: string): PoolId {
  return unescapePart(part) as PoolId;
}

/** What one replica holds, counted per limit. Grows and shrinks with its slots; a limit at 0 is gone. */
export class Holdings {
  readonly #counts = new Map<string, number>();

  /** Slots by limit field; the holdings of a `Heartbeat`. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** Slots held in all. */
  get total(): number {
    return this.#counts.get(CEILING_FIELD) ?? 0;
  }

  /** Adds `slots` (negative takes away; never below 0) of one owner. */
  add(owner: SlotOwner, slots: number): void {
    addTo(this.#counts, limitFields(owner), slots);
  }
}
