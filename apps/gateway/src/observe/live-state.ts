/**
 * The live state of the contract, from one moment. Lists every pool with work and every enabled model's, fullest
 * first. What stands at the top adds up over the pools in the answer.
 */
import type { FairshareLive, LivePool, LiveQuery } from "@obleth/contract";
import { idlePool, type PoolId, type PoolSnapshot, poolId } from "@obleth/fairshare";
import { type ExplainSources, explainContextOf } from "./explain-facts";
import { livePool } from "./live-parts";
import { groupTotals, tenantTotals } from "./live-totals";
import type { Moment } from "./moment";

export interface LiveSources extends ExplainSources {
  /** Size of a pool in force and as configured, for pools that the engine does not have yet. */
  readonly poolSize: (pool: PoolId) => { readonly size: number; readonly configuredSize: number };
  readonly configVersion: () => number;
}

/** Everything but `ts_ms` and `state_age_ms`, which change while nothing happens. */
export type TimelessLive = Omit<FairshareLive, "ts_ms" | "state_age_ms">;

export function liveState(moment: Moment, query: LiveQuery, sources: LiveSources): TimelessLive {
  const ownPools = new Map(moment.own.pools.map((pool) => [pool.pool, pool]));
  const pools = shownPools(moment, query, sources)
    .map((pool) => {
      const context = explainContextOf(moment, pool.pool, sources);
      return livePool({ moment, names: sources.names, pool, context, own: ownPools.get(pool.pool) });
    })
    .sort(fullestFirst);
  const slots = pools.reduce((sum, pool) => sum + pool.cap, 0);
  const { engine, fleet } = moment;
  const { replica, names } = sources;
  const isSummary = query.fields === "summary";
  const whole = query.pool === undefined;
  return {
    algorithm: engine.algorithm,
    mode: fleet.mode,
    mode_since_ts_ms: fleet.modeSinceTsMs,
    shared_slots: replica.sharedSlots,
    replica_aware: replica.replicaAware,
    replicas: fleet.replicas,
    scope: moment.scope,
    scope_reason: moment.scopeReason,
    replicas_reporting: moment.replicasReporting,
    instance: replica.instance,
    started_ts_ms: replica.startedTsMs,
    config_version: sources.configVersion(),
    max_in_flight: sumOf(servingPools(pools, sources), (pool) => pool.cap),
    configured_max_in_flight: sumOf(servingPools(pools, sources), (pool) => pool.configured_cap),
    hard_ceiling: engine.ceiling,
    configured_hard_ceiling: engine.configuredCeiling,
    ceiling_reached: engine.isCeilingReached,
    default_model_max_in_flight: replica.defaultModelMaxInFlight,
    in_flight: sumOf(pools, (pool) => pool.in_flight),
    queued: sumOf(pools, (pool) => pool.queued),
    held: sumOf(pools, (pool) => pool.held),
    borrowed: sumOf(pools, (pool) => pool.borrowed),
    cluster_in_flight: whole ? (fleet.clusterInFlight?.total ?? null) : (pools[0]?.cluster_in_flight ?? null),
    replica_in_flight: sumOf(pools, (pool) => pool.replica_in_flight),
    replica_queued: sumOf(pools, (pool) => pool.replica_queued),
    groups: groupTotals(pools, slots),
    ...(isSummary ? {} : { tenants: tenantTotals({ pools, slots, names, nowMs: moment.tsMs }) }),
    pools: isSummary ? pools.map(({ tenants: _tenants, keys: _keys, ...summary }) => summary) : pools,
  };
}

/** In flight and held over the size, then the queue, then the name. */
function fullestFirst(a: LivePool, b: LivePool): number {
  const fullness = (pool: LivePool) => (pool.in_flight + pool.held) / Math.max(1, pool.cap);
  return fullness(b) - fullness(a) || b.queued - a.queued || (a.model < b.model ? -1 : 1);
}

function shownPools(moment: Moment, query: LiveQuery, sources: LiveSources): PoolSnapshot[] {
  const byId = new Map(moment.engine.pools.map((pool) => [pool.pool, pool]));
  const enabled = new Set(sources.models.list().flatMap((model) => (model.enabled ? [poolId(model.name)] : [])));
  if (query.pool !== undefined) {
    const wanted = poolId(sources.models.find(query.pool)?.name ?? query.pool);
    const pool = byId.get(wanted) ?? (sources.models.find(wanted) === undefined ? undefined : idle(wanted, sources));
    return pool === undefined ? [] : [pool];
  }
  const shown = moment.engine.pools.filter(
    (pool) => enabled.has(pool.pool) || pool.inFlight + pool.queued + pool.held > 0,
  );
  for (const pool of enabled) if (!byId.has(pool)) shown.push(idle(pool, sources));
  return shown;
}

function servingPools(pools: readonly LivePool[], sources: LiveSources): LivePool[] {
  return pools.filter((pool) => pool.capacity_state === "ok" && (sources.models.find(pool.model)?.enabled ?? true));
}

/** The pool of a model that nobody has asked for yet. */
function idle(pool: PoolId, sources: LiveSources): PoolSnapshot {
  const admissionWeight = sources.models.find(pool)?.admissionWeight ?? 100;
  return idlePool(pool, { ...sources.poolSize(pool), admissionWeight });
}

function sumOf(pools: readonly LivePool[], of: (pool: LivePool) => number): number {
  return pools.reduce((sum, pool) => sum + of(pool), 0);
}
