/**
 * What the driver must do after a step, in order. A grant passes a slot to the driver, which owns it until it sends
 * `finish`; a release or a hold passes it on to the shared books. Who was refused owns nothing.
 */
import type { Owner } from "./events";
import type { PoolId, SessionId, WaiterId } from "./ids";

/** The request has a slot until a `finish` event names it. */
export interface Grant {
  readonly kind: "grant";
  readonly waiterId: WaiterId;
  /** `fast`: without waiting. */
  readonly outcome: "fast" | "queued";
  /** From arrival to this grant, ms; 0 for `fast`. */
  readonly waitMs: number;
  /** What came with the request. */
  readonly tag: unknown;
}

/**
 * Every way to leave without a slot: the wait was too long, the queue was full, or there was nowhere to send it and
 * waiting was not wanted. A closed list, so that HTTP, metrics and pages can be tested against it.
 */
export const REFUSALS = ["timed_out", "queue_full", "no_servers"] as const;
export type Refusal = (typeof REFUSALS)[number];

/** The request leaves without a slot and uncharged. */
export interface Refuse {
  readonly kind: "refuse";
  readonly waiterId: WaiterId;
  readonly reason: Refusal;
  /** From arrival to this refusal, ms. */
  readonly waitMs: number;
  /** What came with the request. */
  readonly tag: unknown;
}

/** Shared mode: ask for a slot for this request; answer with `claim_settled`. */
export interface Claim extends Owner {
  readonly kind: "claim";
  /** At most one claim of a request is open, so the number names the claim as well. */
  readonly waiterId: WaiterId;
  /** Limits as configured for the whole fleet, never divided: slots of the pool, from 1. */
  readonly poolSize: number;
  /** Slots over all pools, from 1. */
  readonly ceiling: number;
  /** Slots of the tenant and of the key in this pool, from 1; null for no cap. */
  readonly tenantCap: number | null;
  readonly keyCap: number | null;
  /** Session whose held slot may serve it; null for none. */
  readonly session: SessionId | null;
  /** How long ago the request arrived, ms. */
  readonly sinceArrivalMs: number;
  /** Ask for the session's held slot and nothing else. */
  readonly isForHoldOnly: boolean;
  /** A request of this pool has waited past the bypass limit: the pool's held slots must be freed. */
  readonly isStarving: boolean;
  /** A request of this key was passed as often as it may be: the key's held slots must be freed. */
  readonly freesKeyHolds: boolean;
  /** Requests that wait in the pool besides this one and could take a slot of it, as far as is known; a few at most. */
  readonly othersWaiting: number;
}

/** Shared mode: give the slot of a finished or abandoned request back. */
export interface Release extends Owner {
  readonly kind: "release";
  readonly waiterId: WaiterId;
}

/** Shared mode: a session's step is over; instead of a release, its slot may be held for the next one. */
export interface Hold extends Owner {
  readonly kind: "hold";
  readonly waiterId: WaiterId;
  readonly session: SessionId;
  /** How long ago the step arrived, ms. */
  readonly sinceArrivalMs: number;
  /** From the session's last finish to that arrival, ms; null when not known. */
  readonly sinceLastFinishMs: number | null;
  /** How long to hold, ms; 0 gives the slot back and only records that the step is over. */
  readonly holdMs: number;
  /** How long the session is worth remembering, ms. */
  readonly keepMs: number;
  /** Most held slots the pool may have in all. */
  readonly maxHeld: number;
  /** Most holds in a row while others wait. */
  readonly maxJumps: number;
}

/** Shared mode: give back every held slot of a pool. */
export interface DropHolds {
  readonly kind: "drop_holds";
  readonly pool: PoolId;
}

/** Send `wake` at this time or soon after. Replaces any earlier wish. */
export interface WakeAt {
  readonly kind: "wake_at";
  /** On the scale of the events. */
  readonly atMs: number;
}

/** All effects. A driver that meets one it does not know must fail: leaving one out loses a slot. */
export type Effect = Grant | Refuse | Claim | Release | Hold | DropHolds | WakeAt;
