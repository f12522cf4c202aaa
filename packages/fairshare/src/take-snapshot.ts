/**
 * The read-only picture of the state, and the cheaper sample for history. Shares are the split that picks are made by,
 * worked out for everybody instead of for the few a pick needs. A request whose claim is open counts as queued: its
 * client waits.
 */
import { usableOf } from "./admit";
import { finishesUpTo } from "./finish-counts";
import type { GroupId, PoolId } from "./ids";
import { NO_CAP } from "./limits";
import { isQuiet } from "./pool";
import { positionsIn } from "./positions";
import { compareLevels, type Level, scoreOf } from "./score";
import { splitSlots } from "./shares";
import type { EngineSnapshot, GroupSnapshot, KeySnapshot, PoolSnapshot, TenantSnapshot } from "./snapshot";
import type { Account, EngineState, Group, Key, Pool, PoolSettings, Tenant } from "./state";
import { keysOf } from "./tenant-keys";

/** One pool's counts for history and gauges. */
export interface PoolSample {
  readonly pool: PoolId;
  readonly size: number;
  readonly inFlight: number;
  readonly queued: number;
  readonly held: number;
  /** Requests running by group; groups with none running are left out. */
  readonly groups: ReadonlyMap<GroupId, number>;
}

/** Everything a snapshot says, at `nowMs` on the scale of the events. Changes nothing. O(accounts log accounts). */
export function snapshot(state: EngineState, nowMs: number): EngineSnapshot {
  const pools: PoolSnapshot[] = [];
  const claims = oldestClaims(state);
  for (const pool of state.pools.values()) pools.push(picturePool(state, pool, { nowMs, claims }));
  for (const [id, settings] of state.settings) if (!state.pools.has(id)) pools.push(emptyPool(state, id, settings));
  pools.sort((a, b) => (a.pool < b.pool ? -1 : 1));
  let held = 0;
  let queued = 0;
  let inFlight = 0;
  let borrowed = 0;
  for (const pool of pools) {
    held += pool.held;
    queued += pool.queued;
    inFlight += pool.inFlight;
    borrowed += pool.borrowed;
  }
  const { ceiling, configuredCeiling } = state;
  const isCeilingReached = state.taken >= ceiling || state.isBlocked;
  const { algorithm } = state.config;
  return { algorithm, ceiling, configuredCeiling, isCeilingReached, inFlight, queued, held, borrowed, pools };
}

/** Counts of every pool that exists, without shares, tenants and keys; agrees with the snapshot. O(groups). */
export function sample(state: EngineState): PoolSample[] {
  const samples: PoolSample[] = [];
  for (const pool of state.pools.values()) {
    const groups = new Map<GroupId, number>();
    for (const group of pool.groups.values()) {
      const running = runningOf(group);
      if (running > 0) groups.set(group.id, running);
    }
    const { id, settings, held } = pool;
    samples.push({
      pool: id,
      size: settings.size,
      inFlight: runningOf(pool),
      queued: pool.queued + pool.claiming,
      held,
      groups,
    });
  }
  return samples;
}

/** A pool's shares, worked out for everybody with work. */
interface Split {
  readonly usable: number;
  readonly groups: readonly Group[];
  readonly tenantsOf: ReadonlyMap<Group, readonly Tenant[]>;
  readonly slots: ReadonlyMap<Account, number>;
  /** Part of the whole pool by weight alone, 0 to 1. */
  readonly weightShares: ReadonlyMap<Account, number>;
}

/** What a picture is taken of besides the pool: the time, and when the requests whose claims are open arrived. */
interface Moment {
  readonly nowMs: number;
  readonly claims: ReadonlyMap<Key, number>;
}

function picturePool(state: EngineState, pool: Pool, moment: Moment): PoolSnapshot {
  const { nowMs } = moment;
  const split = splitOf(state, pool, usableOf(state, pool));
  const positions = positionsIn(state, pool, split.usable);
  const groups: GroupSnapshot[] = [];
  const tenants: TenantSnapshot[] = [];
  const keys: KeySnapshot[] = [];
  const isSomebodyAbove = hasBorrower(split);
  let oldestMs = Number.POSITIVE_INFINITY;
  let borrowed = 0;
  for (const group of split.groups) {
    let borrowedInside = 0;
    for (const tenant of split.tenantsOf.get(group) ?? []) {
      const arrivedMs = pictureKeys(tenant, { slotShare: split.slots.get(tenant) ?? 0, moment, keys });
      const position = positions.get(tenant) ?? null;
      const picture = pictureTenant(tenant, { split, nowMs, arrivedMs, position, isSomebodyAbove });
      oldestMs = Math.min(oldestMs, arrivedMs);
      borrowedInside += picture.borrowed;
      tenants.push(picture);
    }
    const picture = pictureGroup(group, split);
    borrowed += Math.max(picture.borrowed, borrowedInside);
    groups.push(picture);
  }
  return {
    ...poolHeader(pool.id, pool.settings),
    usable: split.usable,
    ...usageOf(pool),
    borrowed,
    oldestWaitMs: waitOf(oldestMs, nowMs),
    virtualTime: virtualTimeOf(state, pool),
    finishes5m: finishesUpTo(pool.finishes, nowMs),
    groups,
    tenants,
    keys,
  };
}

/** A pool that is configured but has no state at the moment. */
function emptyPool(state: EngineState, id: PoolId, settings: PoolSettings): PoolSnapshot {
  const usable = Math.max(1, Math.min(settings.size, state.ceiling - state.taken));
  const nothing = { inFlight: 0, queued: 0, held: 0, borrowed: 0 };
  const lists = { groups: [], tenants: [], keys: [] };
  return {
    ...poolHeader(id, settings),
    usable,
    ...nothing,
    oldestWaitMs: null,
    virtualTime: 0,
    finishes5m: 0,
    ...lists,
  };
}

function poolHeader(pool: PoolId, { size, configuredSize, admissionWeight }: PoolSettings) {
  return { pool, size, configuredSize, admissionWeight };
}

function pictureGroup(group: Group, split: Split): GroupSnapshot {
  const slotCap = split.slots.get(group) ?? 0;
  const weightShare = split.weightShares.get(group) ?? 0;
  return {
    name: group.id,
    weight: group.weight,
    ...usageOf(group),
    borrowed: borrowedOf(group, slotCap),
    slotCap,
    servedTokens: group.served,
    shareScore: scoreOf(group),
    weightShare,
    expectedSlots: weightShare * split.usable,
  };
}

function pictureTenant(
  tenant: Tenant,
  at: { split: Split; nowMs: number; arrivedMs: number; position: number | null; isSomebodyAbove: boolean },
): TenantSnapshot {
  const { split, nowMs } = at;
  const { policy } = tenant;
  const usage = usageOf(tenant);
  const slotShare = split.slots.get(tenant) ?? 0;
  const weightShare = split.weightShares.get(tenant) ?? 0;
  const inUse = usage.inFlight + usage.held;
  const borrowed = borrowedOf(tenant, slotShare);
  const sinceMs = tenant.pool.aboveSince.get(tenant) ?? tenant.pool.splitChangedMs;
  return {
    tenantId: tenant.id,
    group: tenant.group.id,
    weight: policy.weight,
    boostFactor: policy.boostFactor,
    effectiveWeight: tenant.weight,
    maxInFlight: capOf(tenant.cap),
    ...usage,
    borrowed,
    slotShare,
    servedTokens: tenant.served,
    shareScore: scoreOf(tenant),
    weightShare,
    expectedSlots: weightShare * split.usable,
    oldestWaitMs: waitOf(at.arrivedMs, nowMs),
    belowShare: usage.queued > 0 && inUse < slotShare && at.isSomebodyAbove,
    atCap: tenant.taken >= tenant.cap,
    position: at.position,
    aboveShareMs: borrowed > 0 ? Math.max(0, nowMs - sinceMs) : null,
  };
}

/** Adds the tenant's keys that have work to `keys`; returns when its oldest waiting request arrived, or Infinity. */
function pictureKeys(tenant: Tenant, to: { slotShare: number; moment: Moment; keys: KeySnapshot[] }): number {
  let totalWeight = 0;
  for (const key of keysOf(tenant)) if (!isQuiet(key)) totalWeight += key.weight;
  let oldestMs = Number.POSITIVE_INFINITY;
  for (const key of keysOf(tenant)) {
    if (isQuiet(key)) continue;
    const weightShare = key.weight / totalWeight;
    const arrivedMs = Math.min(
      key.oldest?.arrivedMs ?? Number.POSITIVE_INFINITY,
      to.moment.claims.get(key) ?? Number.POSITIVE_INFINITY,
    );
    oldestMs = Math.min(oldestMs, arrivedMs);
    to.keys.push({
      keyId: key.id,
      tenantId: tenant.id,
      weight: key.weight,
      maxInFlight: capOf(key.cap),
      ...usageOf(key),
      servedTokens: key.served,
      shareScore: scoreOf(key),
      weightShare,
      expectedSlots: to.slotShare * weightShare,
      oldestWaitMs: waitOf(arrivedMs, to.moment.nowMs),
      atCap: key.taken >= key.cap,
    });
  }
  return oldestMs;
}

function oldestClaims(state: EngineState): Map<Key, number> {
  const oldest = new Map<Key, number>();
  for (const { waiter } of state.claims.values()) {
    if (waiter.state === "gone") continue;
    oldest.set(waiter.key, Math.min(waiter.arrivedMs, oldest.get(waiter.key) ?? Number.POSITIVE_INFINITY));
  }
  return oldest;
}

/** The split over everybody with work: by group and then tenant, or by tenant alone under `weighted`. */
function splitOf(state: EngineState, pool: Pool, usable: number): Split {
  const isWeighted = state.config.algorithm === "weighted";
  const groups = pool.groupLine.active.items.toSorted(byId);
  const tenantsOf = new Map(groups.map((group) => [group, group.line.active.items.toSorted(byId)]));
  const slots = new Map<Account, number>();
  const weightShares = new Map<Account, number>();
  if (!isWeighted) divide(usable, groups, slots);
  else divide(usable, [...tenantsOf.values()].flat(), slots);
  const poolWeight = isWeighted ? sumOf(groups, (group) => group.line.active.total) : pool.groupLine.active.total;
  for (const [group, tenants] of tenantsOf) {
    const part = (isWeighted ? group.line.active.total : group.weight) / poolWeight;
    weightShares.set(group, part);
    for (const tenant of tenants) weightShares.set(tenant, (part * tenant.weight) / group.line.active.total);
    if (isWeighted)
      slots.set(
        group,
        sumOf(tenants, (tenant) => slots.get(tenant) ?? 0),
      );
    else divide(slots.get(group) ?? 0, tenants, slots);
  }
  return { usable, groups, tenantsOf, slots, weightShares };
}

/** Splits by weight with the scores' exact order as the tie-breaker. */
function divide(part: number, accounts: readonly Account[], slots: Map<Account, number>): void {
  const ordered = accounts.toSorted(compareLevels);
  let place = 0;
  const claimants = ordered.map((account, index) => {
    const before = ordered[index - 1];
    if (before !== undefined && compareLevels(before, account) !== 0) place += 1;
    return { id: account.id, weight: account.weight, score: place };
  });
  const parts = splitSlots(part, claimants);
  ordered.forEach((account, index) => {
    slots.set(account, parts[index] ?? 0);
  });
}

/** The lowest score among tenants that wait; with nobody waiting, the highest level that is remembered. */
function virtualTimeOf(state: EngineState, pool: Pool): number {
  let lowest: Level | undefined;
  let highest = pool.tenantLine.level;
  for (const group of pool.groups.values()) {
    if (compareLevels(group.line.level, highest) > 0) highest = group.line.level;
    for (const tenant of group.line.active.items) {
      if (tenant.queued > 0 && (lowest === undefined || compareLevels(tenant, lowest) < 0)) lowest = tenant;
    }
  }
  return scoreOf(lowest ?? (state.config.algorithm === "weighted" ? pool.tenantLine.level : highest));
}

function hasBorrower(split: Split): boolean {
  for (const tenants of split.tenantsOf.values()) {
    for (const tenant of tenants) if (borrowedOf(tenant, split.slots.get(tenant) ?? 0) > 0) return true;
  }
  return false;
}

function borrowedOf(account: Account, share: number): number {
  return Math.max(0, account.taken - account.claiming - Math.max(1, share));
}

function usageOf(counts: { taken: number; held: number; claiming: number; queued: number }) {
  return { inFlight: runningOf(counts), queued: counts.queued + counts.claiming, held: counts.held };
}

function runningOf(counts: { taken: number; held: number; claiming: number }): number {
  return counts.taken - counts.held - counts.claiming;
}

function waitOf(arrivedMs: number, nowMs: number): number | null {
  return arrivedMs === Number.POSITIVE_INFINITY ? null : Math.max(0, nowMs - arrivedMs);
}

function capOf(cap: number): number | null {
  return cap === NO_CAP ? null : cap;
}

function sumOf<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}

function byId(a: Account, b: Account): number {
  return a.id < b.id ? -1 : 1;
}
