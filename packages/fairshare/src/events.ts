/**
 * Everything that can happen to the engine. Each event is applied at a time given with it; times never run backwards
 * (an earlier one counts as the latest seen). Whole numbers are expected where units are tokens or counts.
 */
import type { GroupId, KeyId, PoolId, SessionId, TenantId, WaiterId } from "./ids";
import type { GroupPolicy, KeyPolicy, TenantPolicy } from "./policy";

/** A request asks for a slot. Its policy replaces what the pool knew of tenant, group and key. */
export interface Arrive {
  readonly kind: "arrive";
  /** Above every number used before. */
  readonly waiterId: WaiterId;
  /** Made when it has none yet, with what `pool_changed` said of it or the default size. */
  readonly pool: PoolId;
  /** Names the group too; one that differs from the group known so far moves the tenant with all its counts. */
  readonly tenant: TenantPolicy;
  /** Of this tenant: a key never changes its owner. */
  readonly key: KeyPolicy;
  /** Estimated tokens, 0 or more; fractions are rounded, what is not a number counts as 0. */
  readonly costTokens: number;
  /** null: no session, or one that must not be favoured. */
  readonly session: SessionId | null;
  /** Longest wait in milliseconds; null waits without end. */
  readonly timeoutMs: number | null;
  /** Whatever the driver wants handed back with the answer; the engine never looks at it. */
  readonly tag?: unknown;
}

/** The client left while waiting. Leaves no trace and costs nothing. Ignored once granted or gone. */
export interface Cancel {
  readonly kind: "cancel";
  readonly waiterId: WaiterId;
}

/** A granted request is over and its slot free. Ignored when it is not running (released before, or never granted). */
export interface Finish {
  readonly kind: "finish";
  readonly waiterId: WaiterId;
  /** Tokens really used, when known; only looked at when the engine settles on actual usage. */
  readonly actualTokens: number | null;
}

/** Newer policy for what the pool already knows; whoever waits competes with it from the next pick. */
export interface PolicyChanged {
  readonly kind: "policy_changed";
  /**
   * Which pool: weights and caps may differ from model to model. What this pool does not know is left out; it comes
   * with its next request.
   */
  readonly pool: PoolId;
  readonly tenant?: TenantPolicy;
  /** Changes its weight alone; a tenant changes groups by its own policy. */
  readonly group?: GroupPolicy;
  readonly key?: { readonly tenantId: TenantId; readonly policy: KeyPolicy };
}

/** How a pool favours sessions; every value in force, gateway defaults already filled in. */
export interface AffinitySettings {
  /** Longest hold, and longest gap between steps that follow on, in ms; 0 holds nothing. */
  readonly holdMs: number;
  /** Most of the pool's slots held at once, 0 to 100, rounded up to whole slots; 0 holds nothing. */
  readonly maxHeldPercent: number;
  /** Wait in ms after which nothing passes a request that could run. */
  readonly maxBypassMs: number;
}

/** A model's settings as far as its pool is concerned. Resizing cuts nothing short. */
export interface PoolChanged {
  readonly kind: "pool_changed";
  readonly pool: PoolId;
  /** Slots asked for, from 1. Under the split the engine works with its part of them. */
  readonly size: number;
  /** Percent, from 1. */
  readonly admissionWeight: number;
  /** null: off. */
  readonly affinity: AffinitySettings | null;
  /** false: the model is gone; the pool goes as soon as nothing runs, waits or is held in it. */
  readonly routed: boolean;
  /** false: nothing is admitted until it is true again. */
  readonly hasServers: boolean;
  /** Whether requests wait while there are no servers, instead of being refused at once. */
  readonly queueWithoutServers: boolean;
}

/**
 * Limits that hold over all pools, whether slots are asked for elsewhere, and which part of every limit counts here.
 * Takes effect as a whole, pool sizes included.
 */
export interface LimitsChanged {
  readonly kind: "limits_changed";
  /** Most slots over all pools, from 1. */
  readonly ceiling: number;
  /** `shared`: each pick is a claim that another party grants or refuses. */
  readonly slots: "local" | "shared";
  /** Gateways to divide by: every size, cap and ceiling n counts as max(1, ceil(n / divisor)); 1 for no split. */
  readonly divisor: number;
}

/**
 * How a claim can be refused, by the limit that has no room. `none`: it asked for a held slot and there is none.
 * `unavailable`: nobody could say; nothing is claimed in that pool until limits change or a retry.
 */
export const CLAIM_REFUSALS = ["pool", "tenant", "key", "ceiling", "none", "unavailable"] as const;
export type ClaimRefusal = (typeof CLAIM_REFUSALS)[number];
/** `redeemed`: granted by taking the session's held slot. */
export type ClaimOutcome = "granted" | "redeemed" | ClaimRefusal;

/** The answer to a claim. One that was not open (settled before, unknown) is ignored. */
export interface ClaimSettled {
  readonly kind: "claim_settled";
  readonly waiterId: WaiterId;
  readonly outcome: ClaimOutcome;
  /** From the session's last finish anywhere to this request's arrival, ms; null when not known. */
  readonly sinceLastFinishMs: number | null;
}

/** A slot may have come free elsewhere: what a refusal blocked is tried again; in one pool, or in all (null). */
export interface Retry {
  readonly kind: "retry";
  readonly pool: PoolId | null;
}

/** Time has passed: whatever is due is done. The answer to a `wake_at` effect; harmless at any time. */
export interface Wake {
  readonly kind: "wake";
}

/** What `step` takes, in any order. About a request that is unknown or over, an event changes nothing. */
export type EngineEvent =
  | Arrive
  | Cancel
  | Finish
  | PolicyChanged
  | PoolChanged
  | LimitsChanged
  | ClaimSettled
  | Retry
  | Wake;

/** Names of one request's owner, for records that leave the engine. */
export interface Owner {
  readonly pool: PoolId;
  /** The tenant's group when the record was made out. */
  readonly groupId: GroupId;
  readonly tenantId: TenantId;
  readonly keyId: KeyId;
}
