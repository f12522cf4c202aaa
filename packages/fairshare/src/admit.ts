/**
 * Moving one request through its life: into the queue, out of it with a slot, and away. Every function here leaves
 * counts, split and candidates of all levels in step.
 */
import { moveToLast, refreshGroup, refreshKey, refreshPool, refreshTenant } from "./candidates";
import { addToQueue, removeFromQueue } from "./key-queue";
import { chargeAdmission, rejoinGroup, rejoinKey, rejoinTenant } from "./ledger";
import { usableSlots } from "./limits";
import { shareInForce } from "./line";
import { becomeActive, becomeQuiet } from "./pool";
import { pickTenant } from "./select";
import type { EngineState, Key, Pool, Waiter } from "./state";

/** Puts a waiter in line by its arrival, without lifting anybody; for one that comes back after a refused claim. */
export function putInLine(state: EngineState, waiter: Waiter): void {
  const { key } = waiter;
  const { tenant } = key;
  becomeActive(state, tenant);
  waiter.state = "queued";
  addToQueue(key, waiter);
  changeQueued(state, key, 1);
  refreshAll(state, key);
}

/** Lifts to the level of its siblings whoever, at each level, has nothing waiting; call when a request arrives. */
export function rejoinAll(state: EngineState, key: Key): void {
  const { tenant } = key;
  if (key.queued === 0) rejoinKey(key);
  if (tenant.queued === 0) rejoinTenant(state, tenant);
  if (tenant.group.queued === 0) rejoinGroup(tenant.group);
}

/** Takes a waiter out of line without a slot: its client left, or its time is up. */
export function leaveLine(state: EngineState, waiter: Waiter): void {
  const { key } = waiter;
  removeFromQueue(key, waiter);
  changeQueued(state, key, -1);
  refreshAll(state, key);
  becomeQuiet(state, key);
}

/** Charges a request that is in no queue and gives it a slot, or, in shared mode, the right to claim one. */
export function takeSlot(state: EngineState, waiter: Waiter): void {
  const { key } = waiter;
  becomeActive(state, key.tenant);
  chargeAdmission(state, key, waiter.costTokens);
  changeTaken(state, key, 1);
  if (state.isShared) startClaim(state, waiter);
  else waiter.state = "running";
}

/** Gives a slot back, of a request that runs or claims, and says who has work left. */
export function freeSlot(state: EngineState, key: Key): void {
  changeTaken(state, key, -1);
  const { tenant } = key;
  if (tenant.aboveSinceMs !== -1 && tenant.taken <= shareInForce(tenant.group.line, tenant)) tenant.aboveSinceMs = -1;
  refreshAll(state, key);
  becomeQuiet(state, key);
}

/** Brings the heaps and lists of all four levels up to date with the counts of one key's chain. */
export function refreshAll(state: EngineState, key: Key): void {
  const { tenant } = key;
  refreshKey(key);
  refreshTenant(state, tenant);
  refreshGroup(tenant.group);
  refreshPool(state, tenant.pool);
}

/**
 * Takes the next waiter of a ready pool out of line and gives it a slot. The pool then goes behind the other ready
 * ones, so that under the ceiling pools take turns.
 */
export function admitNext(state: EngineState, pool: Pool): Waiter | undefined {
  const pick = pickTenant(state, pool, usableOf(state, pool));
  const key = pick?.tenant.readyKeys.top();
  const waiter = key?.oldest;
  if (pick === undefined || key === undefined || waiter === null || waiter === undefined) return undefined;
  removeFromQueue(key, waiter);
  changeQueued(state, key, -1);
  takeSlot(state, waiter);
  markAboveShare(state, key, pick.isLent);
  refreshAll(state, key);
  moveToLast(state, pool);
  if (pick.isLent) state.decisions.write("lent", waiter, state.nowMs);
  return waiter;
}

/** Slots that a pool's shares are split over at the present moment. */
export function usableOf(state: EngineState, pool: Pool): number {
  return usableSlots({ size: pool.settings.size, taken: pool.taken }, state.ceiling - state.taken);
}

function startClaim(state: EngineState, waiter: Waiter): void {
  const { tenant } = waiter.key;
  waiter.state = "claiming";
  waiter.key.claiming += 1;
  tenant.claiming += 1;
  tenant.group.claiming += 1;
  tenant.pool.claiming += 1;
  refreshPool(state, tenant.pool);
}

/** Remembers when a tenant rose above its share, as far as a pick can see it. */
function markAboveShare(state: EngineState, key: Key, isLent: boolean): void {
  const { tenant } = key;
  if (!isLent || tenant.aboveSinceMs !== -1) return;
  if (tenant.taken > shareInForce(tenant.group.line, tenant)) tenant.aboveSinceMs = state.nowMs;
}

function changeQueued(state: EngineState, key: Key, by: 1 | -1): void {
  const { tenant } = key;
  key.queued += by;
  tenant.queued += by;
  tenant.group.queued += by;
  tenant.pool.queued += by;
  state.queued += by;
}

function changeTaken(state: EngineState, key: Key, by: 1 | -1): void {
  const { tenant } = key;
  key.taken += by;
  tenant.taken += by;
  tenant.group.taken += by;
  tenant.pool.taken += by;
  state.taken += by;
}
