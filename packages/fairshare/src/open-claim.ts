/** Sending a claim: what is remembered until its answer, and what the driver is told to ask for. */

import type { Claim } from "./effects";
import { emit } from "./emit";
import { isStarving } from "./holds";
import { isUsableCap } from "./limits";
import { ownerOf } from "./owner";
import { isAtJumpLimit, isPastBypass, wasPassedEnough } from "./sessions";
import type { EngineState, OpenClaim, Tenant, Waiter } from "./state";

/** Remembers a claim until it is settled and asks the driver to send it. A claim without a charge is for a hold only. */
export function openClaim(state: EngineState, claim: OpenClaim): void {
  state.claims.set(claim.waiter.id, claim);
  emit(state, effectFor(state, claim.waiter, claim.charge === null));
}

/**
 * The claim as it is sent: every limit that counts for the whole fleet, unsplit, as only the shared books know what the
 * others hold. A session is named only where its held slot may be taken.
 */
function effectFor(state: EngineState, waiter: Waiter, isForHoldOnly: boolean): Claim {
  const { key } = waiter;
  const { tenant } = key;
  const { pool } = tenant;
  // One that was passed enough takes slots from holds of its own key, wherever they are.
  const isLimited = isAtJumpLimit(state, key) || wasPassedEnough(state, waiter);
  const mayRedeem = waiter.session !== null && !waiter.session.isGone && !isAtJumpLimit(state, key);
  return {
    kind: "claim",
    waiterId: waiter.id,
    ...ownerOf(key),
    poolSize: pool.settings.configuredSize,
    ceiling: state.configuredCeiling,
    tenantCap: configuredCap(tenant.policy.maxInFlight),
    keyCap: configuredCap(key.policy.maxInFlight),
    session: mayRedeem ? waiter.sessionId : null,
    sinceArrivalMs: state.nowMs - waiter.arrivedMs,
    isForHoldOnly,
    isStarving: isStarving(state, pool) || hasStarved(state, waiter),
    freesKeyHolds: isLimited,
    othersWaiting: pool.queued === 0 ? 0 : othersWaiting(state, key.tenant),
  };
}

/**
 * How many requests besides a claiming one could take a slot of its pool: those of its own tenant, and one of each other
 * tenant that could run. No more than claims may be open: for more slots this engine could not ask at a time. O(1).
 */
function othersWaiting(state: EngineState, tenant: Tenant): number {
  const { pool } = tenant;
  const ofTenant = Math.max(0, Math.min(tenant.queued, tenant.cap - tenant.taken));
  const ofOthers = pool.candidates - (tenant.heap === null ? 0 : 1);
  const room = Math.min(pool.settings.size - pool.taken, state.ceiling - state.taken, state.config.maxOpenClaims - 1);
  return Math.max(0, Math.min(ofTenant + ofOthers, room));
}

/** The request itself has waited past the bypass limit; it no longer stands among those that wait. */
function hasStarved(state: EngineState, { key, arrivedMs }: Waiter): boolean {
  const { affinity } = key.tenant.pool.settings;
  return affinity !== null && isPastBypass(state, arrivedMs, affinity);
}

/** A cap as configured; one that is not usable counts as none, as everywhere. */
function configuredCap(cap: number | null): number | null {
  return isUsableCap(cap) ? cap : null;
}
