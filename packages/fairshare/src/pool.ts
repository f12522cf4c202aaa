/**
 * Finds or makes the records of a pool, group, tenant and key, and lets go of quiet ones that carry no information, so
 * that memory follows the work and the debts, not the history.
 */
import { makeFinishCounts } from "./finish-counts";
import type { PoolId } from "./ids";
import { isForgettable } from "./ledger";
import { capInForce, limitInForce, weightInForce } from "./limits";
import { enterSplit, leaveSplit, makeLine, NO_STAMP } from "./line";
import { effectiveWeight, type GroupPolicy, type KeyPolicy, type TenantPolicy } from "./policy";
import { RankHeap } from "./rank-heap";
import { makeLevel } from "./score";
import { detachSessions } from "./sessions";
import { splitLimit } from "./shares";
import type { Account, EngineState, Group, Key, Pool, PoolSettings, Tenant } from "./state";
import { addKey, dropKey, findKey, keysOf } from "./tenant-keys";

/** How long a routed pool is kept after its last work, 10 minutes: pauses of that length do not lose its counters. */
export const POOL_QUIET_MS = 600_000;
/** Quiet accounts a pool keeps without looking whether they can go: few enough that looking would cost more. */
const SWEEP_AT_LEAST = 64;

/** The pool, made afresh with the settings known for it when there is none. */
export function getPool(state: EngineState, id: PoolId): Pool {
  const known = state.pools.get(id);
  if (known !== undefined) return known;
  const startLevel = state.config.startLevel;
  const pool: Pool = {
    id,
    settings: state.settings.get(id) ?? defaultSettings(state),
    queued: 0,
    taken: 0,
    held: 0,
    claiming: 0,
    groups: new Map(),
    tenants: new Map(),
    groupLine: makeLine(startLevel),
    tenantLine: makeLine(startLevel),
    candidates: 0,
    activeTenants: 0,
    sweepAt: SWEEP_AT_LEAST,
    isBlocked: false,
    blockedTenants: [],
    blockedKeys: [],
    claimLimit: state.isShared ? state.config.maxOpenClaims : Number.POSITIVE_INFINITY,
    readyBefore: null,
    readyAfter: null,
    isReady: false,
    quietSinceMs: state.nowMs,
    splitChangedMs: state.nowMs,
    aboveSince: new Map(),
    finishes: makeFinishCounts(),
    sessions: new Map(),
    heads: new RankHeap(),
    holds: [],
    holdDueMs: Number.POSITIVE_INFINITY,
  };
  state.pools.set(id, pool);
  return pool;
}

/** Settings of a pool that no event has described: the default size, everything else neutral. */
export function defaultSettings(state: EngineState): PoolSettings {
  const configuredSize = limitInForce(state.config.defaultPoolSize, 1);
  return {
    size: splitLimit(configuredSize, state.divisor),
    configuredSize,
    admissionWeight: 100,
    affinity: null,
    routed: true,
    hasServers: true,
    queueWithoutServers: false,
  };
}

/**
 * The tenant, made at its line's level when unknown, with the policy as given. One that is known keeps the policy it
 * has: `applyTenantPolicy` brings the newer one, group included.
 */
export function getTenant(state: EngineState, pool: Pool, policy: TenantPolicy): Tenant {
  const known = pool.tenants.get(policy.id);
  if (known !== undefined) return known;
  const group = getGroup(state, pool, policy.group);
  const weight = weightInForce(effectiveWeight(policy, pool.settings.admissionWeight));
  const line = state.config.algorithm === "weighted" ? pool.tenantLine : group.line;
  const tenant: Tenant = {
    hi: line.level.hi,
    lo: line.level.lo,
    rest: 0,
    weight,
    lastGranted: 0,
    cell: -1,
    weightSlot: -1,
    served: 0,
    queued: 0,
    taken: 0,
    held: 0,
    claiming: 0,
    share: 0,
    shareStamp: NO_STAMP,
    id: policy.id,
    pool,
    group,
    line,
    policy,
    cap: capInForce(policy.maxInFlight, state.divisor),
    isBlocked: false,
    heap: null,
    soleKey: null,
    manyKeys: null,
    readyKeys: null,
    nextKey: null,
    keyLevel: makeLevel(state.config.startLevel),
  };
  pool.tenants.set(policy.id, tenant);
  group.members += 1;
  return tenant;
}

/** The group, made at the pool's level when unknown. One that is known keeps its weight. */
export function getGroup(state: EngineState, pool: Pool, policy: GroupPolicy): Group {
  const known = pool.groups.get(policy.id);
  if (known !== undefined) return known;
  const group: Group = {
    hi: pool.groupLine.level.hi,
    lo: pool.groupLine.level.lo,
    rest: 0,
    weight: weightInForce(policy.weight),
    lastGranted: 0,
    cell: -1,
    weightSlot: -1,
    served: 0,
    queued: 0,
    taken: 0,
    held: 0,
    claiming: 0,
    share: 0,
    shareStamp: NO_STAMP,
    id: policy.id,
    pool,
    heap: null,
    line: makeLine(state.config.startLevel),
    members: 0,
    candidates: 0,
  };
  pool.groups.set(policy.id, group);
  return group;
}

/** The tenant's key, made at the level of its siblings when unknown. */
export function getKey(state: EngineState, tenant: Tenant, policy: KeyPolicy): Key {
  const known = findKey(tenant, policy.id);
  if (known !== undefined) return known;
  const key: Key = {
    hi: tenant.keyLevel.hi,
    lo: tenant.keyLevel.lo,
    rest: 0,
    weight: weightInForce(policy.weight),
    lastGranted: 0,
    cell: -1,
    served: 0,
    queued: 0,
    taken: 0,
    held: 0,
    claiming: 0,
    id: policy.id,
    tenant,
    policy,
    cap: capInForce(policy.maxInFlight, state.divisor),
    isBlocked: false,
    isReady: false,
    oldest: null,
    youngest: null,
    sessions: null,
  };
  addKey(tenant, key);
  return key;
}

/** Counts a tenant and its group among those that have work. Call before their counts rise from nothing. */
export function becomeActive(state: EngineState, tenant: Tenant): void {
  // Active already.
  if (tenant.weightSlot !== -1) return;
  const { group, pool } = tenant;
  enterSplit(group.line, tenant);
  pool.activeTenants += 1;
  if (group.weightSlot === -1) enterSplit(pool.groupLine, group);
  pool.splitChangedMs = state.nowMs;
}

/**
 * Takes key, tenant and group that have no work left out of the split, and forgets those at or below their line's
 * virtual time. Call after counts fell.
 */
export function becomeQuiet(state: EngineState, key: Key): void {
  const { tenant } = key;
  // From the inside out: a tenant is quiet only if its keys are, a group only if its tenants are.
  if (isQuiet(key) && isForgettable(key, tenant.keyLevel)) forgetKey(key);
  if (!isQuiet(tenant)) return;
  const { group, pool } = tenant;
  if (pool.aboveSince.size > 0) pool.aboveSince.delete(tenant);
  if (tenant.weightSlot !== -1) {
    leaveSplit(group.line, tenant);
    pool.activeTenants -= 1;
  }
  if (isQuiet(group) && group.weightSlot !== -1) leaveSplit(pool.groupLine, group);
  pool.splitChangedMs = state.nowMs;
  // One that is above the virtual time stays, for its debt; it goes once the line has caught up with it.
  if (isForgettable(tenant, tenant.line.level)) forget(tenant);
  else if (isSweepDue(pool)) sweep(pool);
  if (pool.taken === 0 && pool.queued === 0) becomeQuietPool(state, pool);
}

/** Notes since when a pool has no work, and when it may go. */
function becomeQuietPool(state: EngineState, pool: Pool): void {
  pool.quietSinceMs = state.nowMs;
  const goesAtMs = pool.settings.routed ? state.nowMs + POOL_QUIET_MS : state.nowMs;
  if (goesAtMs < state.poolSweepAtMs) state.poolSweepAtMs = goesAtMs;
}

/** Whether nothing of an account runs, waits or is held. */
export function isQuiet(account: Account): boolean {
  return account.taken === 0 && account.queued === 0;
}

/** Lets go of a key at or below its tenant's virtual time: it would return at exactly that level anyway. */
function forgetKey(key: Key): void {
  dropKey(key);
  detachSessions(key);
}

/**
 * Lets go of a tenant at or below its line's virtual time, with its keys, and of a group that is left without tenants
 * and debts.
 */
function forget(tenant: Tenant): void {
  const { group, pool } = tenant;
  for (const key of keysOf(tenant)) detachSessions(key);
  pool.tenants.delete(tenant.id);
  group.members -= 1;
  if (group.members === 0 && isQuiet(group) && isForgettable(group, pool.groupLine.level)) pool.groups.delete(group.id);
}

/**
 * Most of a pool's tenants are quiet, and as many of them are new as were kept: a look at all is O(1) for each new one.
 */
function isSweepDue({ tenants, activeTenants, sweepAt }: Pool): boolean {
  const quiet = tenants.size - activeTenants;
  return quiet > sweepAt && quiet > activeTenants;
}

/** Looks through the tenants of a pool for quiet ones that can go. */
function sweep(pool: Pool): void {
  let kept = 0;
  for (const tenant of pool.tenants.values()) {
    if (!isQuiet(tenant)) continue;
    if (isForgettable(tenant, tenant.line.level)) forget(tenant);
    else kept += 1;
  }
  pool.sweepAt = Math.max(SWEEP_AT_LEAST, 2 * kept);
}
