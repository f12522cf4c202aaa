/**
 * Accounts as the split of `shares.ts` takes them. A split wants one number to break ties by and an exact score is two,
 * so each stands with its place in the order of scores, which says the same without rounding.
 */
import { compareLevels, type Level } from "./score";
import type { Claimant } from "./shares";

/** Claimants for accounts that are in the order of their scores already; equal scores share a place. O(accounts). */
export function claimantsOf(byScore: readonly (Level & Pick<Claimant, "id" | "weight">)[]): Claimant[] {
  let place = 0;
  return byScore.map((account, index) => {
    const before = byScore[index - 1];
    if (before !== undefined && compareLevels(before, account) !== 0) place += 1;
    return { id: account.id, weight: account.weight, score: place };
  });
}
