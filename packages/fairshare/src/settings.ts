/** What administrators and modes change while the engine runs: sizes, limits, policies, and pools that go. */

import { refreshGroup, refreshPool } from "./candidates";
import { unblock } from "./claims";
import { emit } from "./emit";
import type { LimitsChanged, PolicyChanged, PoolChanged } from "./events";
import { dropAllHolds } from "./hold-life";
import { limitInForce } from "./limits";
import { applyGroupPolicy, applyKeyPolicy, applyTenantPolicy, recapTenant, reweighTenant } from "./policies";
import { defaultSettings, POOL_QUIET_MS } from "./pool";
import { dropSessions, watchWaiting } from "./sessions";
import { splitLimit } from "./shares";
import type { EngineState, Pool, PoolSettings } from "./state";
import { findKey } from "./tenant-keys";

/** Gives what a pool knows newer policies. What it does not know arrives with its next request anyway. */
export function changePolicy(state: EngineState, event: PolicyChanged): void {
  const pool = state.pools.get(event.pool);
  if (pool === undefined) return;
  if (event.tenant !== undefined) {
    const tenant = pool.tenants.get(event.tenant.id);
    if (tenant !== undefined) applyTenantPolicy(state, tenant, event.tenant);
  }
  if (event.group !== undefined) {
    const group = pool.groups.get(event.group.id);
    if (group !== undefined) applyGroupPolicy(group, event.group);
  }
  if (event.key !== undefined) {
    const owner = pool.tenants.get(event.key.tenantId);
    const key = owner === undefined ? undefined : findKey(owner, event.key.policy.id);
    if (key !== undefined) applyKeyPolicy(state, key, event.key.policy);
  }
  refreshPool(state, pool);
}

/**
 * Resizes and rescales a pool at once; running work is never cut short. A size that is not a number from 1 counts as
 * the default. O(models), and O(tenants + keys of the pool) where the percentage or affinity changes.
 */
export function changePool(state: EngineState, event: PoolChanged): void {
  const configuredSize = limitInForce(event.size, defaultSettings(state).configuredSize);
  const settings: PoolSettings = {
    size: splitLimit(configuredSize, state.divisor),
    configuredSize,
    admissionWeight: event.admissionWeight,
    affinity: event.affinity,
    routed: event.routed,
    hasServers: event.hasServers,
    queueWithoutServers: event.queueWithoutServers,
  };
  // A model without a route leaves no settings behind, or names that come and go would pile up.
  if (event.routed) state.settings.set(event.pool, settings);
  else state.settings.delete(event.pool);
  state.sessionKeepMs = longestMemoryMs(state);
  const pool = state.pools.get(event.pool);
  if (pool === undefined) return;
  const before = pool.settings;
  pool.settings = settings;
  if (before.admissionWeight !== settings.admissionWeight) {
    for (const tenant of pool.tenants.values()) reweighTenant(tenant);
  }
  if (before.affinity !== null && settings.affinity === null) stopFavouring(state, pool);
  // Whoever waits already is watched for the bypass limit too.
  if (before.affinity === null && settings.affinity !== null) watchWaiting(pool);
  pool.splitChangedMs = state.nowMs;
  refreshPool(state, pool);
  if (!settings.routed) state.poolSweepAtMs = state.nowMs;
  if (state.poolSweepAtMs <= state.nowMs) sweepPools(state);
}

/**
 * Changes the ceiling, the part of each size and cap that counts here, and who grants slots: all of it before the next
 * pick, because what one mode allows must not be picked under the limits of another.
 */
export function changeLimits(state: EngineState, event: LimitsChanged): void {
  state.configuredCeiling = limitInForce(event.ceiling, state.configuredCeiling);
  state.ceiling = splitLimit(state.configuredCeiling, event.divisor);
  state.isShared = event.slots === "shared";
  for (const pool of state.pools.values()) {
    pool.claimLimit = state.isShared ? state.config.maxOpenClaims : Number.POSITIVE_INFINITY;
  }
  // What was refused under the old limits may be granted under the new ones.
  unblock(state, null);
  if (event.divisor === state.divisor) return;
  state.divisor = event.divisor;
  for (const [id, settings] of state.settings) state.settings.set(id, inPart(settings, event.divisor));
  for (const pool of state.pools.values()) {
    pool.settings = state.settings.get(pool.id) ?? inPart(pool.settings, event.divisor);
    pool.splitChangedMs = state.nowMs;
    recapPool(state, pool);
  }
}

/** Lets go of pools without work that have been quiet for ten minutes or whose model is gone. O(pools). */
export function sweepPools(state: EngineState): void {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const pool of state.pools.values()) {
    if (pool.taken > 0 || pool.queued > 0) continue;
    const goesAtMs = pool.settings.routed ? pool.quietSinceMs + POOL_QUIET_MS : state.nowMs;
    if (goesAtMs <= state.nowMs) {
      dropSessions(state, pool);
      state.pools.delete(pool.id);
    } else nextMs = Math.min(nextMs, goesAtMs);
  }
  state.poolSweepAtMs = nextMs;
}

/**
 * Ends everything about sessions in a pool at once: held slots are free, nobody passes anybody. In shared mode the
 * books are told to drop theirs.
 */
function stopFavouring(state: EngineState, pool: Pool): void {
  dropAllHolds(state, pool);
  dropSessions(state, pool);
  if (state.isShared) emit(state, { kind: "drop_holds", pool: pool.id });
}

/** How long idle sessions are kept: a hold outlasting the warm time must still find its session. */
function longestMemoryMs(state: EngineState): number {
  let longestMs = state.config.warmMs;
  for (const { affinity } of state.settings.values()) longestMs = Math.max(longestMs, affinity?.holdMs ?? 0);
  return longestMs;
}

/** The settings with the part of the configured size that counts here. */
function inPart(settings: PoolSettings, divisor: number): PoolSettings {
  return { ...settings, size: splitLimit(settings.configuredSize, divisor) };
}

/** Works out what follows from new caps in a pool. O(accounts log accounts). */
function recapPool(state: EngineState, pool: Pool): void {
  for (const tenant of pool.tenants.values()) recapTenant(state, tenant);
  for (const group of pool.groups.values()) refreshGroup(group);
  refreshPool(state, pool);
}
