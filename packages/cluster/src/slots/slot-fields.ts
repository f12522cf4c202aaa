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
    for (const field of limitFields(owner)) {
      const count = (this.#counts.get(field) ?? 0) + slots;
      if (count > 0) this.#counts.set(field, count);
      else this.#counts.delete(field);
    }
  }
}
