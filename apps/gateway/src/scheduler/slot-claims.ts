import type { Claim, ClaimOutcome, Hold, Release } from "@obleth/fairshare";

/**
 * Where slots are asked for in shared mode; outside it nothing here is called. Implementations never throw. What they
 * learn by themselves (a slot freed elsewhere, a mode that changed) they tell the scheduler with `retry` and
 * `setLimits`.
 */
export interface SlotClaims {
  /** Calls `settle` exactly once, also when nobody can answer (`unavailable`). */
  claim(claim: Claim, settle: (outcome: ClaimOutcome) => void): void;
  /** Gives a slot back. */
  release(release: Release): void;
  /** Gives a session step's slot back, or holds it for the next step, as the shared books decide. */
  hold(hold: Hold): void;
}
