/**
 * Why a tenant's next request has not started, as data: the first cause that applies, what else is true, who holds
 * slots above their share, how far along it is, and what would change it. Sentences are made in `words.ts`.
 *
 * Pure: everything rests on one snapshot and on facts the caller gathered at the same moment. The order in which
 * causes are tried is that of `WAIT_REASONS`; the first that applies is what must change for the request to start.
 */
import { actionsFor } from "./explain-actions";
import type { ExplainContext } from "./explain-context";
import type { BreakdownPart, CappedKey, Explanation, Holder, PoolFacts, WaitCause, WaitNumbers } from "./explain-data";
import { notesFor } from "./explain-notes";
import type { TenantId } from "./ids";
import {
  type EngineSnapshot,
  FINISH_WINDOW_MS,
  type KeySnapshot,
  MIN_FINISHES_FOR_PACE,
  type PoolSnapshot,
  type TenantSnapshot,
  type WaitReason,
} from "./snapshot";

export * from "./explain-context";
export * from "./explain-data";

/**
 * Claims lost in a row that make losing them the cause rather than chance: between two gateways that are equally quick
 * so many are lost one time in eight.
 */
export const LOST_CLAIMS_FOR_CAUSE = 3;

/**
 * Prepares a pool for `reasonOf` and `explainTenant`. `pool` is one of `engine`, and `context` speaks of the same
 * moment; facts of two moments would name causes that never held. Cost O(tenants log tenants + keys).
 */
export function poolFacts(engine: EngineSnapshot, pool: PoolSnapshot, context: ExplainContext): PoolFacts {
  const keysOf = new Map<TenantId, KeySnapshot[]>();
  for (const key of pool.keys) {
    const list = keysOf.get(key.tenantId);
    if (list === undefined) keysOf.set(key.tenantId, [key]);
    else list.push(key);
  }
  const inUse = context.fleetInUse ?? pool.inFlight + pool.held;
  const above = pool.tenants
    .filter((tenant) => tenant.borrowed > 0)
    .sort(
      (a, b) =>
        b.borrowed - a.borrowed || (b.aboveShareMs ?? 0) - (a.aboveShareMs ?? 0) || (a.tenantId < b.tenantId ? -1 : 1),
    );
  return { engine, pool, context, inUse, free: Math.max(0, pool.size - inUse), keysOf, above };
}

/** The first cause that applies to one tenant of the pool. Cost O(keys of the tenant). */
export function reasonOf(facts: PoolFacts, tenant: TenantSnapshot): WaitReason {
  return decide(facts, tenant).reason;
}

/**
 * The whole explanation for one tenant of the pool; of one with nothing waiting, that and its shares. The estimate of
 * the wait is the pool's mean gap between finishes times the requests likely to start before, plus its own: it takes
 * every finish for a start here, and so holds for a full pool only. O(tenants + keys of the tenant).
 */
export function explainTenant(facts: PoolFacts, tenant: TenantSnapshot): Explanation {
  const { context, pool, engine } = facts;
  const decision = decide(facts, tenant);
  const { reason, cause } = decision;
  const numbers: WaitNumbers = {
    inUse: inUseOf(tenant),
    share: shareOf(tenant),
    queued: tenant.queued,
    cap: tenant.maxInFlight,
    poolSize: pool.size,
    poolConfiguredSize: pool.configuredSize,
    poolInUse: facts.inUse,
    poolHeld: pool.held,
    poolFree: facts.free,
    ceiling: engine.ceiling,
    ceilingInUse: engine.inFlight + engine.held,
    expectedSlots: tenant.expectedSlots,
  };
  const cappedKey = reason === "key_cap" ? busiestCappedKey(facts, tenant) : null;
  const holders = holdersBeside(facts, tenant, reason);
  const ahead = aheadOf(facts, tenant, decision);
  const finishGapMs = pool.finishes5m >= MIN_FINISHES_FOR_PACE ? FINISH_WINDOW_MS / pool.finishes5m : null;
  return {
    algorithm: engine.algorithm,
    pool: pool.pool,
    tenantId: tenant.tenantId,
    tenantName: context.tenantName(tenant.tenantId),
    group: tenant.group,
    reason,
    cause,
    numbers,
    cappedKey,
    silentReplica: cause === "silent_replica" ? context.silentReplica : null,
    lostClaims: context.lostClaims(tenant.tenantId),
    holdLeftMs: pool.holdLeftMs,
    refused: reason === "not_waiting" ? context.refused : null,
    mode: context.mode,
    modeSinceTsMs: context.modeSinceTsMs,
    queueWithoutServers: context.queueWithoutServers,
    admissionTimeoutMs: context.admissionTimeoutMs,
    notes: notesFor({ facts, tenant, reason, numbers, cappedKey }),
    breakdown: breakdownOf(facts, tenant, reason),
    holders,
    position: tenant.position,
    ahead,
    oldestWaitMs: tenant.oldestWaitMs,
    finishGapMs,
    estimatedWaitMs: ahead === null || finishGapMs === null ? null : Math.round((ahead + 1) * finishGapMs),
    actions: actionsFor({ facts, tenant, reason, cause, cappedKey, holders }),
  };
}

/** Explanations for every waiting tenant of the pool, in picking order. O(tenants x tenants) at the worst. */
export function explainWaiting(facts: PoolFacts): Explanation[] {
  return facts.pool.tenants
    .filter((tenant) => tenant.queued > 0)
    .sort((a, b) => (a.position ?? Number.POSITIVE_INFINITY) - (b.position ?? Number.POSITIVE_INFINITY))
    .map((tenant) => explainTenant(facts, tenant));
}

/** Waiting requests of the whole pool by reason; the values sum to the pool's queue. */
export function waitingByReason(facts: PoolFacts): ReadonlyMap<WaitReason, number> {
  const sums = new Map<WaitReason, number>();
  for (const tenant of facts.pool.tenants) {
    if (tenant.queued === 0) continue;
    for (const part of breakdownOf(facts, tenant, reasonOf(facts, tenant))) {
      sums.set(part.reason, (sums.get(part.reason) ?? 0) + part.requests);
    }
  }
  return sums;
}

/** Why a tenant waits, and what lies behind it where one reason has several causes. */
interface Decision {
  readonly reason: WaitReason;
  readonly cause: WaitCause | null;
}

/**
 * The first reason that applies, in the order of `WAIT_REASONS`: what stands first must change before anything after it
 * matters.
 */
function decide(facts: PoolFacts, tenant: TenantSnapshot): Decision {
  const { context } = facts;
  if (tenant.queued === 0) {
    const hasRefusals = context.refused !== null && context.refused.requests > 0;
    return { reason: "not_waiting", cause: hasRefusals ? "refused" : null };
  }
  if (context.noServersCause !== null) return { reason: "no_servers", cause: context.noServersCause };
  if (tenant.atCap) return { reason: "tenant_cap", cause: null };
  if (areAllWaitingKeysAtCap(facts, tenant)) return { reason: "key_cap", cause: null };
  return decideInPool(facts, tenant);
}

/**
 * The causes that have to do with the pool's slots rather than with the tenant's own caps. `silent_replica` and
 * `held_slots` are named only to the tenants that those slots would reach: to all others they make no difference yet.
 */
function decideInPool(facts: PoolFacts, tenant: TenantSnapshot): Decision {
  const { context, engine, pool } = facts;
  const place = tenant.position ?? Number.POSITIVE_INFINITY;
  const isFull = facts.free === 0;
  // With the pool full as well, a higher ceiling would start nothing.
  if (engine.isCeilingReached && !isFull) return { reason: "global_ceiling", cause: null };
  const isSplit = (context.mode === "fallback" || context.mode === "split") && pool.size < pool.configuredSize;
  if (isSplit && isFull) return { reason: "fallback_split", cause: null };
  if (context.silentReplica !== null && place <= context.silentReplica.slots) {
    return { reason: "other_replica", cause: "silent_replica" };
  }
  if (place === 1 && context.lostClaims(tenant.tenantId) >= LOST_CLAIMS_FOR_CAUSE) {
    return { reason: "other_replica", cause: "lost_claim" };
  }
  if (isFull && place <= pool.held) return { reason: "held_slots", cause: null };
  if (tenant.belowShare) return { reason: "below_share", cause: null };
  if (place === 1) return { reason: "next_in_line", cause: null };
  if (engine.algorithm === "weighted") return { reason: "pool_full", cause: null };
  return { reason: "pool_full", cause: inUseOf(tenant) >= shareOf(tenant) ? "at_share" : "within_share" };
}

/** True when every key with waiting requests is at its cap. False when the snapshot's list of keys was cut short. */
function areAllWaitingKeysAtCap(facts: PoolFacts, tenant: TenantSnapshot): boolean {
  let capped = 0;
  for (const key of facts.keysOf.get(tenant.tenantId) ?? []) {
    if (key.queued === 0) continue;
    if (!key.atCap) return false;
    capped += key.queued;
  }
  return capped >= tenant.queued;
}

/** The key at its cap with the most waiting requests, to be named; null when none is. */
function busiestCappedKey(facts: PoolFacts, tenant: TenantSnapshot): CappedKey | null {
  const keys = facts.keysOf.get(tenant.tenantId) ?? [];
  let busiest: KeySnapshot | undefined;
  for (const key of keys) {
    if (key.atCap && key.queued > 0 && (busiest === undefined || key.queued > busiest.queued)) busiest = key;
  }
  if (busiest === undefined) return null;
  return {
    keyId: busiest.keyId,
    keyName: facts.context.keyName(busiest.keyId),
    cap: busiest.maxInFlight ?? busiest.inFlight + busiest.held,
    held: busiest.held,
    queued: busiest.queued,
    hasFreeSiblings: keys.some((key) => !key.atCap),
  };
}

/**
 * How many of the tenant's waiting requests wait for what, most first; sums to what waits. Requests at a key's cap
 * count as `key_cap`; all others share the tenant's own reason. No servers, or the tenant's own cap, hold back all of
 * them.
 */
function breakdownOf(facts: PoolFacts, tenant: TenantSnapshot, reason: WaitReason): BreakdownPart[] {
  if (tenant.queued === 0) return [];
  let atKeyCap = 0;
  if (reason !== "no_servers" && reason !== "tenant_cap") {
    for (const key of facts.keysOf.get(tenant.tenantId) ?? []) if (key.atCap) atKeyCap += key.queued;
  }
  if (atKeyCap === 0 || reason === "key_cap") return [{ reason, requests: tenant.queued }];
  const parts: BreakdownPart[] = [
    { reason: "key_cap", requests: atKeyCap },
    { reason, requests: tenant.queued - atKeyCap },
  ];
  return parts.filter((part) => part.requests > 0).sort((a, b) => b.requests - a.requests);
}

/**
 * Others above their share. While a tenant waits below its share in a group that has all of its own, only its siblings'
 * slots come back to it: those of other groups go to whoever is under its share there.
 */
function holdersBeside(facts: PoolFacts, tenant: TenantSnapshot, reason: WaitReason): Holder[] {
  const onlySiblings = reason === "below_share" && isGroupFull(facts, tenant);
  return facts.above
    .filter((other) => other.tenantId !== tenant.tenantId && (!onlySiblings || other.group === tenant.group))
    .map((other) => ({
      tenantId: other.tenantId,
      tenantName: facts.context.tenantName(other.tenantId),
      slots: other.borrowed,
      sinceMs: other.aboveShareMs,
    }));
}

/** Whether the tenant's group has all the slots of its own part; never under `weighted`, where groups have none. */
function isGroupFull({ engine, pool }: PoolFacts, tenant: TenantSnapshot): boolean {
  if (engine.algorithm === "weighted") return false;
  const group = pool.groups.find((each) => each.name === tenant.group);
  return group !== undefined && group.inFlight + group.held >= Math.max(1, group.slotCap);
}

/**
 * Requests likely to start first: of each tenant placed before it, those that bring it to its share, at least one;
 * and the finishes a pool that was cut must see before anything starts.
 */
function aheadOf(facts: PoolFacts, tenant: TenantSnapshot, { reason, cause }: Decision): number | null {
  const placed: readonly WaitReason[] = ["held_slots", "below_share", "next_in_line", "pool_full"];
  const { position } = tenant;
  // At its share it only gets what others leave, so how many stand before it says nothing.
  if (position === null || !placed.includes(reason) || cause === "at_share") return null;
  let ahead = Math.max(0, facts.inUse - facts.pool.size);
  for (const other of facts.pool.tenants) {
    if (other.position === null || other.position >= position) continue;
    ahead += Math.min(other.queued, Math.max(1, shareOf(other) - inUseOf(other)));
  }
  return ahead;
}

/** Slots that count against the tenant's share. */
function inUseOf(tenant: TenantSnapshot): number {
  return tenant.inFlight + tenant.held;
}

/** The share in force: one of nothing counts as one. */
function shareOf(tenant: TenantSnapshot): number {
  return Math.max(1, tenant.slotShare);
}
