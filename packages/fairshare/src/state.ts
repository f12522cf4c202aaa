/**
 * What the engine remembers. Records only: `step` and the modules it calls are the only ones that change them.
 *
 * Counts at every level: `queued` requests wait, `taken` slots are in use, and of those `held` are kept empty for a
 * session and `claiming` wait for another party's answer; the rest run.
 */
import type { Deadlines } from "./deadlines";
import type { Decisions } from "./decisions";
import type { Effect } from "./effects";
import type { AffinitySettings } from "./events";
import type { FinishCounts } from "./finish-counts";
import type { GroupId, KeyId, PoolId, SessionId, TenantId, WaiterId } from "./ids";
import type { Line } from "./line";
import type { KeyPolicy, TenantPolicy } from "./policy";
import type { Ranked, RankHeap } from "./rank-heap";
import type { Score } from "./score";
import type { Algorithm } from "./snapshot";
import type { WaiterRecords } from "./waiter-records";
import type { WaiterTable } from "./waiter-table";
import type { Weighted } from "./weight-heap";

/**
 * One request from arrival to finish; its record is then used for another (`waiter-records.ts`). `gone` marks a record
 * that stands for no request, and a claiming request whose client left.
 */
export interface Waiter {
  id: WaiterId;
  key: Key;
  /** What its admission charges: whole tokens, 0 to MAX_COST_TOKENS. */
  costTokens: number;
  /** On the scale of the events. */
  arrivedMs: number;
  sessionId: SessionId | null;
  /** The driver's own, handed back with the answer and never looked at. */
  tag: unknown;
  /** null: has none, or its pool does not favour sessions. */
  session: Session | null;
  /** From its session's last finish to its arrival, ms; -1 when not known. */
  sinceLastFinishMs: number;
  /** `probing`: asks elsewhere for its session's held slot, counted as queued but in no queue meanwhile. */
  state: "queued" | "claiming" | "probing" | "running" | "gone";
  /** Neighbours in the key's queue, by arrival; `older` means nothing for the oldest. */
  older: Waiter | null;
  younger: Waiter | null;
}

/** What group, tenant and key have in common. */
export interface Account extends Ranked, Score {
  /** Tokens charged, a plain sum for display. */
  served: number;
  queued: number;
  taken: number;
  held: number;
  claiming: number;
}

/** A group or tenant: what slots are split over. */
export interface Taker extends Account, Weighted {
  /** Whole slots it may take before it borrows, from 1; valid while `shareStamp` is its line's stamp. */
  share: number;
  /** The split that gave the share; with any other stamp than its line's it counts as one. */
  shareStamp: number;
}

/**
 * The lowest level: a credential. Its requests wait in one queue by arrival; which of the tenant's keys goes next is
 * decided by score.
 */
export interface Key extends Account {
  readonly id: KeyId;
  readonly tenant: Tenant;
  policy: KeyPolicy;
  /** Slots it may take: its part under the split; NO_CAP for no cap. */
  cap: number;
  /** A claim was refused because of this key's cap elsewhere. */
  isBlocked: boolean;
  /** It waits and is below its cap. */
  isReady: boolean;
  /** Both ends of its queue; null when nobody waits in it. */
  oldest: Waiter | null;
  youngest: Waiter | null;
  /** null unless its pool favours sessions. */
  sessions: KeySessions | null;
}

/**
 * The middle level: one tenant in one pool. It competes within its group, or under `weighted` with all tenants of the
 * pool.
 */
export interface Tenant extends Taker {
  readonly id: TenantId;
  readonly pool: Pool;
  group: Group;
  /** Where its score is compared: its group's line, or the whole pool's under `weighted`. */
  line: Line<Tenant>;
  policy: TenantPolicy;
  /** Slots it may take: its part under the split; NO_CAP for no cap. */
  cap: number;
  /** A claim was refused because of this tenant's cap elsewhere. */
  isBlocked: boolean;
  /** The heap of those that could run that it stands in, idle or busy; null while it could not. */
  heap: RankHeap<Tenant> | null;
  /** Its key while it has had one only, as most have: a map and a heap each would weigh more than the rest. */
  soleKey: Key | null;
  /** All its keys from the second on; null before. */
  manyKeys: Map<KeyId, Key> | null;
  /** Keys that wait and are below their cap, once it has had several. */
  readyKeys: RankHeap<Key> | null;
  /** The first of those; null when there is none. */
  nextKey: Key | null;
  /** Virtual time among its keys. */
  readonly keyLevel: Score;
}

/**
 * The top level: competes with the pool's other groups. Its score counts its tenants' service alone, not the levels
 * they were placed at.
 */
export interface Group extends Taker {
  readonly id: GroupId;
  readonly pool: Pool;
  /** The heap of those that could run that it stands in, idle or busy; null while none of its tenants could. */
  heap: RankHeap<Group> | null;
  /** Its tenants that have work, and those that could run. */
  readonly line: Line<Tenant>;
  /** Tenants known, quiet ones included. */
  members: number;
  /** Tenants that wait and could run. */
  candidates: number;
}

/** One model's slots and whoever has work there. Pools share nothing but the ceiling. */
export interface Pool {
  readonly id: PoolId;
  settings: PoolSettings;
  queued: number;
  taken: number;
  held: number;
  claiming: number;
  /** Everybody with work, and the quiet that are above their line's virtual time: a debt is not forgotten. */
  readonly groups: Map<GroupId, Group>;
  readonly tenants: Map<TenantId, Tenant>;
  /** Groups that could run, their virtual time, and the split over those with work. */
  readonly groupLine: Line<Group>;
  /** `weighted`: all tenants of the pool that could run, and their virtual time. */
  readonly tenantLine: Line<Tenant>;
  /** Tenants that wait and could run. */
  candidates: number;
  /** Tenants with work. */
  activeTenants: number;
  /** Quiet accounts to keep before they are looked through again. */
  sweepAt: number;
  /** A claim was refused because the pool is full elsewhere. */
  isBlocked: boolean;
  /** Tenants and keys a claim was refused for because of their caps elsewhere. */
  readonly blockedTenants: Tenant[];
  readonly blockedKeys: Key[];
  /** Claims that may be open at once: one after a refusal, until one is granted; Infinity in local mode. */
  claimLimit: number;
  /** Neighbours among the pools that could admit somebody, in turn. */
  readyBefore: Pool | null;
  readyAfter: Pool | null;
  isReady: boolean;
  /** When the last work left it; only meaningful while it has none. */
  quietSinceMs: number;
  /** When its split last changed by who has work, weights or size. */
  splitChangedMs: number;
  /** When tenants rose above their share, as far as picks have seen; who is not above is not in it. */
  readonly aboveSince: Map<Tenant, number>;
  readonly finishes: FinishCounts;
  /** Sessions by key; empty unless the pool favours sessions. They outlive quiet keys that are forgotten. */
  readonly sessions: Map<KeyId, KeySessions>;
  /** Keys that could run, by arrival of their oldest request; empty unless the pool favours sessions. */
  readonly heads: RankHeap<KeySessions>;
  readonly holds: HeldSlot[];
  /** No hold runs out before this; Infinity when there is none. */
  holdDueMs: number;
}

/** One session of one key in one pool. Ranked by its oldest waiting request; stands in its key's heap of warm ones. */
export interface Session extends Ranked {
  readonly id: SessionId;
  readonly of: KeySessions;
  /** Steps that have a slot or claim one. */
  running: number;
  /** When its last step ended; -Infinity before that. */
  lastFinishMs: number;
  /** Its waiting requests, oldest first. */
  readonly waiters: Waiter[];
  /** At most one however many steps run side by side. */
  hold: HeldSlot | null;
  /** The pool stopped favouring sessions: nothing more is to be done with it. */
  isGone: boolean;
}

/** The sessions of one key in one pool. Ranked by the key's oldest waiting request; stands in the pool's `heads`. */
export interface KeySessions extends Ranked {
  readonly id: KeyId;
  readonly pool: Pool;
  /** The key's present record; one that was forgotten has nothing waiting. */
  key: Key;
  readonly byId: Map<SessionId, Session>;
  /** Sessions with waiting requests that were warm when last looked at. */
  readonly warm: RankHeap<Session>;
  /** Requests that passed the key's oldest waiting one, by id; at most the jump limit. */
  readonly jumpers: WaiterId[];
}

/** A slot kept empty for a session's next step. */
export interface HeldSlot {
  readonly session: Session;
  readonly key: Key;
  /** The step that left it: the log tells of the hold under its number. */
  readonly step: Waiter;
  /** On the scale of the events; later when another step of the session ends meanwhile. */
  expiresAtMs: number;
}

/** What must be undone when a claim is refused. */
export interface OpenClaim {
  readonly waiter: Waiter;
  /** Sent in the turn the request arrived in. */
  readonly isFirst: boolean;
  /** null: nothing was charged, as only a held slot was asked for. */
  readonly charge: ChargeRecord | null;
}

/**
 * What one admission's charge changed, as it was before: at each level the weight it was charged at, which must be the
 * weight it is taken back at, and the number of the grant before it, which broke ties.
 */
export interface ChargeRecord {
  /** Number of the grant. */
  readonly grant: number;
  /** The tenant's group at the time, which pays the charge back even when the tenant has moved. */
  readonly group: Group;
  readonly keyWeight: number;
  readonly keyGranted: number;
  readonly tenantWeight: number;
  readonly tenantGranted: number;
  readonly groupWeight: number;
  readonly groupGranted: number;
}

/** A pool's settings as its model has them; see `PoolChanged` for those that are not explained here. */
export interface PoolSettings {
  /** Slots in force here, from 1: the part of `configuredSize` that counts on this gateway. */
  readonly size: number;
  readonly configuredSize: number;
  readonly admissionWeight: number;
  readonly affinity: AffinitySettings | null;
  readonly routed: boolean;
  readonly hasServers: boolean;
  readonly queueWithoutServers: boolean;
}

/** Settings of the whole engine, fixed for its life. */
export interface EngineConfig {
  /** Who is compared with whom; see `select.ts`. */
  readonly algorithm: Algorithm;
  /** Size of a pool that no `pool_changed` event has sized, from 1. */
  readonly defaultPoolSize: number;
  /** Most slots over all pools until a `limits_changed` event says otherwise, from 1. */
  readonly ceiling: number;
  /** Most requests waiting in one pool; 0 for no limit. */
  readonly maxQueuePerPool: number;
  /** `actual`: counters are corrected when the real usage is known. */
  readonly settle: "estimate" | "actual";
  /** How long a session counts as warm after its last step, in ms. */
  readonly warmMs: number;
  /** Times a waiting request may be passed by later ones of its key. */
  readonly maxJumps: number;
  /** Claims open at once per pool in shared mode, from 1. */
  readonly maxOpenClaims: number;
  /** Decisions kept; 0 keeps none. */
  readonly decisionLimit: number;
  /** Score at which every line begins; 0 except in tests of large counters. */
  readonly startLevel: number;
}

/** The engine's whole state. Opaque outside this package. */
export interface EngineState {
  readonly config: EngineConfig;
  /** Those with work and those that had some in the last ten minutes. */
  readonly pools: Map<PoolId, Pool>;
  /** What `pool_changed` events said, by pool; survives the pool itself. */
  readonly settings: Map<PoolId, PoolSettings>;
  /** Every request that waits, claims or runs. */
  readonly waiters: WaiterTable;
  readonly records: WaiterRecords;
  readonly deadlines: Deadlines;
  /** Claims without an answer, by request; those of clients that left stay until it comes. */
  readonly claims: Map<WaiterId, OpenClaim>;
  /** Pools with held slots. */
  readonly holdingPools: Set<Pool>;
  /** Sessions with nothing running, waiting or held, longest quiet first. */
  readonly idleSessions: Set<Session>;
  /** How long an idle session is remembered: its warm time, or the longest hold time of any pool if longer. */
  sessionKeepMs: number;
  /** When idle sessions are next looked through; Infinity for never. */
  sessionSweepAtMs: number;
  readonly decisions: Decisions;
  /** Of the present step. */
  effects: readonly Effect[];
  /** Most slots over all pools that are in force here: `configuredCeiling`, or its part under the split. */
  ceiling: number;
  configuredCeiling: number;
  /** Each pick is a claim that the shared books grant or refuse. */
  isShared: boolean;
  /** Gateways that every limit is divided over; 1 outside the split. */
  divisor: number;
  /** Slots in use over all pools. */
  taken: number;
  queued: number;
  /** Number of the latest grant. */
  grants: number;
  /** Latest time seen. */
  nowMs: number;
  /** Pools that could admit somebody, in turn. */
  readyFirst: Pool | null;
  readyLast: Pool | null;
  /** A claim was refused because of the ceiling elsewhere. */
  isBlocked: boolean;
  /** When the earliest wake asked for is due; Infinity when none is. */
  wakeAtMs: number;
  /** When pools are next looked through for quiet ones; Infinity for never. */
  poolSweepAtMs: number;
}
