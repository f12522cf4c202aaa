/**
 * What needs somebody's attention, most urgent first. Pure: facts of one moment in, the list out. An item is there as
 * long as its condition holds and no longer.
 */
import type { Cluster, FairshareLive, LivePool, Overview, OverviewItem } from "@obleth/contract";
import type { BoostView } from "@obleth/db";
import type { NearBudget } from "./near-budgets";

/** A boost that ends within this is worth a look: somebody may want to extend it. */
const BOOST_ENDING_MS = 10 * 60_000;
/** Older than this the state is not worth acting on. */
const STALE_MS = 10_000;

export interface OverviewFacts {
  readonly live: FairshareLive;
  readonly cluster: Cluster;
  /** In force. */
  readonly boosts: readonly BoostView[];
  readonly budgets: readonly NearBudget[];
  /** Requests refused in the last hour, by model without servers. */
  readonly refused: ReadonlyMap<string, number>;
  readonly setup: Overview["setup"];
  readonly nowMs: number;
  readonly admissionTimeoutMs: number;
}

export function overviewOf(facts: OverviewFacts): Overview {
  const { live } = facts;
  const serving = live.pools.filter((pool) => pool.capacity_state === "ok");
  const waits = live.pools.map((pool) => pool.oldest_wait_ms).filter((wait) => wait !== null);
  return {
    ts_ms: live.ts_ms,
    scope: live.scope,
    replicas: live.replicas,
    replicas_reporting: live.replicas_reporting,
    mode: live.mode,
    state_age_ms: live.state_age_ms,
    pools: live.pools.length,
    pools_full: serving.filter(isFull).length,
    tenants_active: (live.tenants ?? []).length,
    tenants_below_share: (live.tenants ?? []).filter((tenant) => tenant.below_share).length,
    in_flight: live.in_flight,
    held: live.held,
    queued: live.queued,
    max_in_flight: live.max_in_flight,
    hard_ceiling: live.hard_ceiling,
    oldest_wait_ms: waits.length === 0 ? null : Math.max(...waits),
    items: [
      ...staleItems(facts),
      ...modeItems(facts),
      ...fullItems(facts),
      ...noServersItems(facts),
      ...belowShareItems(facts),
      ...lateItems(facts),
      ...longWaitItems(facts),
      ...boostItems(facts),
      ...budgetItems(facts),
      ...watchItems(facts),
    ],
    setup: facts.setup,
  };
}

const inUse = (pool: { in_flight: number; held: number }) => pool.in_flight + pool.held;
const isFull = (pool: LivePool) => pool.cap > 0 && inUse(pool) >= pool.cap;
const poolObject = (pool: LivePool) => ({ type: "pool" as const, id: pool.model, name: pool.model, pool: pool.model });
const clusterObject = { type: "cluster" as const, id: "cluster", name: "cluster", pool: null };

function staleItems({ live, nowMs }: OverviewFacts): OverviewItem[] {
  if (live.state_age_ms <= STALE_MS) return [];
  const numbers = { state_age_ms: live.state_age_ms };
  const since = Math.max(0, nowMs - live.state_age_ms);
  return [{ kind: "stale", urgent: true, object: clusterObject, since_ts_ms: since, reason: null, numbers }];
}

function modeItems({ live }: OverviewFacts): OverviewItem[] {
  const isLocalFleet = live.mode === "local" && live.replicas > 1;
  if (live.mode !== "fallback" && !isLocalFleet) return [];
  return [
    {
      kind: isLocalFleet ? "local_with_several" : "fallback",
      urgent: true,
      object: clusterObject,
      since_ts_ms: live.mode_since_ts_ms,
      reason: null,
      numbers: { replicas: live.replicas },
    },
  ];
}

function fullItems({ live, nowMs }: OverviewFacts): OverviewItem[] {
  return live.pools
    .filter((pool) => pool.capacity_state === "ok" && isFull(pool) && pool.queued > 0)
    .sort((a, b) => (b.oldest_wait_ms ?? 0) - (a.oldest_wait_ms ?? 0))
    .map((pool) => {
      const above = [...(pool.tenants ?? [])].sort((a, b) => b.borrowed - a.borrowed)[0];
      return {
        kind: "full_waiting",
        urgent: true,
        object: poolObject(pool),
        since_ts_ms: since(pool.oldest_wait_ms, nowMs),
        reason: null,
        numbers: {
          in_use: inUse(pool),
          cap: pool.cap,
          queued: pool.queued,
          oldest_wait_ms: pool.oldest_wait_ms,
          above_share_tenant: above !== undefined && above.borrowed > 0 ? above.name : null,
          above_share_slots: above?.borrowed ?? 0,
        },
      };
    });
}

/** Urgent where somebody misses them; the others are only watched. */
function noServersItems({ live, refused, nowMs }: OverviewFacts): OverviewItem[] {
  return live.pools
    .filter((pool) => pool.capacity_state === "no_servers")
    .map((pool) => ({
      kind: "no_servers",
      urgent: pool.queued > 0 || refused.has(pool.model),
      object: { type: "model", id: pool.model, name: pool.model, pool: pool.model },
      since_ts_ms: since(pool.oldest_wait_ms, nowMs),
      reason: "no_servers",
      numbers: {
        cause: pool.no_servers_cause,
        queued: pool.queued,
        refused: refused.get(pool.model) ?? 0,
        cap: pool.cap,
      },
    }));
}

/** Held back by its own cap is no grievance: that tenant is left out. */
function belowShareItems({ live, nowMs }: OverviewFacts): OverviewItem[] {
  const found = live.pools.flatMap((pool) =>
    (pool.tenants ?? [])
      .filter((tenant) => tenant.below_share && tenant.reason !== "tenant_cap" && tenant.reason !== "key_cap")
      .map((tenant) => ({ pool, tenant })),
  );
  return found
    .sort((a, b) => (b.tenant.oldest_wait_ms ?? 0) - (a.tenant.oldest_wait_ms ?? 0))
    .map(({ pool, tenant }) => ({
      kind: "below_share",
      urgent: true,
      object: { type: "tenant", id: tenant.tenant_id, name: tenant.name, pool: pool.model },
      since_ts_ms: since(tenant.oldest_wait_ms, nowMs),
      reason: tenant.reason,
      numbers: {
        in_use: inUse(tenant),
        slot_share: tenant.slot_share,
        queued: tenant.queued,
        oldest_wait_ms: tenant.oldest_wait_ms,
      },
    }));
}

function lateItems({ cluster, nowMs }: OverviewFacts): OverviewItem[] {
  return cluster.replicas.flatMap((replica) => {
    const age = replica.heartbeat_age_ms;
    if (replica.self || age === null || age <= replica.ttl_ms / 2) return [];
    return [
      {
        kind: "gateway_late" as const,
        urgent: true,
        object: { type: "gateway" as const, id: replica.instance, name: replica.instance, pool: null },
        since_ts_ms: since(age, nowMs),
        reason: null,
        numbers: { heartbeat_age_ms: age, ttl_ms: replica.ttl_ms, booked_slots: replica.booked_slots },
      },
    ];
  });
}

/** Pools that are not full and still keep somebody waiting past half the timeout. Full ones are listed already. */
function longWaitItems({ live, nowMs, admissionTimeoutMs }: OverviewFacts): OverviewItem[] {
  return live.pools
    .filter((pool) => pool.capacity_state === "ok" && !isFull(pool))
    .filter((pool) => (pool.oldest_wait_ms ?? 0) > admissionTimeoutMs / 2)
    .map((pool) => ({
      kind: "long_wait",
      urgent: true,
      object: poolObject(pool),
      since_ts_ms: since(pool.oldest_wait_ms, nowMs),
      reason: null,
      numbers: { oldest_wait_ms: pool.oldest_wait_ms, timeout_ms: admissionTimeoutMs, queued: pool.queued },
    }));
}

function boostItems({ boosts, nowMs }: OverviewFacts): OverviewItem[] {
  return boosts
    .filter((boost) => boost.expiresAt.getTime() - nowMs <= BOOST_ENDING_MS)
    .map((boost) => ({
      kind: "boost_ending",
      urgent: false,
      object: { type: "boost", id: boost.id, name: boost.tenantName, pool: boost.model },
      since_ts_ms: boost.createdAt.getTime(),
      reason: null,
      numbers: { ends_in_ms: Math.max(0, boost.expiresAt.getTime() - nowMs), factor: boost.factor },
    }));
}

function budgetItems({ budgets }: OverviewFacts): OverviewItem[] {
  return budgets.map(({ account, fraction, resetsTsMs }) => ({
    kind: "budget_near",
    urgent: fraction >= 1,
    object: { type: account.owner, id: account.id, name: account.name, pool: null },
    since_ts_ms: null,
    reason: null,
    numbers: { used_fraction: fraction, resets_ts_ms: resetsTsMs },
  }));
}

/** Full without anybody waiting: a pool that is well used. */
function watchItems({ live }: OverviewFacts): OverviewItem[] {
  return live.pools
    .filter((pool) => pool.capacity_state === "ok" && isFull(pool) && pool.queued === 0)
    .map((pool) => ({
      kind: "full",
      urgent: false,
      object: poolObject(pool),
      since_ts_ms: null,
      reason: null,
      numbers: { in_use: inUse(pool), cap: pool.cap },
    }));
}

function since(ageMs: number | null, nowMs: number): number | null {
  return ageMs === null ? null : Math.max(0, nowMs - ageMs);
}
