/**
 * Moving one request through its life in this engine: into line, out of it with a slot, and away. Every function here
 * leaves counts, split and candidates of all levels in step.
 */
import { assert } from "./assert";
import { moveToLast } from "./candidates";
import { changeClaiming, changeQueued, changeTaken, refreshAll } from "./counts";
import type { Grant, Refusal } from "./effects";
import { emit } from "./emit";
import { canRedeem, removeHold } from "./holds";
import { addToQueue, removeFromQueue } from "./key-queue";
import { chargeAdmission, recordBefore, rejoinGroup, rejoinKey, rejoinTenant } from "./ledger";
import { usableSlots } from "./limits";
import { shareInForce } from "./line";
import { openClaim } from "./open-claim";
import { becomeActive, becomeQuiet } from "./pool";
import { pickTenant } from "./select";
import { pickInKey, recordJump, sessionQueued, sessionStarted, sessionUnqueued } from "./sessions";
import type { EngineState, HeldSlot, Key, Pool, Waiter } from "./state";

/** Lifts to the level of its siblings whoever, at each level, has nothing waiting; call when a request arrives. */
export function rejoinAll(key: Key): void {
  const { tenant } = key;
  if (key.queued === 0) rejoinKey(key);
  if (tenant.queued === 0) rejoinTenant(tenant);
  if (tenant.group.queued === 0) rejoinGroup(tenant.group);
}

/** Counts a waiter as waiting and puts it in line by its arrival. */
export function putInLine(state: EngineState, waiter: Waiter): void {
  becomeActive(state, waiter.key.tenant);
  changeQueued(state, waiter.key, 1);
  standInLine(state, waiter);
}

/** Puts a waiter that counts as waiting already in line by its arrival. */
export function standInLine(state: EngineState, waiter: Waiter): void {
  waiter.state = "queued";
  addToQueue(waiter.key, waiter);
  sessionQueued(state, waiter);
  // Behind another request of its key nothing changes for anybody else.
  if (waiter.key.oldest === waiter) refreshAll(state, waiter.key);
}

/** Takes a waiter out of line without a slot: its client left, or its time is up. */
export function leaveLine(state: EngineState, waiter: Waiter): void {
  const { key } = waiter;
  removeFromQueue(key, waiter);
  sessionUnqueued(state, waiter);
  changeQueued(state, key, -1);
  refreshAll(state, key);
  becomeQuiet(state, key);
}

/**
 * Charges a request that stands in no line and gives it a slot; in shared mode, the right to claim one. Callers
 * refresh.
 */
export function takeSlot(state: EngineState, waiter: Waiter, outcome: Grant["outcome"]): void {
  if (!state.isShared) {
    chargeAndCount(state, waiter);
    announceStart(state, waiter, outcome);
    return;
  }
  const charge = recordBefore(state, waiter.key);
  chargeAndCount(state, waiter);
  waiter.state = "claiming";
  changeClaiming(waiter.key, 1);
  openClaim(state, { waiter, isFirst: outcome === "fast", charge });
}

/** Books a request at all levels as having a slot. */
export function chargeAndCount(state: EngineState, waiter: Waiter): void {
  const { key } = waiter;
  becomeActive(state, key.tenant);
  chargeAdmission(state, key, waiter.costTokens);
  changeTaken(state, key, 1);
  if (waiter.session !== null) sessionStarted(state, waiter);
}

/** Gives a slot back and lets go of whoever has no work left. */
export function freeSlot(state: EngineState, key: Key): void {
  changeTaken(state, key, -1);
  const { tenant } = key;
  // Back at its share or below: it borrows no more, and the time since when it did is over.
  const { aboveSince } = tenant.pool;
  if (aboveSince.size > 0 && tenant.taken <= shareInForce(tenant.group.line, tenant)) aboveSince.delete(tenant);
  if (tenant.pool.queued > 0) refreshAll(state, key);
  becomeQuiet(state, key);
}

/**
 * Takes the next waiter of a ready pool out of line and gives it a slot. The pool then goes behind the other ready
 * ones, so that under the ceiling pools take turns.
 */
export function admitNext(state: EngineState, pool: Pool): void {
  const pick = pickTenant(state, pool, usableOf(state, pool));
  const key = pick?.tenant.nextKey ?? null;
  const oldest = key?.oldest ?? null;
  assert(pick !== undefined && key !== null && oldest !== null, "in a ready pool somebody could run");
  // Only here may anything but arrival order decide, and only among the requests of this one key.
  const waiter = key.sessions === null ? oldest : nextOf(state, key, oldest);
  removeFromQueue(key, waiter);
  sessionUnqueued(state, waiter);
  changeQueued(state, key, -1);
  // Written before `admitted`, so that a reader of the log knows by then what kind of slot it was.
  if (pick.isLent) state.decisions.write("lent", waiter, state.nowMs);
  takeSlot(state, waiter, "queued");
  recordJump(state, waiter);
  if (pick.isLent) markAboveShare(state, key);
  refreshAll(state, key);
  moveToLast(state, pool);
}

/** Gives a request its session's held slot when it may have it; says whether it did. `waiter` stands in no line. */
export function redeemHold(state: EngineState, waiter: Waiter, outcome: Grant["outcome"]): boolean {
  const hold = waiter.session?.hold ?? null;
  if (hold === null || !canRedeem(state, waiter)) return false;
  removeHold(state, hold);
  changeTaken(state, hold.key, -1);
  recordJump(state, waiter);
  state.decisions.write("redeemed", waiter, state.nowMs);
  takeSlot(state, waiter, outcome);
  refreshAll(state, waiter.key);
  return true;
}

/** Gives a session's waiting step the slot held for it, when it may have it; says whether it did. */
export function redeemForWaiting(state: EngineState, hold: HeldSlot): boolean {
  const waiter = hold.session.waiters[0];
  if (waiter === undefined || !canRedeem(state, waiter)) return false;
  const { key } = waiter;
  removeFromQueue(key, waiter);
  sessionUnqueued(state, waiter);
  changeQueued(state, key, -1);
  return redeemHold(state, waiter, "queued");
}

/** Slots that a pool's shares are split over at the present moment. */
export function usableOf(state: EngineState, pool: Pool): number {
  return usableSlots({ size: pool.settings.size, taken: pool.taken }, state.ceiling - state.taken);
}

/** Tells the driver that a request has its slot. */
export function announceStart(state: EngineState, waiter: Waiter, outcome: Grant["outcome"]): void {
  waiter.state = "running";
  state.decisions.write("admitted", waiter, state.nowMs);
  const waitMs = outcome === "fast" ? 0 : state.nowMs - waiter.arrivedMs;
  emit(state, { kind: "grant", waiterId: waiter.id, outcome, waitMs, tag: waiter.tag });
}

/** Tells the driver that a request leaves without a slot. */
export function announceRefusal(state: EngineState, waiter: Waiter, reason: Refusal): void {
  const waitMs = state.nowMs - waiter.arrivedMs;
  state.decisions.write(reason, waiter, state.nowMs);
  emit(state, { kind: "refuse", waiterId: waiter.id, reason, waitMs, tag: waiter.tag });
}

/**
 * Whose turn it is within a key of a pool that favours sessions: `pickInKey`'s choice, written to the log when it is
 * not simply the oldest. O(requests that passed).
 */
function nextOf(state: EngineState, key: Key, oldest: Waiter): Waiter {
  const pick = pickInKey(state, key, oldest);
  if (pick.isWarmJump) state.decisions.write("warm", pick.waiter, state.nowMs);
  if (pick.isProtected) state.decisions.write("bypassed", pick.waiter, state.nowMs);
  return pick.waiter;
}

/** Remembers when a tenant rose above its share, as far as a pick can see it. */
function markAboveShare(state: EngineState, { tenant }: Key): void {
  const { aboveSince } = tenant.pool;
  const isAbove = tenant.taken > shareInForce(tenant.group.line, tenant);
  if (isAbove && !aboveSince.has(tenant)) aboveSince.set(tenant, state.nowMs);
}
