/**
 * One picture of the fleet from several replicas' pictures: counts and tokens added up, shares split anew over the union
 * of groups and tenants with work. Pure. Totals of pools and groups are exact; where a view's lists were cut, tenants
 * and keys outside them are missing from the lists only.
 */
import type { HeldSlot } from "@obleth/cluster";
import type {
  EngineSnapshot,
  GroupSnapshot,
  KeySnapshot,
  PoolId,
  PoolSnapshot,
  TenantSnapshot,
} from "@obleth/fairshare";
import { borrowedIn, grouped, inUseOf, splitOver, standing, sumOf } from "./merged-shares";

/**
 * The first picture is the answering replica's own; limits and weights are taken from it where it has them. `holds`: slots
 * held by the shared books, which are in no replica's picture.
 */
export function mergeEngines(
  engines: readonly [EngineSnapshot, ...EngineSnapshot[]],
  holds: readonly HeldSlot[] = [],
): EngineSnapshot {
  const [own, ...others] = engines;
  if (others.length === 0 && holds.length === 0) return own;
  const inFlight = sumOf(engines, (engine) => engine.inFlight);
  const held = sumOf(engines, (engine) => engine.held) + holds.length;
  const room = Math.max(0, own.configuredCeiling - inFlight - held);
  const pools = [
    ...grouped(
      engines.flatMap((engine) => engine.pools),
      (pool) => pool.pool,
    ).values(),
  ].map((parts) => {
    const ofPool = holds.filter(({ pool }) => pool === parts[0].pool);
    return mergePool(parts, { algorithm: own.algorithm, room, holds: ofPool });
  });
  return {
    ...own,
    isCeilingReached: own.isCeilingReached || room === 0,
    inFlight,
    held,
    queued: sumOf(engines, (engine) => engine.queued),
    borrowed: sumOf(pools, (pool) => pool.borrowed),
    pools,
  };
}

interface Fleet {
  readonly algorithm: EngineSnapshot["algorithm"];
  /** Slots left under the ceiling. */
  readonly room: number;
  /** Of the pool. */
  readonly holds: readonly HeldSlot[];
}

type Parts<Part> = readonly [Part, ...Part[]];

function mergePool(parts: Parts<PoolSnapshot>, fleet: Fleet): PoolSnapshot {
  const [own] = parts;
  const inFlight = sumOf(parts, (part) => part.inFlight);
  const { holds } = fleet;
  const held = sumOf(parts, (part) => part.held) + holds.length;
  const usable = Math.max(1, Math.min(own.size, inFlight + held + fleet.room));
  const groups = [
    ...grouped(
      parts.flatMap((part) => part.groups),
      (group) => group.name,
    ).values(),
  ].map(addGroups);
  const tenants: TenantSnapshot[] = [
    ...grouped(
      parts.flatMap((part) => part.tenants),
      (tenant) => tenant.tenantId,
    ).values(),
  ].map(addTenants);
  const keys = [
    ...grouped(
      parts.flatMap((part) => part.keys),
      (key) => key.keyId,
    ).values(),
  ].map(addKeys);
  addHolds(holds, { groups, tenants, keys });
  const split = splitOver({ usable, groups, tenants, algorithm: fleet.algorithm });
  const shown = standing({ groups, tenants, keys, split, usable, algorithm: fleet.algorithm });
  const waiting = shown.tenants.filter((tenant) => tenant.queued > 0);
  return {
    ...own,
    usable,
    inFlight,
    held,
    queued: sumOf(parts, (part) => part.queued),
    borrowed: borrowedIn(shown),
    oldestWaitMs: latest(parts.map((part) => part.oldestWaitMs)),
    holdLeftMs: latest([...parts.map((part) => part.holdLeftMs), ...holds.map(({ leftMs }) => leftMs)]),
    virtualTime:
      waiting.length > 0
        ? Math.min(...waiting.map((tenant) => tenant.shareScore))
        : Math.max(...parts.map((part) => part.virtualTime)),
    finishes5m: sumOf(parts, (part) => part.finishes5m),
    ...shown,
  };
}

/** Counts each held slot for its key, tenant and group, as far as they are listed: those with work are. */
function addHolds(
  holds: readonly HeldSlot[],
  lists: { groups: GroupSnapshot[]; tenants: TenantSnapshot[]; keys: KeySnapshot[] },
): void {
  for (const { tenantId, keyId } of holds) {
    const tenant = holdOneMore(lists.tenants, (one) => one.tenantId === tenantId);
    if (tenant === undefined) continue;
    holdOneMore(lists.groups, (one) => one.name === tenant.group);
    holdOneMore(lists.keys, (one) => one.keyId === keyId);
  }
}

interface Holder {
  readonly held: number;
  readonly inFlight: number;
  readonly maxInFlight?: number | null;
}

function holdOneMore<Row extends Holder>(rows: Row[], isIts: (row: Row) => boolean): Row | undefined {
  const at = rows.findIndex(isIts);
  const row = rows[at];
  if (row === undefined) return undefined;
  const held = row.held + 1;
  const { maxInFlight = null } = row;
  rows[at] = { ...row, held, ...(maxInFlight === null ? {} : { atCap: row.inFlight + held >= maxInFlight }) };
  return row;
}

function addGroups(parts: Parts<GroupSnapshot>): GroupSnapshot {
  return { ...parts[0], ...addCounts(parts) };
}

function addTenants(parts: Parts<TenantSnapshot>): TenantSnapshot {
  const counts = addCounts(parts);
  const { maxInFlight } = parts[0];
  return {
    ...parts[0],
    ...counts,
    oldestWaitMs: latest(parts.map((part) => part.oldestWaitMs)),
    aboveShareMs: latest(parts.map((part) => part.aboveShareMs)),
    atCap: maxInFlight !== null && inUseOf(counts) >= maxInFlight,
  };
}

function addKeys(parts: Parts<KeySnapshot>): KeySnapshot {
  const counts = addCounts(parts);
  const { maxInFlight } = parts[0];
  return {
    ...parts[0],
    ...counts,
    oldestWaitMs: latest(parts.map((part) => part.oldestWaitMs)),
    atCap: maxInFlight !== null && inUseOf(counts) >= maxInFlight,
    // Each replica counts for the request that waits there.
    jumps: Math.max(...parts.map((part) => part.jumps)),
  };
}

interface Counts {
  readonly inFlight: number;
  readonly queued: number;
  readonly held: number;
  readonly servedTokens: number;
  /** Tokens per weight: service on each replica adds up. */
  readonly shareScore: number;
}

function addCounts(parts: readonly Counts[]): Counts {
  return {
    inFlight: sumOf(parts, (part) => part.inFlight),
    queued: sumOf(parts, (part) => part.queued),
    held: sumOf(parts, (part) => part.held),
    servedTokens: sumOf(parts, (part) => part.servedTokens),
    shareScore: sumOf(parts, (part) => part.shareScore),
  };
}

/** Tenants and keys each pool really has: at least those listed, and at least those of the largest view. */
export function mergeUncut(
  merged: EngineSnapshot,
  views: readonly ReadonlyMap<PoolId, { readonly tenants: number; readonly keys: number }>[],
): ReadonlyMap<PoolId, { readonly tenants: number; readonly keys: number }> {
  const result = new Map<PoolId, { tenants: number; keys: number }>();
  for (const pool of merged.pools) {
    const cut = views.flatMap((view) => view.get(pool.pool) ?? []);
    if (cut.length === 0) continue;
    result.set(pool.pool, {
      tenants: Math.max(pool.tenants.length, ...cut.map((counts) => counts.tenants)),
      keys: Math.max(pool.keys.length, ...cut.map((counts) => counts.keys)),
    });
  }
  return result;
}

function latest(waits: readonly (number | null)[]): number | null {
  const known = waits.filter((wait) => wait !== null);
  return known.length === 0 ? null : Math.max(...known);
}
