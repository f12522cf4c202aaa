/** Small pictures of the engine for tests of this folder: plain rows with everything at rest unless said otherwise. */
import {
  type EngineSnapshot,
  type GroupSnapshot,
  groupId,
  type KeySnapshot,
  keyId,
  type PoolSnapshot,
  poolId,
  type TenantSnapshot,
  tenantId,
} from "@obleth/fairshare";
import type { Moment } from "../moment";

export function sampleTenantRow(id: string, known: Partial<TenantSnapshot> = {}): TenantSnapshot {
  return {
    tenantId: tenantId(id),
    group: groupId("default"),
    weight: 100,
    boostFactor: 1,
    effectiveWeight: 100,
    maxInFlight: null,
    inFlight: 0,
    queued: 0,
    held: 0,
    borrowed: 0,
    slotShare: 1,
    servedTokens: 0,
    shareScore: 0,
    weightShare: 1,
    expectedSlots: 1,
    oldestWaitMs: null,
    belowShare: false,
    atCap: false,
    position: null,
    aboveShareMs: null,
    ...known,
  };
}

export function sampleGroupRow(name: string, known: Partial<GroupSnapshot> = {}): GroupSnapshot {
  return {
    name: groupId(name),
    weight: 100,
    inFlight: 0,
    queued: 0,
    held: 0,
    borrowed: 0,
    slotCap: 1,
    servedTokens: 0,
    shareScore: 0,
    weightShare: 1,
    expectedSlots: 1,
    ...known,
  };
}

export function sampleKeyRow(id: string, tenant: string, known: Partial<KeySnapshot> = {}): KeySnapshot {
  return {
    keyId: keyId(id),
    tenantId: tenantId(tenant),
    weight: 100,
    maxInFlight: null,
    inFlight: 0,
    queued: 0,
    held: 0,
    servedTokens: 0,
    shareScore: 0,
    weightShare: 1,
    expectedSlots: 1,
    oldestWaitMs: null,
    atCap: false,
    jumps: 0,
    ...known,
  };
}

/** Counts are added up from the tenants unless given. */
export function samplePoolRow(name: string, known: Partial<PoolSnapshot> = {}): PoolSnapshot {
  const tenants = known.tenants ?? [];
  const sum = (of: (tenant: TenantSnapshot) => number) => tenants.reduce((total, tenant) => total + of(tenant), 0);
  const size = known.size ?? 8;
  return {
    pool: poolId(name),
    size,
    configuredSize: size,
    usable: size,
    admissionWeight: 100,
    inFlight: sum((tenant) => tenant.inFlight),
    queued: sum((tenant) => tenant.queued),
    held: sum((tenant) => tenant.held),
    borrowed: sum((tenant) => tenant.borrowed),
    oldestWaitMs: null,
    virtualTime: 0,
    holdLeftMs: null,
    finishes5m: 0,
    groups: [],
    tenants,
    keys: [],
    ...known,
  };
}

export function sampleEngine(pools: readonly PoolSnapshot[], known: Partial<EngineSnapshot> = {}): EngineSnapshot {
  const sum = (of: (pool: PoolSnapshot) => number) => pools.reduce((total, pool) => total + of(pool), 0);
  return {
    algorithm: "hierarchical",
    ceiling: 4096,
    configuredCeiling: 4096,
    isCeilingReached: false,
    inFlight: sum((pool) => pool.inFlight),
    queued: sum((pool) => pool.queued),
    held: sum((pool) => pool.held),
    borrowed: sum((pool) => pool.borrowed),
    pools,
    ...known,
  };
}

/** This replica alone, in local mode. */
export function sampleMoment(engine: EngineSnapshot, known: Partial<Moment> = {}): Moment {
  return {
    tsMs: 1_700_000_000_000,
    engine,
    own: engine,
    scope: "replica",
    scopeReason: null,
    replicasReporting: 1,
    stateAgeMs: 0,
    uncut: new Map(),
    fleet: {
      mode: "local",
      modeSinceTsMs: 1_700_000_000_000,
      replicas: 1,
      clusterInFlight: null,
      lostClaims: () => 0,
      silentReplica: () => null,
    },
    ...known,
  };
}
