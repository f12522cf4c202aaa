/**
 * One moment of the scheduler as the state pages see it: the counts of every replica that reports (or of this one
 * alone), this replica's own, and how far the picture reaches. Made by `moments.ts`, shown by `live-state.ts`.
 */
import type { EngineSnapshot, PoolId, TenantId } from "@obleth/fairshare";
import type { LimitMode, SilentReplica } from "@obleth/fairshare/explain";

export interface Moment {
  /** Wall clock, milliseconds. */
  readonly tsMs: number;
  /** Merged over the replicas that report; the same object as `own` when this replica speaks for itself alone. */
  readonly engine: EngineSnapshot;
  readonly own: EngineSnapshot;
  readonly scope: "cluster" | "replica";
  /** Why the picture is this replica's alone although there are others; null when that is as it should be. */
  readonly scopeReason: string | null;
  readonly replicasReporting: number;
  /** Age of the oldest view in it; 0 for this replica alone. */
  readonly stateAgeMs: number;
  /** Tenants and keys a pool really has, where lists were cut. */
  readonly uncut: ReadonlyMap<PoolId, { readonly tenants: number; readonly keys: number }>;
  readonly fleet: FleetFacts;
}

/** How limits hold across replicas at this moment. */
export interface FleetFacts {
  readonly mode: LimitMode;
  readonly modeSinceTsMs: number;
  readonly replicas: number;
  /** Slots in use over the fleet; null outside shared mode. */
  readonly clusterInFlight: { readonly total: number; readonly ofPool: (pool: PoolId) => number } | null;
  /** Free slots of a pool that other gateways got while this tenant was first in line here, in a row. */
  readonly lostClaims: (pool: PoolId, tenant: TenantId) => number;
  readonly silentReplica: (pool: PoolId) => SilentReplica | null;
}

/** Facts that never change while the process runs. */
export interface ReplicaFacts {
  readonly instance: string;
  readonly startedTsMs: number;
  readonly sharedSlots: boolean;
  readonly replicaAware: boolean;
  readonly defaultModelMaxInFlight: number;
  readonly admissionTimeoutMs: number;
  /** Times a waiting request may be passed by later ones of its key. */
  readonly maxJumps: number;
}
