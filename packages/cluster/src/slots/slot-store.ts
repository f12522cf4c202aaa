/**
 * The shared books as one replica sees them: batches of operations, heartbeats, leaving. Each call is one atomic step.
 * `RedisSlots` runs it on Redis; `SlotTable` is the same in memory, the reference that Redis is compared with and the
 * table that simulations run on. Calls take callbacks, so that a simulation decides when an answer comes.
 */
import type { KeyId, PoolId, SessionId, TenantId } from "@obleth/fairshare";

/** Whose slot: what a running request counts against besides the ceiling. */
export interface SlotOwner {
  readonly pool: PoolId;
  readonly tenantId: TenantId;
  readonly keyId: KeyId;
}

/** Asks for one slot under all four limits at once, or for the session's held one. */
export interface ClaimOperation extends SlotOwner {
  readonly kind: "claim";
  /** Configured values, never divided. Slots of the pool and of all pools, from 1. */
  readonly poolSize: number;
  readonly ceiling: number;
  /** Most slots of tenant and key in this pool; null for no cap. */
  readonly tenantCap: number | null;
  readonly keyCap: number | null;
  /** Session whose held slot may serve it; null for none. */
  readonly session: SessionId | null;
  /** How long ago the request arrived, ms from 0. */
  readonly sinceArrivalMs: number;
  /** Ask for the session's held slot and nothing else. */
  readonly isForHoldOnly: boolean;
  /** A request of this pool has waited past the bypass limit: frees the pool's holds. */
  readonly isStarving: boolean;
  /** A request of this key was passed as often as it may be: frees the key's holds. Left out: false. */
  readonly freesKeyHolds?: boolean;
  /** Further requests of this replica that wait for the pool and could take a slot of it, from 0. Left out: 0. */
  readonly othersWaiting?: number;
}

/** Gives back one slot of the owner that this replica has on the books. */
export interface ReleaseOperation extends SlotOwner {
  readonly kind: "release";
}

/** Gives back one slot of the owner, to be held for the session if it may be. */
export interface HoldOperation extends SlotOwner {
  readonly kind: "hold";
  readonly session: SessionId;
  /** How long ago the finished step arrived, ms from 0. */
  readonly sinceArrivalMs: number;
  /** From the session's last finish to that arrival, as its claim reported; null when not known. */
  readonly sinceLastFinishMs: number | null;
  /** How long to hold, ms from 0; 0 holds nothing. */
  readonly holdMs: number;
  /** How long the session is remembered, ms; at least `holdMs`. */
  readonly keepMs: number;
  /** Most held sessions of the pool. */
  readonly maxHeld: number;
  /** Most holds of the session in a row while any replica waits for the pool or the ceiling. */
  readonly maxJumps: number;
}

/** This replica has nothing to claim in the pool (null: in any): slots that are kept for it there are others'. */
export interface WithdrawOperation {
  readonly kind: "withdraw";
  readonly pool: PoolId | null;
}

/** Frees every held slot of a pool. */
export interface DropHoldsOperation {
  readonly kind: "drop-holds";
  readonly pool: PoolId;
}

/** One step of one replica on the books. */
export type SlotOperation = ClaimOperation | ReleaseOperation | HoldOperation | DropHoldsOperation | WithdrawOperation;

/** How a claim ended in the books. `none`: asked for a held slot only, and there is none. */
export const CLAIM_ANSWERS = ["granted", "redeemed", "ceiling", "pool", "tenant", "key", "none"] as const;
/** One of `CLAIM_ANSWERS`. */
export type ClaimAnswer = (typeof CLAIM_ANSWERS)[number];

/** How one operation ended, of the operation's own kind. */
export type SlotAnswer =
  | {
      readonly kind: "claim";
      readonly answer: ClaimAnswer;
      /** Denied only because the room is kept for a replica that has waited longer; ms until that ends. */
      readonly retryMs: number | null;
      /** Granted or redeemed: from the session's last finish to this request's arrival, ms; null when not known. */
      readonly sinceLastFinishMs: number | null;
    }
  /** `not-held`: the books know of no such slot of this replica; nothing changed. */
  | { readonly kind: "release"; readonly answer: "freed" | "not-held" }
  /** `renewed`: the session had a hold, which now lasts longer; this step's slot was freed. */
  | { readonly kind: "hold"; readonly answer: "held" | "renewed" | "freed" | "not-held" }
  | { readonly kind: "drop-holds" }
  | { readonly kind: "withdraw" };

/** Held slots of a pool that one call freed without anybody having taken them. */
export interface LostHolds {
  readonly pool: PoolId;
  /** Their time was over. */
  readonly expired: number;
  /** Freed early, for a request that waited too long or because affinity was turned off. */
  readonly released: number;
}

/** Operations of one replica that run one after another in one atomic call. */
export interface SlotBatch {
  readonly instance: string;
  /** Batches of an older epoch than the replica's last heartbeat are refused. */
  readonly epoch: number;
  readonly operations: readonly SlotOperation[];
}

/** How a call ended: all of it ran, or none. */
export type BatchAnswer =
  /** Unknown, expired, of an older epoch, or the totals were lost: nothing was done; reconcile first. */
  | { readonly kind: "unregistered" }
  | {
      readonly kind: "done";
      /** On the Redis clock. */
      readonly nowMs: number;
      /** One for each operation, in their order. */
      readonly answers: readonly SlotAnswer[];
      readonly lostHolds: readonly LostHolds[];
    };

/** Slots per limit: the ceiling's `g`, `p|<pool>`, `t|<pool>|<tenant>`, `k|<pool>|<key>`, names escaped. */
export type SlotCounts = ReadonlyMap<string, number>;

/** One replica says that it lives and what it holds. */
export interface Heartbeat {
  readonly instance: string;
  /** How long the replica counts as living without another one, ms. */
  readonly ttlMs: number;
  /** Its epoch from here on, never below an earlier one: calls of older epochs that still arrive do nothing. */
  readonly epoch: number;
  /** All that it holds; replaces what the books say. */
  readonly holdings: SlotCounts;
  /** Asks the other replicas for a heartbeat, so that what they hold is on the books as well. */
  readonly asksOthers: boolean;
}

/** A living replica. */
export interface Member {
  readonly instance: string;
  /** On the Redis clock. */
  readonly expiresAtMs: number;
}

/** What a heartbeat found and did. Slots are counts, times the books' clock in ms. */
export interface HeartbeatAnswer {
  /** On the Redis clock. */
  readonly nowMs: number;
  /** False: the replica was unknown or had expired, so the books held nothing of it. */
  readonly wasRegistered: boolean;
  /** Slots taken back from expired replicas. */
  readonly reclaimedSlots: number;
  /** Slots of this replica the books had too many; negative: too few. */
  readonly ownDrift: number;
  /** Slots the total had too many against the sum of its parts; negative: too few. */
  readonly totalDrift: number;
  /** Slots held for sessions' next steps, over all replicas and pools. */
  readonly heldSessions: number;
  /** Slots in use over all replicas and pools, held ones included. */
  readonly totalSlots: number;
  readonly lostHolds: readonly LostHolds[];
  /** Living replicas, this one included. */
  readonly members: readonly Member[];
}

/** A heartbeat reached the books after one of a later epoch, and did nothing. */
export class OvertakenError extends Error {
  readonly code = "heartbeat_overtaken";

  constructor() {
    super("a later heartbeat of this replica was booked before this one");
    this.name = "OvertakenError";
  }
}

/** An answer, or why there is none: then it is not known whether the call ran. */
export type StoreResult<Answer> =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly error: unknown };

/** Takes the result of one call. */
export type Done<Answer> = (result: StoreResult<Answer>) => void;

/** `done` is called once, unless the store never answers; deadlines are the caller's. */
export interface SlotStore {
  /** Runs the operations in their order, all or none. O(operations), and O(holds) for a starving claim or a drop. */
  run(batch: SlotBatch, done: Done<BatchAnswer>): void;
  /**
   * Puts what the replica holds on the books in place of what they say, and takes back what expired replicas held.
   * Fails with `OvertakenError` when the books are of a later epoch. O(limits that anybody has in use).
   */
  heartbeat(beat: Heartbeat, done: Done<HeartbeatAnswer>): void;
  /** Frees all the replica holds and removes it and its view. Answers the slots freed. */
  leave(instance: string, done: Done<number>): void;
}

/** Told about freed slots and about replicas that come and go. */
export interface SlotAnnouncements {
  /** A slot of the pool is free and somebody waits; null: of any pool. */
  onReleased(pool: PoolId | null): void;
  /** A replica joined or left. */
  onMembership(): void;
}
