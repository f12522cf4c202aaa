/**
 * The scheduler's door to the slots that all replicas share. Nothing here returns a promise: answers come by callback,
 * never before the call returns. Who implements it decides what a silent store means; callers see `unavailable`.
 */
import type { ClaimOutcome, PoolId, TenantId } from "@obleth/fairshare";
import type { ModeState } from "../membership/mode";
import type { Holdings } from "./slot-fields";
import type { ClaimOperation, HoldOperation, SlotOwner } from "./slot-store";

/**
 * How a claim ended. `pool`, `tenant`, `key`, `ceiling`: the limit that has no room; nothing was taken. `unavailable`:
 * the mode has changed meanwhile, and the request is to be scheduled by the new one. `sinceLastFinishMs`: with a slot,
 * from the session's last finish on any replica to this request's arrival; null when not known.
 */
export type SettleClaim = (outcome: ClaimOutcome, sinceLastFinishMs: number | null) => void;

/** A claim whose held slot was asked for alone, and is not there, ends as `pool`. */
export type ClaimRequest = Omit<ClaimOperation, "kind">;
/** What a finished step says of itself when its slot may be held. */
export type HoldRequest = Omit<HoldOperation, "kind">;

/** Shared slots as the scheduler sees them. Nothing here throws or waits. */
export interface ClusterSlots {
  /** What holds at this moment. */
  readonly state: ModeState;
  /**
   * How often this process has stood still past its expiry while it shared. What was granted before the latest time and
   * is not in use at a backend yet counts for nothing: others may have it.
   */
  readonly stalls: number;
  /** Asks for one slot under all four limits. Only in `shared` mode; in any other the outcome is `unavailable`. */
  claim(request: ClaimRequest, settle: SettleClaim): void;
  /** Gives a slot back. Outside `shared` mode nothing is sent: the next heartbeat puts the books right. */
  release(slot: SlotOwner): void;
  /** Gives a slot back that may be held for the session's next step instead. */
  hold(request: HoldRequest): void;
  /** Slots that were free but went to other replicas while this tenant was first to claim here, in a row. */
  lostClaims(pool: PoolId, tenantId: TenantId): number;
  /** Frees every held slot of a pool, for example when its affinity is turned off. */
  dropHolds(pool: PoolId): void;
}

/** What the slots need of whoever owns the requests. */
export interface SlotsHost {
  /**
   * All slots in use on this replica at this moment, local holds included, those still being claimed left out. Asked
   * right after `onMode` has told of `shared`, too: what the new mode ended is no longer among them.
   */
  holdings(): Holdings;
  /** Other limits hold from here on. Comes before the first decision under them. */
  onMode(state: ModeState): void;
  /** What was denied in the pool (null: in any) may be claimed again. */
  retry(pool: PoolId | null): void;
}

/** The kinds of calls, for metrics; a closed list. */
export const SLOT_CALLS = ["claim", "release", "hold", "heartbeat", "leave"] as const;
/** One of `SLOT_CALLS`. */
export type SlotCall = (typeof SLOT_CALLS)[number];

/** What became of held slots on the books: made, run out, or freed early. Taken ones are known from their claims. */
export type HoldChange = "held" | "expired" | "released";

/** For metrics and logs. A listener that throws is not caught: it must not. */
export interface SlotsListener {
  /** One operation was answered, or failed (`timeout`, `error`, `unregistered`), after so many ms. */
  onCall?(call: SlotCall, result: string, latencyMs: number): void;
  /** Held slots of a pool came or went; told by the replica whose call it was, for whichever replica's session. */
  onHolds?(pool: PoolId, change: HoldChange, count: number): void;
  /** Entered or left `fallback`, or the replica count changed; the reason is for the log. */
  onModeChange?(state: ModeState, reason: string): void;
  /** A heartbeat found something to repair, or took slots back from expired replicas. */
  onRepair?(repair: { reclaimedSlots: number; ownDrift: number; totalDrift: number }): void;
  /** Redis stopped answering this replica, or answers again. Not repeated while nothing changes. */
  onReachable?(isReachable: boolean, reason: string): void;
}
