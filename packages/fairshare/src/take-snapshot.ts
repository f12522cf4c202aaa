/**
 * The read-only picture of the state, and the cheaper sample for history. Shares are the split that picks are made by,
 * worked out for everybody instead of for the few a pick needs. A request whose claim is open counts as queued: its
 * client waits.
 */
import { usableOf } from "./admit";
import { finishesUpTo } from "./finish-counts";
import type { GroupId, PoolId } from "./ids";
import { NO_CAP, usableSlots } from "./limits";
import { isQuiet } from "./pool";
import { type GroupPart, type Part, splitOf } from "./pool-split";
import { positionsIn } from "./positions";
import { compareLevels, type Level, scoreOf } from "./score";
import { passesOf } from "./sessions";
import {
  type EngineSnapshot,
  type GroupSnapshot,
  idlePool,
  type KeySnapshot,
  type PoolSnapshot,
  type TenantSnapshot,
} from "./snapshot";
import type { Account, EngineState, Key, Pool, PoolSettings, Tenant } from "./state";
import { keysOf } from "./tenant-keys";

/** One pool's counts for history and gauges. */
export interface PoolSample {
  readonly pool: PoolId;
  /** Slots in force on this gateway. */
  readonly size: number;
  /** Requests at the backend; with `held`, the slots in use. */
  readonly inFlight: number;
  /** Requests that wait, those whose claim is open included. */
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
  // Pools that are configured and have no work are shown too, with what they would have.
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

/** What a picture is taken of besides the pool: the time, and when the requests whose claims are open arrived. */
interface Moment {
  readonly nowMs: number;
  readonly claims: ReadonlyMap<Key, number>;
}

/** What the pictures of one pool share. */
interface Scene {
  readonly moment: Moment;
  readonly usable: number;
  readonly isSomebodyAbove: boolean;
  readonly positions: ReadonlyMap<Tenant, number>;
  readonly tenants: TenantSnapshot[];
  readonly keys: KeySnapshot[];
}

/**
 * One pool at one moment. Borrowed slots are counted where they are largest: a group's own, or its tenants' among
 * themselves, as lending happens at either level and the same slot must not count twice.
 */
function picturePool(state: EngineState, pool: Pool, moment: Moment): PoolSnapshot {
  const usable = usableOf(state, pool);
  const parts = splitOf(state, pool, usable);
  const tenants: TenantSnapshot[] = [];
  const keys: KeySnapshot[] = [];
  const positions = positionsIn(state, pool, usable);
  const scene: Scene = { moment, usable, isSomebodyAbove: hasBorrower(parts), positions, tenants, keys };
  let borrowed = 0;
  const groups = parts.map((part) => {
    const first = tenants.length;
    for (const member of part.members) tenants.push(pictureTenant(member, scene));
    const picture = pictureGroup(part, usable);
    let borrowedInside = 0;
    for (let i = first; i < tenants.length; i++) borrowedInside += tenants[i]?.borrowed ?? 0;
    borrowed += Math.max(picture.borrowed, borrowedInside);
    return picture;
  });
  const { settings } = pool;
  return {
    pool: pool.id,
    size: settings.size,
    configuredSize: settings.configuredSize,
    usable,
    admissionWeight: settings.admissionWeight,
    inFlight: runningOf(pool),
    queued: pool.queued + pool.claiming,
    held: pool.held,
    borrowed,
    oldestWaitMs: longestWait(tenants),
    holdLeftMs: longestHold(pool, moment.nowMs),
    virtualTime: virtualTimeOf(state, pool),
    finishes5m: finishesUpTo(pool.finishes, moment.nowMs),
    groups,
    tenants,
    keys,
  };
}

/** A pool that is configured but has no state at the moment: it could fill what the ceiling leaves. */
function emptyPool(state: EngineState, id: PoolId, settings: PoolSettings): PoolSnapshot {
  const { size, configuredSize, admissionWeight } = settings;
  const usable = usableSlots({ size, taken: 0 }, state.ceiling - state.taken);
  return { ...idlePool(id, { size, configuredSize, admissionWeight }), usable };
}

/** One group's picture; its slots are those of the split. */
function pictureGroup({ account: group, slots, weightShare }: GroupPart, usable: number): GroupSnapshot {
  return {
    name: group.id,
    weight: group.weight,
    inFlight: runningOf(group),
    queued: group.queued + group.claiming,
    held: group.held,
    borrowed: borrowedOf(group, slots),
    slotCap: slots,
    servedTokens: group.served,
    shareScore: scoreOf(group),
    weightShare,
    expectedSlots: weightShare * usable,
  };
}

/** Adds the pictures of the tenant's keys to the scene and returns its own. */
function pictureTenant({ account: tenant, slots, weightShare }: Part<Tenant>, scene: Scene): TenantSnapshot {
  const { nowMs } = scene.moment;
  const { policy } = tenant;
  const arrivedMs = pictureKeys(tenant, slots, scene);
  const queued = tenant.queued + tenant.claiming;
  const borrowed = borrowedOf(tenant, slots);
  const isBelow = queued > 0 && tenant.taken - tenant.claiming < slots;
  return {
    tenantId: tenant.id,
    group: tenant.group.id,
    weight: policy.weight,
    boostFactor: policy.boostFactor,
    effectiveWeight: tenant.weight,
    maxInFlight: capOf(tenant.cap),
    inFlight: runningOf(tenant),
    queued,
    held: tenant.held,
    borrowed,
    slotShare: slots,
    servedTokens: tenant.served,
    shareScore: scoreOf(tenant),
    weightShare,
    expectedSlots: weightShare * scene.usable,
    oldestWaitMs: waitOf(arrivedMs, nowMs),
    belowShare: isBelow && scene.isSomebodyAbove,
    atCap: tenant.taken >= tenant.cap,
    position: scene.positions.get(tenant) ?? null,
    aboveShareMs: borrowed > 0 ? sinceAbove(tenant, nowMs) : null,
  };
}

/** Adds the tenant's keys that have work; returns when its oldest waiting request arrived, or Infinity. */
function pictureKeys(tenant: Tenant, slotShare: number, { moment, keys }: Scene): number {
  const { nowMs, claims } = moment;
  let totalWeight = 0;
  for (const key of keysOf(tenant)) if (!isQuiet(key)) totalWeight += key.weight;
  let oldestMs = Number.POSITIVE_INFINITY;
  for (const key of keysOf(tenant)) {
    if (isQuiet(key)) continue;
    const weightShare = key.weight / totalWeight;
    let arrivedMs = key.oldest?.arrivedMs ?? Number.POSITIVE_INFINITY;
    if (claims.size > 0) arrivedMs = Math.min(arrivedMs, claims.get(key) ?? Number.POSITIVE_INFINITY);
    oldestMs = Math.min(oldestMs, arrivedMs);
    keys.push({
      keyId: key.id,
      tenantId: tenant.id,
      weight: key.weight,
      maxInFlight: capOf(key.cap),
      inFlight: runningOf(key),
      queued: key.queued + key.claiming,
      held: key.held,
      servedTokens: key.served,
      shareScore: scoreOf(key),
      weightShare,
      expectedSlots: slotShare * weightShare,
      oldestWaitMs: waitOf(arrivedMs, nowMs),
      atCap: key.taken >= key.cap,
      jumps: passesOf(key),
    });
  }
  return oldestMs;
}

/** When the oldest request of each key whose claim is open arrived; requests whose clients left count no more. */
function oldestClaims(state: EngineState): Map<Key, number> {
  const oldest = new Map<Key, number>();
  for (const { waiter } of state.claims.values()) {
    if (waiter.state === "gone") continue;
    oldest.set(waiter.key, Math.min(waiter.arrivedMs, oldest.get(waiter.key) ?? Number.POSITIVE_INFINITY));
  }
  return oldest;
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

/** Whether anybody here holds a slot above its share; without one, waiting below one's share is nobody's doing. */
function hasBorrower(parts: readonly GroupPart[]): boolean {
  return parts.some(({ members }) => members.some(({ account, slots }) => borrowedOf(account, slots) > 0));
}

/** Slots above the share, which never counts as less than one. Slots that are only being claimed are nobody's yet. */
function borrowedOf(account: Account, share: number): number {
  return Math.max(0, account.taken - account.claiming - Math.max(1, share));
}

/**
 * For how long a tenant has been above its share. What a pick did not see (a share that shrank) counts from when the
 * split last changed.
 */
function sinceAbove(tenant: Tenant, nowMs: number): number {
  return Math.max(0, nowMs - (tenant.pool.aboveSince.get(tenant) ?? tenant.pool.splitChangedMs));
}

/** Requests at the backend: slots in use, less those held empty and those being claimed. */
function runningOf(counts: { taken: number; held: number; claiming: number }): number {
  return counts.taken - counts.held - counts.claiming;
}

/** The longest time that any held slot may still stay empty, in ms; null with none. */
function longestHold({ holds }: Pool, nowMs: number): number | null {
  return holds.length === 0 ? null : Math.max(0, ...holds.map(({ expiresAtMs }) => expiresAtMs - nowMs));
}

/** The longest wait of any tenant here, in ms; null when nobody waits. */
function longestWait(tenants: readonly TenantSnapshot[]): number | null {
  let longestMs: number | null = null;
  for (const { oldestWaitMs } of tenants) {
    if (oldestWaitMs !== null && (longestMs === null || oldestWaitMs > longestMs)) longestMs = oldestWaitMs;
  }
  return longestMs;
}

/**
 * From an arrival until now, in ms; null for none. Never below 0, as the reader's clock may lag behind the latest
 * event.
 */
function waitOf(arrivedMs: number, nowMs: number): number | null {
  return arrivedMs === Number.POSITIVE_INFINITY ? null : Math.max(0, nowMs - arrivedMs);
}

/** A cap as readers know it: null for none. */
function capOf(cap: number): number | null {
  return cap === NO_CAP ? null : cap;
}
