/** Each replica's published picture of its scheduler, and the others' as last read. */
import type { EngineSnapshot, KeyId, PoolId, TenantId } from "@obleth/fairshare";

/** How many tenants and keys a pool really has, where its lists were cut. */
export interface UncutCounts {
  readonly tenants: number;
  readonly keys: number;
}

/** One replica's picture as it was published. */
export interface ReplicaView {
  readonly instance: string;
  /** Within the bounds of `trim-view.ts`; its totals are whole. */
  readonly engine: EngineSnapshot;
  /** For pools whose lists were cut, and no others. */
  readonly uncut: ReadonlyMap<PoolId, UncutCounts>;
  /** What else the replica says of itself (version, mode, start): plain JSON. */
  readonly about: Readonly<Record<string, string | number | boolean | null>>;
}

/** A view that was read, and how old it is. */
export interface ReadView {
  readonly view: ReplicaView;
  /** Since it was published, ms: by the clock of the store up to when it was read, by this replica's from there. */
  readonly ageMs: number;
}

/** A slot that the books hold for a session's next step, whichever replica asks. */
export interface HeldSlot {
  readonly pool: PoolId;
  readonly tenantId: TenantId;
  readonly keyId: KeyId;
  /** Until the hold runs out, ms. */
  readonly leftMs: number;
}

/** What is known of the rest of the fleet. */
export interface OtherViews {
  /** Of the other living replicas that have published within three intervals. */
  readonly views: readonly ReadView[];
  /** Of the whole fleet: while slots are shared no replica has held slots of its own. */
  readonly holds: readonly HeldSlot[];
  /** Why the others' views cannot be read; null when they can. */
  readonly reason: string | null;
}

/** Where the others' views are found. */
export interface ViewStore {
  /** The others' views as last read; never waits. */
  readonly others: OtherViews;
}

/** Longest time between two publications, ms: a page that adds up the fleet is half a second behind at most. */
const PUBLISH_MS = 500;

/** Time between two publications, ms: `PUBLISH_MS`, or every heartbeat if that is shorter. */
export function publishIntervalMs(heartbeatMs: number): number {
  return Math.min(PUBLISH_MS, heartbeatMs);
}

/** A view lives this many intervals, so that one slow publication does not drop a replica. */
export const VIEW_INTERVALS = 3;
