/**
 * Held slots: when a session's step that followed straight on from the one before is over, its slot is kept empty for
 * the next one, for a bounded time, in a bounded part of the pool, and only while nobody is kept waiting past the
 * limits. A held slot counts like a running request everywhere. In shared mode holds live elsewhere and nothing is held
 * here.
 */
import { changeHeld } from "./counts";
import { isAtJumpLimit, isPastBypass, oldestArrivalMs, restIfIdle } from "./sessions";
import { heldLimit } from "./shares";
import type { EngineState, HeldSlot, Key, Pool, Session, Waiter } from "./state";

/**
 * Whether the slot of a step that has just finished is to be held for its session, as far as one engine can tell. Call
 * while the slot still counts as running.
 *
 * It followed straight on from the step before (within the hold time, known for certain); the pool has room among its
 * held slots; nobody has been passed or kept waiting to the limit; and a slot that is freed could be given out at all,
 * or keeping one would hide that a size or cap was lowered.
 */
export function deservesHold(state: EngineState, waiter: Waiter): boolean {
  const { session, key, sinceLastFinishMs } = waiter;
  const { pool } = key.tenant;
  const { affinity, hasServers, routed, size } = pool.settings;
  if (session === null || session.isGone || affinity === null || !hasServers || !routed) return false;
  if (sinceLastFinishMs < 0 || sinceLastFinishMs > affinity.holdMs || affinity.holdMs <= 0) return false;
  if (session.hold === null && pool.held >= maxHeld(pool)) return false;
  if (isAtJumpLimit(state, key) || isStarving(state, pool)) return false;
  return pool.taken <= size && state.taken <= state.ceiling && isWithinCaps(key);
}

/** Most slots of a pool that may be held at once, rounded up; 0 when it does not favour sessions. */
export function maxHeld(pool: Pool): number {
  const { affinity, size } = pool.settings;
  return affinity === null ? 0 : heldLimit(size, affinity.maxHeldPercent);
}

/** A request of the pool that could run has waited past the bypass limit: nothing is held until it has a slot. */
export function isStarving(state: EngineState, pool: Pool): boolean {
  const { affinity } = pool.settings;
  return affinity !== null && isPastBypass(state, oldestArrivalMs(pool), affinity);
}

/**
 * Whether an arriving or waiting request may take its session's held slot: everything counts the slot already, so it is
 * barred only where nothing may start at all or an older request of its key has been passed often enough.
 */
export function canRedeem(state: EngineState, waiter: Waiter): boolean {
  const { session, key } = waiter;
  if (session === null || session.isGone || session.hold === null) return false;
  const { pool } = key.tenant;
  if (pool.settings.affinity === null || !pool.settings.hasServers || state.isShared) return false;
  // Its own newer policy may have lifted a cap behind which a request waited past the bypass limit.
  if (isStarving(state, pool)) return false;
  if (isAtJumpLimit(state, key) && key.oldest !== null && key.oldest.id < waiter.id) return false;
  return pool.taken <= pool.settings.size && state.taken <= state.ceiling && isWithinCaps(key);
}

/** Turns a slot that counts as running into a held one for the session. The session must have no hold. */
export function addHold(state: EngineState, waiter: Waiter, holdMs: number): void {
  const { session, key } = waiter;
  if (session === null) return;
  const { pool } = key.tenant;
  const hold: HeldSlot = { session, key, step: waiter, expiresAtMs: state.nowMs + holdMs };
  session.hold = hold;
  state.idleSessions.delete(session);
  pool.holds.push(hold);
  pool.holdDueMs = Math.min(pool.holdDueMs, hold.expiresAtMs);
  state.holdingPools.add(pool);
  changeHeld(key, 1);
}

/** Takes a hold away; its slot counts as running again until the caller frees or uses it. O(holds of the pool). */
export function removeHold(state: EngineState, hold: HeldSlot): void {
  const { session, key } = hold;
  const { pool } = key.tenant;
  session.hold = null;
  pool.holds.splice(pool.holds.indexOf(hold), 1);
  if (pool.holds.length === 0) {
    pool.holdDueMs = Number.POSITIVE_INFINITY;
    state.holdingPools.delete(pool);
  }
  changeHeld(key, -1);
}

/**
 * When something about a pool's holds falls due: one runs out, or a waiting request reaches the bypass limit. On the
 * scale of the events; Infinity when nothing does. O(1), as it is asked after every step while anything is held.
 */
export function holdsDueMs(pool: Pool): number {
  const { affinity } = pool.settings;
  const starvesAtMs = affinity === null ? Number.POSITIVE_INFINITY : oldestArrivalMs(pool) + affinity.maxBypassMs;
  return Math.min(pool.holdDueMs, starvesAtMs);
}

/**
 * Holds of a pool that must go, with why; the caller frees their slots. Run out first: what is both is told as
 * `hold_expired`. Also works out anew when the next one runs out. O(holds of the pool).
 */
export function holdsToDrop(
  state: EngineState,
  pool: Pool,
): { hold: HeldSlot; why: "hold_expired" | "hold_released" }[] {
  const isUnwanted = pool.settings.affinity === null || state.isShared || isStarving(state, pool);
  const drops: { hold: HeldSlot; why: "hold_expired" | "hold_released" }[] = [];
  let dueMs = Number.POSITIVE_INFINITY;
  for (const hold of pool.holds) {
    if (hold.expiresAtMs <= state.nowMs) drops.push({ hold, why: "hold_expired" });
    else if (isUnwanted || isAtJumpLimit(state, hold.key)) drops.push({ hold, why: "hold_released" });
    else dueMs = Math.min(dueMs, hold.expiresAtMs);
  }
  pool.holdDueMs = dueMs;
  return drops;
}

/** The session may be forgotten once its hold is gone and nothing else goes on. */
export function holdGone(state: EngineState, session: Session): void {
  if (!session.isGone) restIfIdle(state, session);
}

/** Whether key and tenant hold no more than their caps as they are now: a cap that was lowered ends holding first. */
function isWithinCaps(key: Key): boolean {
  return key.taken <= key.cap && key.tenant.taken <= key.tenant.cap;
}
