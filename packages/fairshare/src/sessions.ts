/**
 * Session affinity inside a key: which waiting request of a key goes next, and how often others may pass.
 *
 * A session is warm while a step of it runs and for the warm time after its last one; its requests pass older ones of
 * the same key. Who is passed by whom is known from ids alone: a request is passed exactly by the picks with higher ids
 * made while it waits, and the oldest request of a key has been passed at least as often as any other, so counting for
 * the oldest bounds it for all. Which group, tenant and key is next is none of this module's business.
 */
import type { AffinitySettings } from "./events";
import { RankHeap } from "./rank-heap";
import type { EngineState, Key, KeySessions, Pool, Session, Waiter } from "./state";
import { keysOf } from "./tenant-keys";

/** Idle sessions remembered over all pools; the longest idle go first. Bounds memory against invented session ids. */
export const MAX_IDLE_SESSIONS = 100_000;
/** Idle sessions are let go in batches this far apart at most. */
const SWEEP_EVERY_MS = 1_000;

/** Attaches the key, and the request's session if it has one, when the pool favours sessions. */
export function joinSession(state: EngineState, waiter: Waiter): void {
  const { key } = waiter;
  const { pool } = key.tenant;
  if (pool.settings.affinity === null) return;
  const sessions = attachSessions(key);
  if (waiter.sessionId === null) return;
  const session = sessions.byId.get(waiter.sessionId) ?? makeSession(sessions, waiter.sessionId);
  state.idleSessions.delete(session);
  waiter.session = session;
  if (session.lastFinishMs !== Number.NEGATIVE_INFINITY) {
    waiter.sinceLastFinishMs = waiter.arrivedMs - session.lastFinishMs;
  }
}

/** Gives a key of a pool that favours sessions its sessions, those of an earlier record of it included. */
export function attachSessions(key: Key): KeySessions {
  const { pool } = key.tenant;
  const sessions = pool.sessions.get(key.id) ?? makeKeySessions(pool, key);
  sessions.key = key;
  key.sessions = sessions;
  return sessions;
}

/** Lets go of the sessions of a key that is being forgotten, unless one of them is still worth remembering. */
export function detachSessions(key: Key): void {
  const { sessions } = key;
  if (sessions !== null && sessions.byId.size === 0) sessions.pool.sessions.delete(key.id);
}

/** A request that joined its session is refused before it could queue. */
export function leaveSession(state: EngineState, { session }: Waiter): void {
  if (session !== null && !session.isGone) restIfIdle(state, session);
}

/** The pool stops favouring sessions: all of them are let go. Held slots must be gone before. */
export function dropSessions(state: EngineState, pool: Pool): void {
  for (const of of pool.sessions.values()) {
    for (const session of of.byId.values()) {
      session.isGone = true;
      state.idleSessions.delete(session);
    }
    if (of.cell !== -1) pool.heads.remove(of);
    of.key.sessions = null;
  }
  pool.sessions.clear();
}

/** The pool begins to favour sessions: whoever waits is watched for the bypass limit, sessions begin with later steps. */
export function watchWaiting(pool: Pool): void {
  for (const tenant of pool.tenants.values()) {
    for (const key of keysOf(tenant)) {
      if (key.oldest === null) continue;
      attachSessions(key);
      refreshHead(key);
    }
  }
}

/** The waiter joins its session's queue. Call after it joined its key's. */
export function sessionQueued(state: EngineState, waiter: Waiter): void {
  const { session } = waiter;
  if (session === null || session.isGone) return;
  state.idleSessions.delete(session);
  const { waiters } = session;
  let at = waiters.length;
  while (at > 0 && (waiters[at - 1] as Waiter).id > waiter.id) at -= 1;
  waiters.splice(at, 0, waiter);
  placeWarm(state, session);
}

/** The waiter left its session's queue, for whatever reason. */
export function sessionUnqueued(state: EngineState, waiter: Waiter): void {
  const { session } = waiter;
  if (session === null || session.isGone) return;
  session.waiters.splice(session.waiters.indexOf(waiter), 1);
  placeWarm(state, session);
  restIfIdle(state, session);
}

/** A step of the session has a slot: its waiting requests are warm from here. */
export function sessionStarted(state: EngineState, waiter: Waiter): void {
  const { session } = waiter;
  if (session === null || session.isGone) return;
  state.idleSessions.delete(session);
  session.running += 1;
  placeWarm(state, session);
}

/** A step that had a slot gave it up again without having run. */
export function sessionUnstarted(state: EngineState, waiter: Waiter): void {
  const { session } = waiter;
  if (session === null || session.isGone) return;
  session.running -= 1;
  placeWarm(state, session);
  restIfIdle(state, session);
}

/** A step of the session is over. */
export function sessionFinished(state: EngineState, waiter: Waiter): void {
  const { session } = waiter;
  if (session === null || session.isGone) return;
  session.running -= 1;
  session.lastFinishMs = state.nowMs;
  restIfIdle(state, session);
}

/**
 * Keeps a session that has nothing going on for as long as its last step is worth remembering. One without a finished
 * step goes at the next sweep, not at once: its request may be on its way from the queue to a slot, or back.
 */
export function restIfIdle(state: EngineState, session: Session): void {
  if (session.running > 0 || session.waiters.length > 0 || session.hold !== null) return;
  state.idleSessions.add(session);
  if (state.idleSessions.size > MAX_IDLE_SESSIONS) {
    for (const longestIdle of state.idleSessions) {
      state.idleSessions.delete(longestIdle);
      forgetSession(longestIdle);
      break;
    }
  }
  if (state.sessionSweepAtMs === Number.POSITIVE_INFINITY) {
    const keptUntilMs = Math.max(state.nowMs, session.lastFinishMs + state.sessionKeepMs);
    state.sessionSweepAtMs = keptUntilMs + SWEEP_EVERY_MS;
  }
}

/** Lets go of sessions idle past their time. */
export function sweepSessions(state: EngineState): void {
  state.sessionSweepAtMs = Number.POSITIVE_INFINITY;
  for (const session of state.idleSessions) {
    const goesAtMs = session.lastFinishMs + state.sessionKeepMs;
    if (goesAtMs > state.nowMs) {
      state.sessionSweepAtMs = goesAtMs + SWEEP_EVERY_MS;
      return;
    }
    state.idleSessions.delete(session);
    forgetSession(session);
  }
}

/** How the next request of a key was chosen. */
export interface KeyPick {
  readonly waiter: Waiter;
  /** It passes older requests because its session is warm. */
  readonly isWarmJump: boolean;
  /** It goes first although a warm one waits, because it was passed or has waited long enough. */
  readonly isProtected: boolean;
}

/** The waiting request of a key that could run whose turn it is. `oldest` is the key's oldest waiting request. */
export function pickInKey(state: EngineState, key: Key, oldest: Waiter): KeyPick {
  const affinity = key.tenant.pool.settings.affinity;
  const warm = key.sessions === null || affinity === null ? undefined : firstWarm(state, key.sessions);
  const next = warm?.waiters[0];
  if (next === undefined || next === oldest || affinity === null) {
    return { waiter: oldest, isWarmJump: false, isProtected: false };
  }
  const isProtected = isAtJumpLimit(state, key) || isPastBypass(state, oldest.arrivedMs, affinity);
  return { waiter: isProtected ? oldest : next, isWarmJump: !isProtected, isProtected };
}

/** Whether the key's oldest waiting request has been passed as often as it may be. */
export function isAtJumpLimit(state: EngineState, key: Key): boolean {
  return passesOf(key) >= state.config.maxJumps && key.oldest !== null;
}

/** Times the key's oldest waiting request was passed by later ones of its key. */
export function passesOf({ sessions, oldest }: Key): number {
  return sessions === null || oldest === null ? 0 : passesOver(sessions, oldest);
}

/** Whether a request that is out of the queue had been passed, as often as it may be, when it left. */
export function wasPassedEnough(state: EngineState, waiter: Waiter): boolean {
  const { sessions } = waiter.key;
  const passes = sessions === null ? 0 : passesOver(sessions, waiter);
  return passes > 0 && passes >= state.config.maxJumps;
}

/** Books, once, that a request that is out of the queue started before older ones of its key. */
export function recordJump(state: EngineState, waiter: Waiter): void {
  const { key } = waiter;
  if (key.sessions === null || key.oldest === null || key.oldest.id > waiter.id) return;
  const { jumpers } = key.sessions;
  // One whose claim is open may come back to the queue, with the passes it had.
  let first = key.oldest.id;
  for (const claim of state.claims.values()) {
    if (claim.waiter.key === key && claim.waiter.id < first) first = claim.waiter.id;
  }
  let kept = 0;
  for (const id of jumpers) {
    if (id <= first) continue;
    jumpers[kept] = id;
    kept += 1;
  }
  jumpers.length = kept;
  if (!jumpers.includes(waiter.id)) jumpers.push(waiter.id);
}

/** A request that started before older ones is back in the queue. */
export function unrecordJump(waiter: Waiter): void {
  const jumpers = waiter.key.sessions?.jumpers;
  const at = jumpers?.indexOf(waiter.id) ?? -1;
  if (at !== -1) jumpers?.splice(at, 1);
}

/** Keeps the pool's list of oldest requests that could run in step with a key and its tenant. */
export function refreshHead(key: Key): void {
  const { sessions, oldest, tenant } = key;
  if (sessions === null) return;
  const { heads } = tenant.pool;
  const couldRun = key.isReady && tenant.heap !== null && oldest !== null;
  if (couldRun) sessions.hi = oldest.id;
  if (!couldRun && sessions.cell !== -1) heads.remove(sessions);
  else if (couldRun && sessions.cell === -1) heads.push(sessions);
  else if (couldRun) heads.moved(sessions);
}

/** When the pool's longest-waiting request that could run arrived; Infinity when none could. */
export function oldestArrivalMs(pool: Pool): number {
  const head = pool.heads.top();
  if (head === undefined) return Number.POSITIVE_INFINITY;
  return head.key.oldest?.arrivedMs ?? Number.POSITIVE_INFINITY;
}

/**
 * Whether a request that arrived then has waited as long as may be. Compares the very sum that a wake is asked for: the
 * difference of two times may round to less, and the wake would come to nothing and be asked for again.
 */
export function isPastBypass(state: EngineState, arrivedMs: number, { maxBypassMs }: AffinitySettings): boolean {
  return arrivedMs + maxBypassMs <= state.nowMs;
}

/** The key's warm session whose oldest waiting request is oldest. Those found cold leave the heap. */
function firstWarm(state: EngineState, sessions: KeySessions): Session | undefined {
  for (let first = sessions.warm.top(); first !== undefined; first = sessions.warm.top()) {
    if (isWarm(state, first)) return first;
    sessions.warm.remove(first);
  }
  return undefined;
}

/** Whether the backend's cache likely holds the session's prompt: a step of it runs, or ended within the warm time. */
function isWarm(state: EngineState, session: Session): boolean {
  return session.running > 0 || state.nowMs - session.lastFinishMs <= state.config.warmMs;
}

/**
 * How many later requests of the key started while this one waited; see the head of this file for why ids alone say so.
 */
function passesOver({ jumpers }: KeySessions, { id }: Waiter): number {
  let passes = 0;
  for (const jumper of jumpers) if (jumper > id) passes += 1;
  return passes;
}

/**
 * Keeps the key's heap of warm sessions in step: one stands in it while it has a waiting request and is warm, ranked by
 * the oldest of those.
 */
function placeWarm(state: EngineState, session: Session): void {
  const { warm } = session.of;
  const first = session.waiters[0];
  const belongs = first !== undefined && isWarm(state, session);
  if (first !== undefined) session.hi = first.id;
  if (!belongs && session.cell !== -1) warm.remove(session);
  else if (belongs && session.cell === -1) warm.push(session);
  else if (belongs) warm.moved(session);
}

/**
 * Lets go of a session, and of its key's record once that has no session, nobody waiting and no place among the heads.
 */
function forgetSession(session: Session): void {
  const { of } = session;
  session.isGone = true;
  of.byId.delete(session.id);
  if (of.byId.size > 0 || of.cell !== -1 || of.key.oldest !== null) return;
  of.pool.sessions.delete(of.id);
  of.key.sessions = null;
}

/**
 * The record of a key's sessions. It belongs to the pool, so that it outlives a key that is forgotten between two
 * steps.
 */
function makeKeySessions(pool: Pool, key: Key): KeySessions {
  const made: KeySessions = {
    hi: 0,
    lo: 0,
    lastGranted: 0,
    cell: -1,
    id: key.id,
    pool,
    key,
    byId: new Map(),
    warm: new RankHeap(),
    jumpers: [],
  };
  pool.sessions.set(key.id, made);
  return made;
}

/** A session nothing is known of: not warm until a step of it runs. */
function makeSession(of: KeySessions, id: Session["id"]): Session {
  const session: Session = {
    hi: 0,
    lo: 0,
    lastGranted: 0,
    cell: -1,
    id,
    of,
    running: 0,
    lastFinishMs: Number.NEGATIVE_INFINITY,
    waiters: [],
    hold: null,
    isGone: false,
  };
  of.byId.set(id, session);
  return session;
}
