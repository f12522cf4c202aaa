/**
 * Shared mode: a pick is a claim that the shared books grant or refuse while other events go on.
 *
 * While its claim is open a request counts as having a slot and is charged, so later picks are made as if it ran. A
 * refusal takes both back and puts it in line by arrival. Its client may leave meanwhile: then only the open claim
 * stays, and a slot granted after all is given straight back. A request that would have to queue first asks for its
 * session's held slot alone; until the answer it counts as queued but stands in no line.
 */

import { announceStart, chargeAndCount, freeSlot, putInLine, standInLine } from "./admit";
import { refreshGroup, refreshKey, refreshPool, refreshTenant } from "./candidates";
import { changeClaiming, changeQueued, changeTaken, refreshAll } from "./counts";
import { emit } from "./emit";
import type { ClaimRefusal, ClaimSettled } from "./events";
import { isStarving } from "./holds";
import { undoCharge } from "./ledger";
import { openClaim } from "./open-claim";
import { ownerOf } from "./owner";
import { becomeActive, becomeQuiet } from "./pool";
import { isAtJumpLimit, leaveSession, recordJump, sessionUnstarted, unrecordJump } from "./sessions";
import type { ChargeRecord, EngineState, Pool, Waiter } from "./state";

/** Whether an arriving request that cannot start at once is to ask for its session's held slot before it queues. */
export function shouldProbe(state: EngineState, waiter: Waiter): boolean {
  const { key, session } = waiter;
  const { pool } = key.tenant;
  return state.isShared && session !== null && !isAtJumpLimit(state, key) && !isStarving(state, pool);
}

/** Asks for a request's session's held slot alone. The request counts as queued meanwhile. */
export function startProbe(state: EngineState, waiter: Waiter): void {
  becomeActive(state, waiter.key.tenant);
  waiter.state = "probing";
  changeQueued(state, waiter.key, 1);
  openClaim(state, { waiter, isFirst: true, charge: null });
}

/** The client of a claiming or probing request left, or its time is up: nothing of it stays but the open claim. */
export function abandonClaim(state: EngineState, waiter: Waiter): void {
  const claim = state.claims.get(waiter.id);
  if (claim === undefined) return;
  const { key } = waiter;
  waiter.state = "gone";
  if (claim.charge !== null) {
    undoStart(state, waiter, claim.charge);
    refreshAll(state, key);
    return;
  }
  state.waiters.delete(waiter.id);
  leaveSession(state, waiter);
  changeQueued(state, key, -1);
  refreshAll(state, key);
  becomeQuiet(state, key);
}

/** Applies the answer to a claim; one that is not open is ignored. */
export function settleClaim(state: EngineState, event: ClaimSettled): void {
  const claim = state.claims.get(event.waiterId);
  if (claim === undefined) return;
  state.claims.delete(event.waiterId);
  const { waiter } = claim;
  const { outcome } = event;
  if (event.sinceLastFinishMs !== null) waiter.sinceLastFinishMs = event.sinceLastFinishMs;
  const isGranted = outcome === "granted" || outcome === "redeemed";
  if (claim.charge === null) {
    settleProbe(state, waiter, isGranted);
    return;
  }
  // Whatever the answer, the request claims no more; only its slot is still to be decided.
  changeClaiming(waiter.key, -1);
  if (waiter.state === "gone") {
    state.waiters.delete(waiter.id);
    if (isGranted) emit(state, { kind: "release", waiterId: waiter.id, ...ownerOf(waiter.key) });
    freeSlot(state, waiter.key);
  } else if (isGranted) {
    waiter.key.tenant.pool.claimLimit = state.config.maxOpenClaims;
    // An older request of its key may be back in the queue since the claim was sent.
    recordJump(state, waiter);
    if (outcome === "redeemed") state.decisions.write("redeemed", waiter, state.nowMs);
    announceStart(state, waiter, claim.isFirst ? "fast" : "queued");
    refreshAll(state, waiter.key);
  } else {
    undoStart(state, waiter, claim.charge);
    changeTaken(state, waiter.key, -1);
    // Back by its number, so before whoever of its key came later.
    putInLine(state, waiter);
    state.decisions.write("claim_refused", waiter, state.nowMs);
    if (state.isShared) block(state, waiter, outcome);
  }
}

/** Tries again what refusals blocked: in one pool, or in all (null). A slot freed anywhere is one under the ceiling. */
export function unblock(state: EngineState, pool: Pool | null): void {
  state.isBlocked = false;
  if (pool === null) for (const each of state.pools.values()) unblockPool(state, each);
  else unblockPool(state, pool);
}

/**
 * Lets a pool's tenants and keys that were refused elsewhere be picked again. O(those blocked). The slot that may be free
 * is worth one claim more than are open, although those go out singly after a refusal: they may be for other slots.
 */
function unblockPool(state: EngineState, pool: Pool): void {
  pool.isBlocked = false;
  pool.claimLimit = Math.max(pool.claimLimit, Math.min(pool.claiming + 1, state.config.maxOpenClaims));
  const tenants = new Set(pool.blockedTenants);
  for (const tenant of pool.blockedTenants) tenant.isBlocked = false;
  for (const key of pool.blockedKeys) {
    key.isBlocked = false;
    refreshKey(key);
    tenants.add(key.tenant);
  }
  pool.blockedTenants.length = 0;
  pool.blockedKeys.length = 0;
  for (const tenant of tenants) {
    refreshTenant(state, tenant);
    refreshGroup(tenant.group);
  }
  refreshPool(state, pool);
}

/**
 * The answer to a request that asked for its session's held slot alone: it starts in that slot, or stands in line by
 * its arrival like anybody else. It was counted as queued all the while, and charged nothing.
 */
function settleProbe(state: EngineState, waiter: Waiter, isGranted: boolean): void {
  const { key } = waiter;
  if (waiter.state === "gone") {
    if (isGranted) emit(state, { kind: "release", waiterId: waiter.id, ...ownerOf(key) });
    return;
  }
  if (!isGranted) {
    standInLine(state, waiter);
    state.decisions.write("queued", waiter, state.nowMs);
    return;
  }
  changeQueued(state, key, -1);
  recordJump(state, waiter);
  state.decisions.write("redeemed", waiter, state.nowMs);
  chargeAndCount(state, waiter);
  announceStart(state, waiter, "fast");
  refreshAll(state, key);
}

/** Takes back all that `chargeAndCount` booked but the slot itself, which the caller gives back. */
function undoStart(state: EngineState, waiter: Waiter, charge: ChargeRecord): void {
  undoCharge(waiter.key, charge, waiter.costTokens);
  sessionUnstarted(state, waiter);
  unrecordJump(waiter);
}

/** Whatever the refusal named waits for a retry; in the pool each retry is worth one claim more until one is granted. */
function block(state: EngineState, waiter: Waiter, refusal: ClaimRefusal): void {
  const { key } = waiter;
  const { tenant } = key;
  const { pool } = tenant;
  if (refusal === "tenant") {
    if (!tenant.isBlocked) pool.blockedTenants.push(tenant);
    tenant.isBlocked = true;
  } else if (refusal === "key") {
    if (!key.isBlocked) pool.blockedKeys.push(key);
    key.isBlocked = true;
  } else {
    pool.claimLimit = 1;
    if (refusal === "ceiling") state.isBlocked = true;
    else pool.isBlocked = true;
  }
  refreshAll(state, key);
}
