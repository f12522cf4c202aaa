/**
 * Cuts a picture down to what is worth publishing: every pool with work, its totals and groups in full, and the busiest
 * of its tenants and keys. Bounds keep the view of a replica with a hundred thousand tenants below a megabyte.
 */
import type { EngineSnapshot, KeySnapshot, PoolId, PoolSnapshot, TenantSnapshot } from "@obleth/fairshare";
import type { UncutCounts } from "./view-store";

/**
 * Most tenants and keys in one pool, and over all pools. A tenant is about 400 bytes, a key 300: all of them at once
 * are a megabyte, which every replica reads from each other one twice a second.
 */
export const VIEW_BOUNDS = { poolTenants: 512, poolKeys: 128, allTenants: 2048, allKeys: 512 } as const;

/** A picture within the bounds, with what was cut. */
export interface TrimmedView {
  readonly engine: EngineSnapshot;
  /** Of the pools in it whose lists were cut. */
  readonly uncut: ReadonlyMap<PoolId, UncutCounts>;
}

/**
 * The picture within the bounds. Totals, pools with work and groups are as they were. O(n log n) in what it is given.
 */
export function trimView(engine: EngineSnapshot): TrimmedView {
  const pools = engine.pools.filter(hasWork);
  const { poolTenants, allTenants, poolKeys, allKeys } = VIEW_BOUNDS;
  const tenants = busiest(pools, (pool) => pool.tenants, { perPool: poolTenants, overall: allTenants });
  const keys = busiest(pools, (pool) => pool.keys, { perPool: poolKeys, overall: allKeys });
  const uncut = new Map<PoolId, UncutCounts>();
  const trimmed = pools.map((pool): PoolSnapshot => {
    const kept = { tenants: tenants.get(pool.pool) ?? [], keys: keys.get(pool.pool) ?? [] };
    const working = { tenants: pool.tenants.filter(hasWork).length, keys: pool.keys.filter(hasWork).length };
    if (kept.tenants.length < working.tenants || kept.keys.length < working.keys) uncut.set(pool.pool, working);
    return { ...pool, ...kept };
  });
  return { engine: { ...engine, pools: trimmed }, uncut };
}

/** What a pool, tenant or key does at the moment. */
interface Counts {
  readonly inFlight: number;
  readonly queued: number;
  readonly held: number;
}

/** Whether it is worth publishing at all: a quiet entry says nothing that its absence does not. */
function hasWork({ inFlight, queued, held }: Counts): boolean {
  return inFlight > 0 || queued > 0 || held > 0;
}

/** The busiest entries of each pool within both bounds, in the order they had. */
function busiest<Entry extends KeySnapshot | TenantSnapshot>(
  pools: readonly PoolSnapshot[],
  listOf: (pool: PoolSnapshot) => readonly Entry[],
  { perPool, overall }: { readonly perPool: number; readonly overall: number },
): ReadonlyMap<PoolId, readonly Entry[]> {
  const kept = pools.map((pool) => {
    const working = listOf(pool).filter(hasWork);
    return working.length <= perPool ? working : [...working].sort(byBusiness).slice(0, perPool);
  });
  const all = kept.flat();
  const allowed = all.length <= overall ? null : new Set<Entry>([...all].sort(byBusiness).slice(0, overall));
  return new Map(
    pools.map((pool, i) => {
      const within = new Set(kept[i]);
      return [pool.pool, listOf(pool).filter((entry) => within.has(entry) && (allowed?.has(entry) ?? true))];
    }),
  );
}

/** Most running and waiting first; then by id, so that equal ones are cut the same way every time. */
function byBusiness(a: KeySnapshot | TenantSnapshot, b: KeySnapshot | TenantSnapshot): number {
  return workOf(b) - workOf(a) || (idOf(a) < idOf(b) ? -1 : 1);
}

/** How busy an entry is: requests and held slots together. */
function workOf({ inFlight, queued, held }: Counts): number {
  return inFlight + queued + held;
}

/** The entry's own id, a key's or a tenant's. */
function idOf(entry: KeySnapshot | TenantSnapshot): string {
  return "keyId" in entry ? entry.keyId : entry.tenantId;
}
