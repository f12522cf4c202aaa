import type { KeyPolicy, PoolId, SessionId, TenantPolicy } from "@obleth/fairshare";
import type { AdmissionOutcome } from "./admission-outcome";

/** What admission needs to know of a request. */
export interface AdmissionRequest {
  readonly pool: PoolId;
  readonly tenant: TenantPolicy;
  readonly key: KeyPolicy;
  /** Estimated tokens, 0 or more. */
  readonly costTokens: number;
  readonly session: SessionId | null;
}

/** A request in line. */
export interface Waiting {
  /** The client left: leaves the queue at once, uncharged, and settles as `client-gone`. After settling, does nothing. */
  cancel(): void;
}

/**
 * The one door to a slot. `admit` calls `settle` exactly once: before it returns when the answer is known at once (the
 * usual case, no promise made), later otherwise. It returns undefined when it has already settled.
 */
export interface Admission {
  /** Grows when slots that were granted and are not in use yet are lost: a request must then ask again before it is sent. */
  readonly stalls: number;
  admit(request: AdmissionRequest, settle: (outcome: AdmissionOutcome) => void): Waiting | undefined;
}
