/** The shape of an explanation and of the facts it is made from. Data only; see `explain.ts` for the rules. */
import type { ExplainContext, SilentReplica } from "./explain-context";
import type { GroupId, KeyId, PoolId, TenantId } from "./ids";
import type { EngineSnapshot, KeySnapshot, PoolSnapshot, TenantSnapshot, WaitReason } from "./snapshot";

/** Sharper than the reason, where one reason has several causes. */
export const WAIT_CAUSES = [
  /** `not_waiting`: requests were turned away in the last hour, and such do not wait. */
  "refused",
  /** `no_servers`: the three ways to have none. */
  "no_base_url",
  "no_enabled_endpoint",
  "no_ready_replica",
  /** `other_replica`: slots are booked for a gateway that no longer answers, or others win every claim. */
  "silent_replica",
  "lost_claim",
  /** `pool_full`: the tenant has its share already, or nobody has more than its own. */
  "at_share",
  "within_share",
] as const;
export type WaitCause = (typeof WAIT_CAUSES)[number];

/** A tenant with slots above its share: borrowed while others left them, and back when its requests finish. */
export interface Holder {
  readonly tenantId: TenantId;
  readonly tenantName: string;
  /** Slots above its share, at least 1. */
  readonly slots: number;
  /** How long it has been above; null when the snapshot does not know. */
  readonly sinceMs: number | null;
}

/** How many of a tenant's waiting requests wait for one reason. */
export interface BreakdownPart {
  readonly reason: WaitReason;
  /** Waiting requests, at least 1. */
  readonly requests: number;
}

/** The key whose cap is in the way; set only for the reason `key_cap`. */
export interface CappedKey {
  readonly keyId: KeyId;
  readonly keyName: string;
  /** Its cap, and how many of the slots under it are held, in slots. */
  readonly cap: number;
  readonly held: number;
  /** Its requests that wait, at least 1. */
  readonly queued: number;
  /** Other keys of the tenant are in this pool and below their caps. */
  readonly hasFreeSiblings: boolean;
}

/** The counts an explanation rests on; all of one snapshot. */
export interface WaitNumbers {
  /** The tenant's slots in use, running and held. */
  readonly inUse: number;
  /** Its whole slot share, at least 1: a share of 0 counts as one. */
  readonly share: number;
  /** Its requests that wait. */
  readonly queued: number;
  /** Most slots it may have here; null for no cap. */
  readonly cap: number | null;
  /** Slots of the pool in force on this gateway, and as configured for all. */
  readonly poolSize: number;
  readonly poolConfiguredSize: number;
  /** Slots of the pool in use by anyone, on every gateway when the caller knows that. */
  readonly poolInUse: number;
  /** Of those in use, kept empty for sessions. */
  readonly poolHeld: number;
  /** Free slots of the pool, 0 or more. */
  readonly poolFree: number;
  /** Most slots over all pools, and how many are in use. */
  readonly ceiling: number;
  readonly ceilingInUse: number;
  /** Its fair share, the fraction behind `share`. */
  readonly expectedSlots: number;
}

/**
 * All that is known about one tenant's wait. Names, counts and times only: no sentence, so that page, API and command
 * line may word it alike.
 */
export interface Explanation {
  readonly algorithm: EngineSnapshot["algorithm"];
  readonly pool: PoolId;
  readonly tenantId: TenantId;
  readonly tenantName: string;
  readonly group: GroupId;
  readonly reason: WaitReason;
  /** null where the reason says all. */
  readonly cause: WaitCause | null;
  readonly numbers: WaitNumbers;
  readonly cappedKey: CappedKey | null;
  /** Set only for the cause `silent_replica`. */
  readonly silentReplica: SilentReplica | null;
  /** Claims of its first request that other gateways won, in a row. */
  readonly lostClaims: number;
  /** Longest time a held slot of the pool may still stay empty; null when unknown or none is held. */
  readonly holdLeftMs: number | null;
  /** Set only for the reason `not_waiting`. */
  readonly refused: ExplainContext["refused"];
  readonly mode: ExplainContext["mode"];
  /** Milliseconds of the Unix epoch; null when the mode never changed. */
  readonly modeSinceTsMs: number | null;
  readonly queueWithoutServers: boolean;
  readonly admissionTimeoutMs: number;
  /** Most important first. */
  readonly notes: readonly Note[];
  /** Sums to what waits. */
  readonly breakdown: readonly BreakdownPart[];
  /** Others above their share, most slots first, then longest. */
  readonly holders: readonly Holder[];
  /** Place among the waiting tenants, from 1; null when it does not wait. */
  readonly position: number | null;
  /** Requests of others likely to start before its next one; null when its place does not decide. */
  readonly ahead: number | null;
  /** Since its oldest waiting request arrived; null when nothing waits. */
  readonly oldestWaitMs: number | null;
  /** Mean time between finishes in the pool; null below `MIN_FINISHES_FOR_PACE`. */
  readonly finishGapMs: number | null;
  /** `finishGapMs` times the finishes it takes; null when no honest estimate exists. Never a promise. */
  readonly estimatedWaitMs: number | null;
  /** What a person can do about it, most useful first; empty when nothing needs doing. */
  readonly actions: readonly Action[];
}

/** What one pool's explanations share, worked out once so that a pool of thousands costs one pass. */
export interface PoolFacts {
  readonly engine: EngineSnapshot;
  readonly pool: PoolSnapshot;
  readonly context: ExplainContext;
  /** Slots of the pool in use on every gateway, as far as known, and those that are left. */
  readonly inUse: number;
  readonly free: number;
  /** Keys with work, by tenant; one without is absent. */
  readonly keysOf: ReadonlyMap<TenantId, readonly KeySnapshot[]>;
  /** Tenants above their share, most slots first. */
  readonly above: readonly TenantSnapshot[];
}

/** What else is true of a wait, beside its cause. Listed in the order of importance; a reader sees the first. */
export type Note =
  /** More runs than the pool's size since that was cut; nothing starts until `mustFinish` requests are over. */
  | { readonly note: "over_size"; readonly size: number; readonly inUse: number; readonly mustFinish: number }
  /** Its oldest request waited so long that nothing may pass it any more. */
  | { readonly note: "bypass_limit"; readonly oldestWaitMs: number }
  /** A request of the key was passed by warm sessions, and how often it may be. */
  | { readonly note: "passed_by_warm"; readonly keyName: string; readonly jumps: number; readonly maxJumps: number }
  /** The cap is shared out over so many gateways; `here` is this one's part. */
  | { readonly note: "split_cap"; readonly cap: number; readonly replicas: number; readonly here: number }
  /** Slots held for sessions count against the cap that is in the way. */
  | { readonly note: "held_in_cap"; readonly held: number }
  /** Fewer slots than groups with work: they take turns. */
  | { readonly note: "more_takers"; readonly slots: number; readonly groups: number }
  | {
      /** A boost is in force for a tenant that holds more than its share, or for this one. */
      readonly note: "boosted";
      readonly tenantName: string;
      readonly factor: number;
      readonly expiresTsMs: number;
    }
  /** Only one gateway's slots are known; others may hold some too. */
  | { readonly note: "partial_view" };

/** Every kind of note, for the checks that each has words. */
export const NOTE_KINDS = [
  "over_size",
  "bypass_limit",
  "passed_by_warm",
  "split_cap",
  "held_in_cap",
  "more_takers",
  "boosted",
  "partial_view",
] as const satisfies readonly Note["note"][];

/** Every kind of action, for the checks that each has words and a route that exists. */
export const ACTION_KINDS = [
  "open_budgets",
  "open_usage",
  "open_endpoints",
  "scale_backend",
  "change_model_cap",
  "change_tenant_cap",
  "raise_key_cap",
  "raise_ceiling",
  "open_cluster",
  "see_traffic",
  "shorten_hold",
  "lower_held_percent",
  "see_holders",
  "boost_tenant",
  "cap_holder",
  "raise_weight",
  "grow_pool",
  "add_servers",
] as const;
export type ActionKind = (typeof ACTION_KINDS)[number];

/** Something a person can do about a wait, and the management route that does it. */
export interface Action {
  readonly kind: ActionKind;
  /** Null when it happens outside the gateway. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | null;
  /** Path below the API's base, names encoded; null when it happens outside the gateway. */
  readonly route: string | null;
  /** Name of what it acts on: a tenant, key, model or gateway. */
  readonly target: string;
  /** The smallest value that changes the outcome, where there is one. */
  readonly value: number | null;
}
