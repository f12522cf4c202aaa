/** Limits as the engine reads them: what a cap, a size or a cost means whatever value arrives. */
import { MAX_COST_TOKENS, MAX_WEIGHT } from "./score";
import { splitLimit } from "./shares";

/** What no cap reads as: above any number of slots, and a small integer, which costs no box. */
export const NO_CAP = 1_073_741_823;

/** A cap in force: NO_CAP for none. Under the split each replica has its part, rounded up, at least 1. */
export function capInForce(cap: number | null, divisor: number): number {
  if (!isUsableCap(cap)) return NO_CAP;
  return Math.min(divisor > 1 ? splitLimit(cap, divisor) : cap, NO_CAP);
}

/** Whether a cap can be held to: a whole number from 1. Anything else, 0 included, is read as no cap at all. */
export function isUsableCap(cap: number | null): cap is number {
  return cap !== null && Number.isSafeInteger(cap) && cap >= 1;
}

/** A size or ceiling in force: whole, at least 1; what is not a positive number counts as `otherwise`. */
export function limitInForce(limit: number, otherwise: number): number {
  return limit >= 1 ? Math.min(Math.floor(limit), Number.MAX_SAFE_INTEGER) : otherwise;
}

/** A weight as scores use it: whole, from 1 to MAX_WEIGHT. */
export function weightInForce(weight: number): number {
  return weight >= 1 ? Math.min(Math.round(weight), MAX_WEIGHT) : 1;
}

/** A cost as it is charged: whole, from 0 to MAX_COST_TOKENS. */
export function costInForce(tokens: number): number {
  return tokens > 0 ? Math.min(Math.round(tokens), MAX_COST_TOKENS) : 0;
}

/**
 * Slots that a pool's shares are split over: its size, or what it can really fill while the ceiling over all pools
 * leaves less. At least 1.
 */
export function usableSlots(pool: { size: number; taken: number }, roomUnderCeiling: number): number {
  return Math.max(1, Math.min(pool.size, pool.taken + Math.max(0, roomUnderCeiling)));
}
