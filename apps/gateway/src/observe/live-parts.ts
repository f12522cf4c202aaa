/** Rows of the live answer: one mapper per level, from the engine's picture to the contract's names. */
import type { LiveGroup, LiveKey, LivePool, LiveTenant } from "@obleth/contract";
import type { GroupSnapshot, KeySnapshot, PoolSnapshot, TenantSnapshot } from "@obleth/fairshare";
import { type ExplainContext, poolFacts, reasonOf, waitingByReason } from "@obleth/fairshare/explain";
import type { BoostRecord, NameDirectory } from "../policy-cache/records";
import { boostIn, capIn } from "../policy-cache/tenant-policy";
import type { Moment } from "./moment";

export interface PoolPart {
  readonly moment: Moment;
  readonly names: NameDirectory;
  readonly pool: PoolSnapshot;
  readonly context: ExplainContext;
  /** This replica's own part of the pool; undefined when it has none. */
  readonly own: PoolSnapshot | undefined;
}

export function livePool(part: PoolPart): LivePool {
  const { moment, pool, context, own } = part;
  const facts = poolFacts(moment.engine, pool, context);
  const tenants = pool.tenants.map((tenant) => liveTenant(part, tenant, reasonOf(facts, tenant)));
  const below = pool.tenants.filter((tenant) => tenant.belowShare);
  const uncut = moment.uncut.get(pool.pool);
  return {
    model: pool.pool,
    cap: pool.size,
    configured_cap: pool.configuredSize,
    usable: pool.usable,
    admission_weight: pool.admissionWeight,
    capacity_state: context.noServersCause === null ? "ok" : "no_servers",
    no_servers_cause: context.noServersCause,
    in_flight: pool.inFlight,
    queued: pool.queued,
    held: pool.held,
    borrowed: pool.borrowed,
    oldest_wait_ms: wholeMs(pool.oldestWaitMs),
    cluster_in_flight: moment.fleet.clusterInFlight?.ofPool(pool.pool) ?? null,
    replica_in_flight: own?.inFlight ?? 0,
    replica_queued: own?.queued ?? 0,
    virtual_time: pool.virtualTime,
    finishes_5m: pool.finishes5m,
    tenants_total: uncut?.tenants ?? pool.tenants.length,
    keys_total: uncut?.keys ?? pool.keys.length,
    tenants_active: uncut?.tenants ?? pool.tenants.filter(hasWork).length,
    tenants_below_share: below.length,
    tenants_below_share_urgent: below.filter((tenant) => !tenant.atCap).length,
    waiting_by_reason: Object.fromEntries(waitingByReason(facts)),
    groups: pool.groups.map((group) => liveGroup(part.names, group)),
    tenants,
    keys: pool.keys.map((key) => liveKey(part.names, key)),
  };
}

export function liveGroup(names: NameDirectory, group: GroupSnapshot): LiveGroup {
  return {
    name: group.name,
    weight: group.weight,
    color: names.group(group.name)?.color ?? 0,
    in_flight: group.inFlight,
    queued: group.queued,
    held: group.held,
    slot_cap: group.slotCap,
    borrowed: group.borrowed,
    served_tokens: group.servedTokens,
    share_score: group.shareScore,
    weight_share: group.weightShare,
    expected_slots: group.expectedSlots,
  };
}

export function liveBoost(boost: BoostRecord): NonNullable<LiveTenant["boost"]> {
  return {
    id: boost.id,
    factor: boost.factor,
    weight: boost.weight,
    model: boost.model,
    reason: boost.reason,
    expires_at: new Date(boost.expiresAtMs).toISOString(),
    created_by: boost.createdBy,
  };
}

/** Whole milliseconds, as the contract's counts are. */
export function wholeMs(ms: number | null): number | null {
  return ms === null ? null : Math.max(0, Math.round(ms));
}

function liveTenant(
  { moment, names, pool }: PoolPart,
  tenant: TenantSnapshot,
  reason: LiveTenant["reason"],
): LiveTenant {
  const known = names.tenant(tenant.tenantId);
  const boost = known === undefined ? null : boostIn(known, pool.pool, moment.tsMs);
  const source = known === undefined ? null : capIn(known, pool.pool).source;
  return {
    tenant_id: tenant.tenantId,
    name: known?.name ?? tenant.tenantId,
    group: tenant.group,
    weight: tenant.weight,
    effective_weight: tenant.effectiveWeight,
    boost: boost === null ? null : liveBoost(boost),
    max_in_flight: tenant.maxInFlight,
    cap_source: tenant.maxInFlight === null ? null : (source ?? "tenant"),
    in_flight: tenant.inFlight,
    queued: tenant.queued,
    held: tenant.held,
    slot_share: tenant.slotShare,
    borrowed: tenant.borrowed,
    served_tokens: tenant.servedTokens,
    share_score: tenant.shareScore,
    weight_share: tenant.weightShare,
    expected_slots: tenant.expectedSlots,
    oldest_wait_ms: wholeMs(tenant.oldestWaitMs),
    below_share: tenant.belowShare,
    at_cap: tenant.atCap,
    position: tenant.position,
    reason,
    above_share_ms: wholeMs(tenant.aboveShareMs),
  };
}

function liveKey(names: NameDirectory, key: KeySnapshot): LiveKey {
  return {
    key_id: key.keyId,
    tenant_id: key.tenantId,
    name: names.keyName(key.keyId) ?? key.keyId,
    weight: key.weight,
    max_in_flight: key.maxInFlight,
    in_flight: key.inFlight,
    queued: key.queued,
    held: key.held,
    served_tokens: key.servedTokens,
    share_score: key.shareScore,
    weight_share: key.weightShare,
    expected_slots: key.expectedSlots,
    oldest_wait_ms: wholeMs(key.oldestWaitMs),
    at_cap: key.atCap,
  };
}

function hasWork(tenant: TenantSnapshot): boolean {
  return tenant.inFlight + tenant.queued + tenant.held > 0;
}
