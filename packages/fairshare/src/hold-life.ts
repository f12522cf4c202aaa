/** What happens to a session's slot when its step is over, and to held slots as time and queues move on. */

import { freeSlot, redeemForWaiting } from "./admit";
import { unblock } from "./claims";
import { emit } from "./emit";
import { addHold, deservesHold, holdGone, holdsToDrop, isStarving, maxHeld, removeHold } from "./holds";
import { ownerOf } from "./owner";
import { isAtJumpLimit, sessionFinished } from "./sessions";
import type { EngineState, HeldSlot, Pool, Waiter } from "./state";

/**
 * Ends a session's step in local mode. True when its slot stays held, and then the step is over; false when the caller
 * is to end it and free its slot, also where a hold that was there begins again.
 */
export function keepForSession(state: EngineState, waiter: Waiter): boolean {
  const { session } = waiter;
  const holdMs = waiter.key.tenant.pool.settings.affinity?.holdMs ?? 0;
  if (session === null || !deservesHold(state, waiter)) return false;
  const present = session.hold;
  if (present !== null) {
    // The later of two parallel steps: the hold begins again, and this step's own slot is freed.
    present.expiresAtMs = state.nowMs + holdMs;
    return false;
  }
  addHold(state, waiter, holdMs);
  sessionFinished(state, waiter);
  state.decisions.write("held", waiter, state.nowMs);
  return true;
}

/**
 * Ends a step in shared mode: its slot goes back, or to the books' own judgement whether it is held. Here it counts as
 * free at once, and what was refused in the pool is tried again: the books see the release before the next claim.
 */
export function finishShared(state: EngineState, waiter: Waiter): void {
  const { key, session } = waiter;
  const { pool } = key.tenant;
  const { affinity, hasServers, routed } = pool.settings;
  if (session === null || session.isGone || affinity === null) {
    emit(state, { kind: "release", waiterId: waiter.id, ...ownerOf(key) });
  } else {
    const mayHold = hasServers && routed && !isAtJumpLimit(state, key) && !isStarving(state, pool);
    emit(state, {
      kind: "hold",
      waiterId: waiter.id,
      ...ownerOf(key),
      session: session.id,
      sinceArrivalMs: state.nowMs - waiter.arrivedMs,
      sinceLastFinishMs: waiter.sinceLastFinishMs < 0 ? null : waiter.sinceLastFinishMs,
      holdMs: mayHold ? affinity.holdMs : 0,
      keepMs: state.sessionKeepMs,
      maxHeld: maxHeld(pool),
      maxJumps: state.config.maxJumps,
    });
  }
  sessionFinished(state, waiter);
  freeSlot(state, key);
  unblock(state, pool);
}

/**
 * Frees held slots that ran out or must make way, and gives waiting steps the slots held for their sessions. Says
 * whether anything changed. O(held slots).
 */
export function settleHolds(state: EngineState): boolean {
  let hasChanged = false;
  for (const pool of [...state.holdingPools]) {
    for (const { hold, why } of holdsToDrop(state, pool)) {
      dropHold(state, hold, why);
      hasChanged = true;
    }
    for (const hold of [...pool.holds]) if (redeemForWaiting(state, hold)) hasChanged = true;
  }
  return hasChanged;
}

/** Frees every held slot of a pool at once. */
export function dropAllHolds(state: EngineState, pool: Pool): void {
  for (const hold of [...pool.holds]) dropHold(state, hold, "hold_released");
}

/** Ends a hold and frees its slot, under the name of the step that left it. */
function dropHold(state: EngineState, hold: HeldSlot, why: "hold_expired" | "hold_released"): void {
  removeHold(state, hold);
  state.decisions.write(why, hold.step, state.nowMs);
  freeSlot(state, hold.key);
  holdGone(state, hold.session);
}
