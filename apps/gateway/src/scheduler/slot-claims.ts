import type { Claim, ClaimOutcome, Hold, PoolId, Release } from "@obleth/fairshare";

/**
 * Where slots are asked for in shared mode; outside it nothing here is called. Implementations never throw. What they
 * learn by themselves (a slot freed elsewhere, a mode that changed) they tell the scheduler with `retry` and
 * `setLimits`. The records may be kept: they are not used again.
 */
export interface SlotClaims {
  /** How often this process has stood still so long that the slots it was granted may have gone to others. */
  readonly stalls: number;
  /** Calls `settle` exactly once, also when nobody can answer (`unavailable`). */
  claim(claim: Claim, settle: ClaimSettler): void;
  /** Gives a slot back. */
  release(release: Release): void;
  /** Gives a session step's slot back, or holds it for the next step, as the shared books decide. */
  hold(hold: Hold): void;
  /** Gives back every held slot of a pool. */
  dropHolds(pool: PoolId): void;
}

/** `sinceLastFinishMs`: from the session's last finish anywhere to the request's arrival; null when not known. */
export type ClaimSettler = (outcome: ClaimOutcome, sinceLastFinishMs: number | null) => void;
