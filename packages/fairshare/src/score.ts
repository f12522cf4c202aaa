/**
 * Share scores as exact fixed-point numbers: tokens per weight, in whole units `hi` plus `lo` parts of `FRACTION`.
 *
 * A double would drift (3 tokens at weight 7 have no exact double) and stop moving (2^53 + 1). Here the fraction comes
 * from long division in two digits of base `BASE`, and what the division leaves over is carried to the next charge, so
 * after any number of charges the score is the true quotient rounded down to 1 / FRACTION once. `BASE` is a product of
 * small primes, so that for everyday weights (1 to 16, 50, 300, 1000, ...) nothing is left over at all. A lift and a new
 * weight carry the rest over too, so scores of any weights that are equal in truth are equal here (`restAt`).
 *
 * Everything here is O(1) and free of allocation.
 */

/**
 * One digit of the fraction: 2^5 x 3^2 x 5^3 x 7 x 11 x 13. Times `MAX_WEIGHT` it stays below 2^53. Squared it has 5^6
 * and 2^10, so every weight like 500 or 70,000, up to 1,000,000, divides it and so does a thousand times a weight to 16.
 */
const BASE = 36_036_000;
/** Parts of one token per weight; below 2^53 even when two fractions are added. */
export const FRACTION = BASE * BASE;
/** Largest weight that divides exactly, 2^27; effective weights above it count as this. */
export const MAX_WEIGHT = 134_217_728;
/** Largest charge of one request, 2^40 tokens; larger ones count as this. Keeps a sum far from 2^53 between rebases. */
export const MAX_COST_TOKENS = 1_099_511_627_776;
/** Once a score's whole part passes this (2^52), its line is rebased, long before a step of 1 could be lost. */
export const REBASE_AT = 4_503_599_627_370_496;

/** A level on the scale of scores. */
export interface Level {
  /** Whole tokens per weight. May be negative after a rebase. */
  hi: number;
  /** Parts of `FRACTION`, from 0, below it. */
  lo: number;
}

/** A score that charges are added to. */
export interface Score extends Level {
  /** What division left over, in parts of 1 / (weight x FRACTION); a whole number from 0, below `weight`. */
  rest: number;
  /** Whole number from 1 to MAX_WEIGHT. */
  weight: number;
}

/** A whole level, where nothing has been charged. */
export function makeLevel(hi: number): Score {
  return { hi, lo: 0, rest: 0, weight: 1 };
}

/** Negative when a is below b, positive when above, 0 when equal. */
export function compareLevels(a: Level, b: Level): number {
  return a.hi !== b.hi ? a.hi - b.hi : a.lo - b.lo;
}

/** Adds `tokens` (whole, 0 to MAX_COST_TOKENS) over the score's weight. A charge of 1 or more always moves it. */
export function charge(score: Score, tokens: number): void {
  const weight = score.weight;
  const whole = quotient(tokens, weight);
  const left = tokens - whole * weight;
  if (left === 0) {
    score.hi += whole;
    return;
  }
  const first = left * BASE;
  const firstDigit = quotient(first, weight);
  const second = (first - firstDigit * weight) * BASE + score.rest;
  const secondDigit = quotient(second, weight);
  score.rest = second - secondDigit * weight;
  score.hi += whole;
  score.lo += firstDigit * BASE + secondDigit;
  if (score.lo >= FRACTION) {
    score.lo -= FRACTION;
    score.hi += 1;
  }
}

/** Takes back exactly what `charge` added for `tokens`, as long as the weight is the one it was charged at. */
export function uncharge(score: Score, tokens: number): void {
  const weight = score.weight;
  const whole = quotient(tokens, weight);
  const first = (tokens - whole * weight) * BASE;
  const firstDigit = quotient(first, weight);
  const second = (first - firstDigit * weight) * BASE - score.rest;
  // Exact for the same reason as `quotient`. At most as far below 0 as the rest, which is less than one weight.
  const secondDigit = second <= 0 ? 0 : Math.ceil(second / weight);
  score.rest = secondDigit * weight - second;
  score.hi -= whole;
  score.lo -= firstDigit * BASE + secondDigit;
  if (score.lo < 0) {
    score.lo += FRACTION;
    score.hi -= 1;
  }
}

/**
 * Raises the score to `to` when it is below; says whether `hi` or `lo` moved. Where only the rests differ the larger one
 * is taken.
 */
export function raiseTo(score: Score, to: Score): boolean {
  const order = compareLevels(score, to);
  if (order > 0) return false;
  if (order < 0) {
    placeAt(score, to);
    return true;
  }
  score.rest = Math.max(score.rest, restAt(to, score.weight));
  return false;
}

/**
 * Puts the score at `at`, rounded down to what its own weight can say: 1 / (weight x FRACTION). However both are charged
 * from there, they compare as equal whenever they are in truth; see `restAt`.
 */
export function placeAt(score: Score, at: Score): void {
  score.hi = at.hi;
  score.lo = at.lo;
  score.rest = restAt(at, score.weight);
}

/** Changes the weight of later charges. The score itself stays, as in `placeAt`, so a raise does not replay history. */
export function reweigh(score: Score, weight: number): void {
  if (score.weight === weight) return;
  score.rest = restAt(score, weight);
  score.weight = weight;
}

/** The score as one finite number, rounded; for display only. */
export function scoreOf(level: Level): number {
  return level.hi + level.lo / FRACTION;
}

/**
 * The rest of a score as `weight` can say it: rest x weight / (its own weight), rounded down.
 *
 * What is lost decides no tie. Let d be how much A and B, lifted to A, were charged since when they are level in truth:
 * a whole number of tokens over either weight, so a multiple of 1 / (B's weight). Rounding A's score down to such
 * multiples and then adding d is the same as adding d and then rounding, and rounding that down once more to whole
 * parts of FRACTION gives what A's own score rounds to. In halves, as the product may pass 2^53.
 */
function restAt(from: Score, weight: number): number {
  if (from.rest === 0 || from.weight === weight) return from.rest;
  const half = from.rest * (weight >> 1);
  const halfQuotient = quotient(half, from.weight);
  const left = 2 * (half - halfQuotient * from.weight) + from.rest * (weight & 1);
  return 2 * halfQuotient + quotient(left, from.weight);
}

/**
 * Floor of a / b for whole a from 0 below 2^53 and whole b from 1. The division rounds, but never up to a whole number
 * it has not reached: below n + 1 the true quotient is at most n + 1 - 1 / b, and half the distance between doubles
 * there is less than 1 / b as long as a is below 2^53.
 */
function quotient(a: number, b: number): number {
  return Math.floor(a / b);
}
