/**
 * The read-only picture of the engine's state that live, history, metrics, views, explanations and previews start
 * from. Plain data, safe to serialise; all counts are of one moment. In the pool's picture every share is split over
 * `usable` slots and over the groups and tenants with work (running, waiting or held).
 */
import type { GroupId, KeyId, PoolId, TenantId } from "./ids";

/** `hierarchical` divides slots between groups, then tenants; `weighted` divides tokens between all tenants. */
export type Algorithm = "hierarchical" | "weighted";

/** The time that `finishes5m` covers, ms. */
export const FINISH_WINDOW_MS = 300_000;
/**
 * Finishes in that time from which a pace may be named. By chance alone 20 of them are right to about a fifth; fewer
 * would turn one slow answer into a forecast.
 */
export const MIN_FINISHES_FOR_PACE = 20;

/** Why a tenant's next request has not started. The order is the order in which causes are tried. */
export const WAIT_REASONS = [
  /** Nothing of the tenant waits here. */
  "not_waiting",
  /** The pool has nowhere to send a request. */
  "no_servers",
  /** The tenant has as many slots as its cap allows. */
  "tenant_cap",
  /** Every key of it that waits has as many slots as its cap allows. */
  "key_cap",
  /** The pool has room, but all pools together have not. */
  "global_ceiling",
  /** This gateway's part of the pool is used up, while gateways do not share slots. */
  "fallback_split",
  /** Another gateway has the slots, or wins them. */
  "other_replica",
  /** The slots it would get are held for sessions. */
  "held_slots",
  /** It has less than its share because others have more than theirs; theirs come back as they finish. */
  "below_share",
  /** The next free slot is its. */
  "next_in_line",
  /** All slots are in use and it is not its turn yet. */
  "pool_full",
] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

/**
 * What every level counts. All numbers are of one moment and of this engine alone; `inFlight + held` are the slots in
 * use.
 */
interface Usage {
  /** Requests that have a slot and were started: what the backend sees. */
  readonly inFlight: number;
  /** Requests that wait, those whose claim is open included: their clients wait too. */
  readonly queued: number;
  /** Slots kept empty for a session's next step. */
  readonly held: number;
  /** Slots in use (running and held) above the share. */
  readonly borrowed: number;
}

/** One key with work, in one pool. */
export interface KeySnapshot extends Omit<Usage, "borrowed"> {
  readonly keyId: KeyId;
  readonly tenantId: TenantId;
  /** As configured, from 1; neither boosts nor the model's percentage scale keys. */
  readonly weight: number;
  /** Most slots in force on this gateway, its part under the split; null for no cap. */
  readonly maxInFlight: number | null;
  /** Tokens charged since it last came here without a debt: a plain sum, whatever the weights were meanwhile. */
  readonly servedTokens: number;
  /**
   * Tokens per weight; finite, and negative at times: only distances between siblings mean anything, here the keys of
   * one tenant. Lower goes first.
   */
  readonly shareScore: number;
  /** Part of its tenant's fair share, 0 to 1 of the tenant's. */
  readonly weightShare: number;
  /** The tenant's slot share times `weightShare`, a fraction. */
  readonly expectedSlots: number;
  /** Since its oldest waiting request arrived, 0 or more; null when nothing waits. */
  readonly oldestWaitMs: number | null;
  /** All the slots its cap allows are in use or being claimed. */
  readonly atCap: boolean;
  /** Times its oldest waiting request was passed by later ones of the key; 0 unless its pool favours sessions. */
  readonly jumps: number;
}

/** One tenant with work, in one pool. */
export interface TenantSnapshot extends Usage {
  readonly tenantId: TenantId;
  readonly group: GroupId;
  /** As configured, before boost and percentage. */
  readonly weight: number;
  /** Factor of the boost in force in this pool; 1 when there is none. */
  readonly boostFactor: number;
  /** What it competes with here: `effectiveWeight` of the three, a whole number from 1. */
  readonly effectiveWeight: number;
  /** Most slots in force on this gateway, its part under the split; null for no cap. */
  readonly maxInFlight: number | null;
  /** Whole slots it may hold before it borrows. 0 when takers outnumber slots; it then counts as one. */
  readonly slotShare: number;
  /** As for a key. */
  readonly servedTokens: number;
  /** As for a key, among the tenants of its group; under `weighted`, of the pool. */
  readonly shareScore: number;
  /** Of the whole pool, 0 to 1. */
  readonly weightShare: number;
  /** `weightShare` times usable slots: the fair share, a fraction. */
  readonly expectedSlots: number;
  /** Of all its keys, since the oldest waiting request arrived, 0 or more; null when nothing waits. */
  readonly oldestWaitMs: number | null;
  /** Waits, holds fewer slots than its share, and another tenant here holds at least one more than its own. */
  readonly belowShare: boolean;
  /** All the slots its cap allows are in use or being claimed; its keys' own caps are not looked at. */
  readonly atCap: boolean;
  /** Place among the tenants that wait here, from 1, in the order the scheduler would pick now; null: not waiting. */
  readonly position: number | null;
  /** Milliseconds since it last rose above its slot share; null when not above. */
  readonly aboveShareMs: number | null;
}

/** One group with work, in one pool. */
export interface GroupSnapshot extends Usage {
  readonly name: GroupId;
  /** As configured, from 1; decides nothing under `weighted`. */
  readonly weight: number;
  /** Whole slots the group may hold before it borrows. */
  readonly slotCap: number;
  /** Its tenants' charges while it was their group, since it last came here without a debt. */
  readonly servedTokens: number;
  /** As for a key, among the groups of the pool. */
  readonly shareScore: number;
  /** Of the whole pool, 0 to 1: by its own weight; under `weighted`, by its tenants' together. */
  readonly weightShare: number;
  /** `weightShare` times usable slots, a fraction. */
  readonly expectedSlots: number;
}

/** One pool. Groups, tenants and keys are those with work; under `weighted` a group has what its tenants have. */
export interface PoolSnapshot extends Usage {
  readonly pool: PoolId;
  /** Slots in force on this replica. */
  readonly size: number;
  /** Slots asked for; differs from `size` under the split. */
  readonly configuredSize: number;
  /** Slots that shares are split over: smaller than `size` while the ceiling binds. */
  readonly usable: number;
  /** Percentage that scales every tenant's weight here, from 1; 100 changes nothing. */
  readonly admissionWeight: number;
  /** Since the oldest waiting request of the pool arrived, 0 or more; null when nothing waits. */
  readonly oldestWaitMs: number | null;
  /** Longest time that one of its held slots may still stay empty; null with none. */
  readonly holdLeftMs: number | null;
  /** Lowest share score of a waiting tenant, tokens per weight; with nobody waiting, where one would rejoin. */
  readonly virtualTime: number;
  /** Requests that finished in the last `FINISH_WINDOW_MS`, to five seconds. */
  readonly finishes5m: number;
  readonly groups: readonly GroupSnapshot[];
  readonly tenants: readonly TenantSnapshot[];
  readonly keys: readonly KeySnapshot[];
}

/** Everything at one moment. The sums over all pools are those of `pools`. */
export interface EngineSnapshot extends Usage {
  readonly algorithm: Algorithm;
  /** Most slots over all pools that are in force on this gateway: its part under the split. */
  readonly ceiling: number;
  /** The ceiling as configured for the whole fleet. */
  readonly configuredCeiling: number;
  /** True when no pool may start another request because of the ceiling. */
  readonly isCeilingReached: boolean;
  /** By name. Those that have work or had some lately, and all that are configured. */
  readonly pools: readonly PoolSnapshot[];
}

/**
 * The picture of a pool that nobody uses: one the engine does not know, since nobody has asked for its model yet. Its
 * shares would be split over all of `limits.size`.
 */
export function idlePool(
  pool: PoolId,
  limits: Pick<PoolSnapshot, "size" | "configuredSize" | "admissionWeight">,
): PoolSnapshot {
  return {
    pool,
    ...limits,
    usable: limits.size,
    inFlight: 0,
    queued: 0,
    held: 0,
    borrowed: 0,
    oldestWaitMs: null,
    virtualTime: 0,
    holdLeftMs: null,
    finishes5m: 0,
    groups: [],
    tenants: [],
    keys: [],
  };
}
