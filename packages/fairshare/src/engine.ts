/**
 * The engine: one state, one function that changes it. `step` applies one event at a time given with it and returns
 * what the driver must do. It is deterministic (no clock, randomness, promise or log; nothing hangs on the order of a
 * map), so the same events at the same times give the same effects on every machine.
 *
 * Guarantees after each step: slots in use never exceed the pool's size because of an admission, nor a cap, nor the
 * ceiling; in local mode no slot is free while a request that may take it waits.
 */
import { admitNext, freeSlot, leaveLine, putInLine, refreshAll, rejoinAll, takeSlot } from "./admit";
import { assert, unreachable } from "./assert";
import { hasRoom, refreshPool } from "./candidates";
import { Deadlines } from "./deadlines";
import { type Decision, Decisions } from "./decisions";
import type { Effect, Grant, Refusal } from "./effects";
import type { Arrive, EngineEvent, Finish } from "./events";
import { countFinish } from "./finish-counts";
import type { WaiterId } from "./ids";
import { costInForce, limitInForce } from "./limits";
import { applyKeyPolicy, applyTenantPolicy } from "./policies";
import { becomeQuiet, getKey, getPool, getTenant } from "./pool";
import { changeLimits, changePolicy, changePool, settingsOf, sweepPools } from "./settings";
import type { EngineConfig, EngineState, Key, Pool, Waiter } from "./state";

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

/** A new engine without pools; what `config` leaves out takes its documented default. */
export function createEngine(config: Partial<EngineConfig> = {}): EngineState {
  const full = { ...DEFAULTS, ...config };
  const ceiling = limitInForce(full.ceiling, DEFAULTS.ceiling);
  return {
    config: full,
    pools: new Map(),
    settings: new Map(),
    waiters: new Map(),
    deadlines: new Deadlines(),
    decisions: new Decisions(full.decisionLimit),
    effects: [],
    ceiling,
    configuredCeiling: ceiling,
    isShared: false,
    capDivisor: 1,
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
 * Applies `event` at `nowMs` (fractional milliseconds on any monotonic scale) and returns the effects, in order. The
 * returned array is overwritten by the next call.
 */
export function step(state: EngineState, event: EngineEvent, nowMs: number): readonly Effect[] {
  state.effects.length = 0;
  if (nowMs > state.nowMs) state.nowMs = nowMs;
  if (state.nowMs >= state.wakeAtMs) doWhatIsDue(state);
  apply(state, event);
  admitWaiting(state);
  askForWake(state);
  return state.effects;
}

/** The latest decisions after `sequence`, oldest first, as far as they are still kept. Changes nothing. */
export function decisionsSince(state: EngineState, sequence: number): Decision[] {
  return state.decisions.latest > sequence ? state.decisions.since(sequence) : [];
}

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
    case "retry":
      break;
    case "wake":
      // A timer may fire a little early: asking again is cheap, never being woken is not.
      state.wakeAtMs = Number.POSITIVE_INFINITY;
      break;
    default:
      unreachable(event);
  }
}

function arrive(state: EngineState, event: Arrive): void {
  assert(!state.waiters.has(event.waiterId), "a waiter id is used once");
  const settings = settingsOf(state, event.pool);
  if (!settings.hasServers && !settings.queueWithoutServers) {
    refuse(state, event.waiterId, "no_servers");
    return;
  }
  const pool = getPool(state, event.pool);
  const tenant = getTenant(state, pool, event.tenant);
  applyTenantPolicy(state, tenant, event.tenant);
  const key = getKey(state, tenant, event.key);
  applyKeyPolicy(state, key, event.key);
  // The newer policy may have lifted a cap that older requests wait behind; they go first.
  refreshPool(state, pool);
  const waiter = makeWaiter(state, event, key);
  if (couldRunAtOnce(state, key)) {
    rejoinAll(state, key);
    state.waiters.set(waiter.id, waiter);
    takeSlot(state, waiter);
    refreshAll(state, key);
    announceStart(state, waiter, "fast");
  } else if (isQueueFull(state, pool)) {
    refuse(state, waiter.id, "queue_full");
    state.decisions.write("queue_full", waiter, state.nowMs);
    becomeQuiet(state, key);
  } else {
    rejoinAll(state, key);
    state.waiters.set(waiter.id, waiter);
    state.deadlines.add(waiter);
    putInLine(state, waiter);
    state.decisions.write("queued", waiter, state.nowMs);
  }
}

function finish(state: EngineState, { waiterId }: Finish): void {
  const waiter = state.waiters.get(waiterId);
  if (waiter === undefined || waiter.state !== "running") return;
  state.waiters.delete(waiterId);
  countFinish(waiter.key.tenant.pool.finishes, state.nowMs);
  state.decisions.write("released", waiter, state.nowMs);
  freeSlot(state, waiter.key);
}

function cancel(state: EngineState, waiterId: WaiterId): void {
  const waiter = state.waiters.get(waiterId);
  if (waiter === undefined || waiter.state !== "queued") return;
  state.waiters.delete(waiterId);
  state.deadlines.remove(waiter);
  state.decisions.write("dropped", waiter, state.nowMs);
  leaveLine(state, waiter);
}

/** Hands out slots until none is free or nobody could take one; pools take turns. */
function admitWaiting(state: EngineState): void {
  while (state.taken < state.ceiling && state.readyFirst !== null) {
    const waiter = admitNext(state, state.readyFirst);
    if (waiter === undefined) return;
    state.deadlines.remove(waiter);
    announceStart(state, waiter, "queued");
  }
}

function doWhatIsDue(state: EngineState): void {
  state.wakeAtMs = Number.POSITIVE_INFINITY;
  for (let late = state.deadlines.next(); late !== null && late.dueMs <= state.nowMs; late = state.deadlines.next()) {
    state.waiters.delete(late.id);
    state.deadlines.remove(late);
    refuse(state, late.id, "timed_out", state.nowMs - late.arrivedMs);
    state.decisions.write("timed_out", late, state.nowMs);
    leaveLine(state, late);
  }
  if (state.poolSweepAtMs <= state.nowMs) sweepPools(state);
}

/** Asks to be woken when that is earlier than what was asked for before; a wake too early only asks again. */
function askForWake(state: EngineState): void {
  const dueMs = Math.min(state.deadlines.next()?.dueMs ?? Number.POSITIVE_INFINITY, state.poolSweepAtMs);
  if (dueMs >= state.wakeAtMs) return;
  state.wakeAtMs = dueMs;
  state.effects.push({ kind: "wake_at", atMs: dueMs });
}

/** A free slot in its pool and under the ceiling, nobody there who could run, and room under both its caps. */
function couldRunAtOnce(state: EngineState, key: Key): boolean {
  const { tenant } = key;
  const { pool } = tenant;
  return (
    state.taken < state.ceiling &&
    hasRoom(pool) &&
    !pool.isReady &&
    key.taken < key.cap &&
    !key.isBlocked &&
    tenant.taken < tenant.cap &&
    !tenant.isBlocked
  );
}

function isQueueFull(state: EngineState, pool: Pool): boolean {
  return state.config.maxQueuePerPool > 0 && pool.queued >= state.config.maxQueuePerPool;
}

function announceStart(state: EngineState, waiter: Waiter, outcome: Grant["outcome"]): void {
  state.decisions.write("admitted", waiter, state.nowMs);
  const waitMs = outcome === "fast" ? 0 : state.nowMs - waiter.arrivedMs;
  state.effects.push({ kind: "grant", waiterId: waiter.id, outcome, waitMs });
}

function refuse(state: EngineState, waiterId: WaiterId, reason: Refusal, waitMs = 0): void {
  state.effects.push({ kind: "refuse", waiterId, reason, waitMs });
}

function makeWaiter(state: EngineState, event: Arrive, key: Key): Waiter {
  const timeoutMs = event.timeoutMs !== null && event.timeoutMs >= 0 ? event.timeoutMs : Number.POSITIVE_INFINITY;
  return {
    id: event.waiterId,
    key,
    costTokens: costInForce(event.costTokens),
    arrivedMs: state.nowMs,
    timeoutMs,
    dueMs: state.nowMs + timeoutMs,
    sessionId: event.session,
    state: "queued",
    followsOn: false,
    older: null,
    younger: null,
    duesBefore: null,
    duesAfter: null,
  };
}
