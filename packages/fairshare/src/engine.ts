/**
 * The engine: one state, one function that changes it. `step` applies one event at a time given with it and returns
 * what the driver must do. It is deterministic (no clock, randomness, promise or log; nothing hangs on the order of a
 * map), so the same events at the same times give the same effects on every machine.
 *
 * Guarantees after each step: slots in use never exceed the pool's size because of an admission, nor a cap, nor the
 * ceiling; in local mode no slot is free while a request that may take it waits.
 */

import { admitNext, announceRefusal, freeSlot, leaveLine, putInLine, redeemHold, rejoinAll, takeSlot } from "./admit";
import { unreachable } from "./assert";
import { hasRoom } from "./candidates";
import { abandonClaim, settleClaim, shouldProbe, startProbe, unblock } from "./claims";
import { Deadlines } from "./deadlines";
import { type Decision, Decisions } from "./decisions";
import type { Effect, Refusal } from "./effects";
import { emit, NO_EFFECTS } from "./emit";
import type { Arrive, EngineEvent, Finish, Retry } from "./events";
import { countFinish } from "./finish-counts";
import { finishShared, keepForSession, settleHolds } from "./hold-life";
import { canRedeem, holdsDueMs } from "./holds";
import type { WaiterId } from "./ids";
import { correctCharge } from "./ledger";
import { limitInForce } from "./limits";
import { applyKeyPolicy, applyTenantPolicy } from "./policies";
import { becomeQuiet, getKey, getPool, getTenant } from "./pool";
import { joinSession, leaveSession, sessionFinished, sweepSessions } from "./sessions";
import { changeLimits, changePolicy, changePool, sweepPools } from "./settings";
import type { EngineConfig, EngineState, Key, Pool, Waiter } from "./state";
import { WaiterRecords } from "./waiter-records";
import { WaiterTable } from "./waiter-table";

/**
 * What a configuration leaves out. Each value has its reason where operators set it, in the settings of the product;
 * here they only keep tests and tools short.
 */
const DEFAULTS: EngineConfig = {
  algorithm: "hierarchical",
  defaultPoolSize: 32,
  ceiling: 4096,
  maxQueuePerPool: 0,
  settle: "estimate",
  warmMs: 120_000,
  maxJumps: 8,
  maxOpenClaims: 8,
  decisionLimit: 1024,
  startLevel: 0,
};

/**
 * A new engine without pools, in local mode; what `config` leaves out takes its default above. A ceiling that is not a
 * number from 1 counts as left out. The state belongs to the caller, who passes it to one `step` at a time.
 */
export function createEngine(config: Partial<EngineConfig> = {}): EngineState {
  const full = { ...DEFAULTS, ...config };
  const ceiling = limitInForce(full.ceiling, DEFAULTS.ceiling);
  const waiters = new WaiterTable();
  return {
    config: full,
    pools: new Map(),
    settings: new Map(),
    waiters,
    records: new WaiterRecords(),
    deadlines: new Deadlines(waiters),
    claims: new Map(),
    holdingPools: new Set(),
    idleSessions: new Set(),
    sessionKeepMs: full.warmMs,
    sessionSweepAtMs: Number.POSITIVE_INFINITY,
    decisions: new Decisions(full.decisionLimit),
    effects: NO_EFFECTS,
    ceiling,
    configuredCeiling: ceiling,
    isShared: false,
    divisor: 1,
    taken: 0,
    queued: 0,
    grants: 0,
    nowMs: Number.NEGATIVE_INFINITY,
    readyFirst: null,
    readyLast: null,
    isBlocked: false,
    wakeAtMs: Number.POSITIVE_INFINITY,
    poolSweepAtMs: Number.POSITIVE_INFINITY,
  };
}

/**
 * Applies `event` at `nowMs` (fractional milliseconds on any monotonic scale; one before the latest counts as the
 * latest) and returns the effects, in order. They are the caller's to keep.
 *
 * An event may name what is not there and ask for what is not allowed: it is ignored or read as `events.ts` says. An
 * InvariantError means that the state contradicts itself and is not to be used any more. Each slot that is handed out
 * costs O(log tenants) and a look at fewer accounts than there are slots, however many requests wait; changes of pools
 * and limits are linear in what they change.
 */
export function step(state: EngineState, event: EngineEvent, nowMs: number): readonly Effect[] {
  state.effects = NO_EFFECTS;
  // Time never runs backwards here, whatever the driver's clock does.
  if (nowMs > state.nowMs) state.nowMs = nowMs;
  // What time brought about comes first: a request whose time was up must not get the slot that this event frees.
  if (state.nowMs >= state.wakeAtMs) doWhatIsDue(state);
  apply(state, event);
  if (state.holdingPools.size > 0) settleHolds(state);
  admitWaiting(state);
  // An admission can bring a key to its limit of passes and so end a hold, whose slot is then free. Each round ends a
  // hold at least, so this does.
  while (state.holdingPools.size > 0 && settleHolds(state)) admitWaiting(state);
  askForWake(state);
  return state.effects;
}

/**
 * The decisions after `sequence` (0 for all), oldest first, as far as they are still kept: a reader that was too slow
 * sees a gap in their numbers. Changes nothing. O(decisions returned).
 */
export function decisionsSince(state: EngineState, sequence: number): Decision[] {
  return state.decisions.latest > sequence ? state.decisions.since(sequence) : [];
}

/**
 * The tags of all requests that wait, for a slot or for the answer to a claim, in no useful order: whom a
 * driver that shuts down must answer. O(requests).
 */
export function waitingTags(state: EngineState): unknown[] {
  const tags: unknown[] = [];
  for (const waiter of state.waiters.values()) {
    if (waiter.state !== "running" && waiter.state !== "gone") tags.push(waiter.tag);
  }
  return tags;
}

/** One event, without anything that follows from it: slots are handed out by the caller afterwards, in one place. */
function apply(state: EngineState, event: EngineEvent): void {
  switch (event.kind) {
    case "arrive":
      arrive(state, event);
      break;
    case "finish":
      finish(state, event);
      break;
    case "cancel":
      cancel(state, event.waiterId);
      break;
    case "policy_changed":
      changePolicy(state, event);
      break;
    case "pool_changed":
      changePool(state, event);
      break;
    case "limits_changed":
      changeLimits(state, event);
      break;
    case "claim_settled":
      settleClaim(state, event);
      break;
    case "retry":
      retry(state, event);
      break;
    case "wake":
      // A timer may fire a little early: asking again is cheap, never being woken is not.
      state.wakeAtMs = Number.POSITIVE_INFINITY;
      break;
    default:
      unreachable(event);
  }
}

/**
 * A request comes. It starts at once when a slot is free and nobody in its pool could run; otherwise it queues, even
 * behind nobody: then a cap, the ceiling or the want of servers holds it back.
 *
 * Its policies count before anything is decided, for its older siblings too, and it rejoins its lines only after it was
 * not refused: a refused request leaves no trace in any score.
 */
function arrive(state: EngineState, event: Arrive): void {
  const pool = getPool(state, event.pool);
  const tenant = getTenant(state, pool, event.tenant);
  applyTenantPolicy(state, tenant, event.tenant);
  const key = getKey(state, tenant, event.key);
  applyKeyPolicy(state, key, event.key);
  const waiter = state.records.make(event, key, state.nowMs);
  if (!pool.settings.hasServers && !pool.settings.queueWithoutServers) {
    refuseUnqueued(state, waiter, "no_servers");
    return;
  }
  if (pool.settings.affinity !== null) joinSession(state, waiter);
  // Asked before the request is known anywhere, so that it does not see itself.
  const isFree = couldRunAtOnce(state, key);
  if (!isFree && isQueueFull(state, pool) && !canRedeem(state, waiter)) {
    refuseUnqueued(state, waiter, "queue_full");
    return;
  }
  rejoinAll(key);
  state.waiters.add(waiter);
  if (waiter.session !== null && redeemHold(state, waiter, "fast")) return;
  // A request that starts now needs no deadline, unless its claim may yet send it into the line.
  if (event.timeoutMs !== null && (!isFree || state.isShared)) state.deadlines.add(waiter, event.timeoutMs);
  if (isFree) {
    // Nobody here could run, so nobody's place changes.
    takeSlot(state, waiter, "fast");
  } else if (shouldProbe(state, waiter)) {
    startProbe(state, waiter);
  } else {
    putInLine(state, waiter);
    state.decisions.write("queued", waiter, state.nowMs);
  }
}

/**
 * Sends away a request that never stood in line. What was made for it (session, key, tenant) goes again if it has no
 * other work.
 */
function refuseUnqueued(state: EngineState, waiter: Waiter, reason: Refusal): void {
  announceRefusal(state, waiter, reason);
  leaveSession(state, waiter);
  becomeQuiet(state, waiter.key);
}

/**
 * A running request is over: its slot is free from here on, or held for its session. An unknown number, or that of one
 * that does not run, changes nothing, so a permit may be released twice. `actualTokens` corrects the charge where the
 * configuration says so; null when it is not known.
 */
function finish(state: EngineState, { waiterId, actualTokens }: Finish): void {
  const waiter = state.waiters.get(waiterId);
  if (waiter === undefined || waiter.state !== "running") return;
  const { key } = waiter;
  // Out of the table first: whatever follows, a second finish of it finds nothing.
  state.waiters.delete(waiterId);
  countFinish(key.tenant.pool.finishes, state.nowMs);
  state.decisions.write("released", waiter, state.nowMs);
  if (actualTokens !== null && state.config.settle === "actual") correctCharge(waiter, actualTokens);
  if (state.isShared) {
    finishShared(state, waiter);
  } else if (waiter.session === null) {
    freeSlot(state, key);
    state.records.takeBack(waiter);
  } else if (!keepForSession(state, waiter)) {
    sessionFinished(state, waiter);
    freeSlot(state, key);
  }
}

/** The client of a waiting request left. One that runs must be finished instead; one that is over changes nothing. */
function cancel(state: EngineState, waiterId: WaiterId): void {
  const waiter = state.waiters.get(waiterId);
  if (waiter === undefined || waiter.state === "running" || waiter.state === "gone") return;
  state.decisions.write("dropped", waiter, state.nowMs);
  depart(state, waiter);
}

/** Takes out a request that waits, for a slot or for the answer to its claim. */
function depart(state: EngineState, waiter: Waiter): void {
  if (waiter.state === "queued") {
    state.waiters.delete(waiter.id);
    leaveLine(state, waiter);
    if (waiter.session === null) state.records.takeBack(waiter);
  } else {
    abandonClaim(state, waiter);
  }
}

/**
 * Slots may be free again elsewhere. A pool that is gone in the meantime still ends the wait at the ceiling, which has
 * no pool of its own.
 */
function retry(state: EngineState, event: Retry): void {
  if (event.pool === null) {
    unblock(state, null);
    return;
  }
  const pool = state.pools.get(event.pool);
  if (pool === undefined) state.isBlocked = false;
  else unblock(state, pool);
}

/** Hands out slots until none is free or nobody could take one; pools take turns. */
function admitWaiting(state: EngineState): void {
  while (state.taken < state.ceiling && state.readyFirst !== null && !state.isBlocked) {
    admitNext(state, state.readyFirst);
  }
}

/**
 * All that only time brings about: requests that waited too long, held slots, sessions and pools past their time. Costs
 * nothing before the earliest of them is due, which is what `wakeAtMs` says.
 */
function doWhatIsDue(state: EngineState): void {
  state.wakeAtMs = Number.POSITIVE_INFINITY;
  for (let late = state.deadlines.next(); late !== undefined; late = state.deadlines.next()) {
    if (late.dueMs > state.nowMs) break;
    const { waiter } = late;
    announceRefusal(state, waiter, "timed_out");
    depart(state, waiter);
  }
  if (state.holdingPools.size > 0) settleHolds(state);
  if (state.sessionSweepAtMs <= state.nowMs) sweepSessions(state);
  if (state.poolSweepAtMs <= state.nowMs) sweepPools(state);
}

/** Asks to be woken when that is earlier than what was asked for before; a wake too early only asks again. */
function askForWake(state: EngineState): void {
  let dueMs = Math.min(state.poolSweepAtMs, state.sessionSweepAtMs, state.deadlines.nextMs());
  if (state.holdingPools.size > 0) {
    for (const pool of state.holdingPools) dueMs = Math.min(dueMs, holdsDueMs(pool));
  }
  if (dueMs >= state.wakeAtMs) return;
  state.wakeAtMs = dueMs;
  emit(state, { kind: "wake_at", atMs: dueMs });
}

/** A free slot in its pool and under the ceiling, nobody there who could run, and room under both its caps. */
function couldRunAtOnce(state: EngineState, key: Key): boolean {
  const { tenant } = key;
  const { pool } = tenant;
  return (
    state.taken < state.ceiling &&
    !state.isBlocked &&
    hasRoom(pool) &&
    !pool.isReady &&
    key.taken < key.cap &&
    !key.isBlocked &&
    tenant.taken < tenant.cap &&
    !tenant.isBlocked
  );
}

/** Whether the pool's queue is as long as it may be; a limit of 0 is none. */
function isQueueFull(state: EngineState, pool: Pool): boolean {
  return state.config.maxQueuePerPool > 0 && pool.queued >= state.config.maxQueuePerPool;
}
