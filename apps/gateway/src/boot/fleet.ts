/**
 * How this replica stands to the others: joins them, tells the scheduler which limits hold, and takes moments of the
 * whole fleet. Without a Redis the same object speaks for one replica alone.
 */
import { type Cluster, type ClusterHost, createCluster, Holdings, type RedisSettings } from "@obleth/cluster";
import type { Settings } from "@obleth/config";
import type { EngineSnapshot, PoolId } from "@obleth/fairshare";
import type { SilentReplica } from "@obleth/fairshare/explain";
import { mergeEngines, mergeUncut } from "../observe/merge-views";
import type { Metrics } from "../observe/metrics";
import type { FleetFacts, Moment } from "../observe/moment";
import type { LimitsFeed } from "../policy-cache/limits-feed";
import type { Scheduler } from "../scheduler/scheduler";
import type { SlotClaims } from "../scheduler/slot-claims";
import type { AffinityTally } from "./affinity-counts";
import type { Foundation } from "./foundation";

export interface Fleet {
  readonly cluster: Cluster;
  /** The scheduler's door to shared slots. */
  readonly slots: SlotClaims;
  facts(): FleetFacts;
  moment(): Moment;
}

/** A heartbeat this many intervals late is a silence worth naming. */
const SILENT_INTERVALS = 2;

export interface FleetNeeds {
  readonly metrics: () => Metrics;
  readonly snapshot: () => EngineSnapshot;
  readonly affinity: AffinityTally;
}

/** Made before the scheduler, which asks it for slots; `join` ties the two. */
export function makeFleet(foundation: Foundation, { metrics, snapshot, affinity }: FleetNeeds): Fleet {
  const { settings, instance, clock, log } = foundation;
  const cluster = createCluster({
    settings: {
      redis: redisSettings(settings),
      prefix: settings.redisPrefix,
      responseTimeoutMs: settings.redisResponseTimeoutMs,
      sharedSlots: settings.sharedSlots,
      replicaAware: settings.replicaAware,
      heartbeatSecs: settings.replicaHeartbeatSecs,
      ttlSecs: settings.replicaTtlSecs,
    },
    instance,
    clock,
    rng: Math.random,
    log: (level, event, fields) => log[level](fields, event),
    onRepair: (repair) => metrics().slotsRepaired(repair),
    onSlotCall: (call, result, latencyMs) => metrics().slotCall(call, result, latencyMs),
    onHolds: (pool, change, count) => affinity.noteHolds(pool, change, count),
  });
  return new ClusterFleet(cluster, foundation, snapshot);
}

export interface JoinOptions {
  readonly fleet: Fleet;
  readonly scheduler: Scheduler;
  readonly limits: LimitsFeed;
  /** What this replica tells the others of itself: plain values. */
  readonly about: () => Readonly<Record<string, string | number | boolean | null>>;
}

/** Joins the others; resolves once it is known how limits hold here. */
export async function join({ fleet, scheduler, limits, about }: JoinOptions): Promise<void> {
  const host: ClusterHost = {
    holdings: () => holdingsOf(scheduler.snapshot()),
    onMode: ({ mode, divisor }) => limits.setMode({ slots: mode === "shared" ? "shared" : "local", divisor }),
    retry: (pool) => scheduler.retry(pool),
    picture: () => ({ engine: scheduler.snapshot(), about: about() }),
  };
  await fleet.cluster.start(host);
}

class ClusterFleet implements Fleet {
  readonly slots: SlotClaims;
  /** Slots in use by pool of replicas seen lately, for when one falls silent. */
  readonly #lastSeen = new Map<string, ReadonlyMap<PoolId, number>>();

  constructor(
    readonly cluster: Cluster,
    private readonly foundation: Foundation,
    private readonly snapshot: () => EngineSnapshot,
  ) {
    const { slots } = cluster;
    this.slots = {
      get stalls() {
        return slots.stalls;
      },
      claim: (claim, settle) => slots.claim(claim, settle),
      release: (release) => slots.release(release),
      hold: (hold) => slots.hold(hold),
      dropHolds: (pool) => slots.dropHolds(pool),
    };
  }

  facts(): FleetFacts {
    return this.#factsOf(null);
  }

  moment(): Moment {
    const own = this.snapshot();
    const { state, views } = this.cluster;
    const isMerged = state.mode === "shared" && views.reason === null;
    const others = isMerged ? views.views : [];
    for (const { view } of others) this.#lastSeen.set(view.instance, inUseByPool(view.engine));
    const engine = mergeEngines([own, ...others.map(({ view }) => view.engine)], isMerged ? views.holds : []);
    return {
      tsMs: this.foundation.clock.wallMs(),
      engine,
      own,
      scope: isMerged ? "cluster" : "replica",
      scopeReason: state.mode === "shared" ? views.reason : null,
      replicasReporting: others.length + 1,
      stateAgeMs: Math.max(0, ...others.map(({ ageMs }) => ageMs)),
      uncut: mergeUncut(
        engine,
        others.map(({ view }) => view.uncut),
      ),
      fleet: this.#factsOf(isMerged ? engine : null),
    };
  }

  /** `merged`: the fleet's picture where there is one. */
  #factsOf(merged: EngineSnapshot | null): FleetFacts {
    const { state, modeChanges, clusterInFlight } = this.cluster;
    const byPool = merged === null ? null : inUseByPool(merged);
    const total = byPool === null ? clusterInFlight : [...byPool.values()].reduce((sum, slots) => sum + slots, 0);
    return {
      mode: state.mode,
      modeSinceTsMs: modeChanges.at(-1)?.atMs ?? 0,
      replicas: state.replicas,
      clusterInFlight:
        state.mode !== "shared" || total === null ? null : { total, ofPool: (pool) => byPool?.get(pool) ?? 0 },
      lostClaims: (pool, tenant) => this.cluster.slots.lostClaims(pool, tenant),
      silentReplica: (pool) => this.#silentReplica(pool),
    };
  }

  #silentReplica(pool: PoolId): SilentReplica | null {
    const { members, heartbeatMs, ttlMs, instance } = this.cluster;
    for (const { instance: name, heartbeatAgeMs: ageMs } of members) {
      const slots = this.#lastSeen.get(name)?.get(pool) ?? 0;
      if (name === instance || slots === 0 || ageMs <= heartbeatMs * SILENT_INTERVALS) continue;
      return { instance: name, slots, ageMs, leftMs: Math.max(0, ttlMs - ageMs) };
    }
    return null;
  }
}

/** Null: no Redis, one replica. */
function redisSettings(settings: Settings): RedisSettings | null {
  if (settings.redisUrl === null && settings.redisSentinels.length === 0) return null;
  return {
    // With Sentinel the address gives no more than credentials.
    url: settings.redisUrl ?? "redis://127.0.0.1",
    isCluster: settings.redisCluster,
    sentinels: settings.redisSentinels.map((address) => {
      const colon = address.lastIndexOf(":");
      return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
    }),
    sentinelName: settings.redisSentinelName,
    connectTimeoutMs: settings.redisConnectTimeoutMs,
  };
}

/** Slots in use here, local holds included. A request whose claim is open counts as waiting, so it is not among them. */
function holdingsOf(engine: EngineSnapshot): Holdings {
  const holdings = new Holdings();
  for (const { pool, keys } of engine.pools) {
    for (const { tenantId, keyId, inFlight, held } of keys) {
      if (inFlight + held > 0) holdings.add({ pool, tenantId, keyId }, inFlight + held);
    }
  }
  return holdings;
}

function inUseByPool(engine: EngineSnapshot): ReadonlyMap<PoolId, number> {
  return new Map(engine.pools.map((pool) => [pool.pool, pool.inFlight + pool.held]));
}
