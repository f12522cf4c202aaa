import { fullness, type PoolLoad, UNROUTED_POOL } from "../../../lib/pool-state";

export const POOL_SORTS = ["fullest", "name", "waiting", "oldest"] as const;
export type PoolSortKey = (typeof POOL_SORTS)[number];
export type SortDirection = "asc" | "desc";

interface Comparison {
  readonly sort: PoolSortKey;
  readonly direction: SortDirection;
  /** A pool's place by band, 0 first. */
  readonly rank: (pool: PoolLoad) => number;
}

/**
 * Fullest: by band, then fullness, waiting, name, and unregistered names last in their band. The other orders compare
 * their own number first. `asc` turns any of them round, except that names start at A.
 */
export function comparePools(a: PoolLoad, b: PoolLoad, by: Comparison): number {
  if (by.sort === "name") return turned(compareNames(a, b), by.direction === "desc");
  const flip = by.direction === "asc";
  if (by.sort === "waiting") return turned(b.queued - a.queued, flip) || compareFullest(a, b, by.rank);
  if (by.sort === "oldest") {
    return turned((b.oldest_wait_ms ?? -1) - (a.oldest_wait_ms ?? -1), flip) || compareFullest(a, b, by.rank);
  }
  return turned(compareFullest(a, b, by.rank), flip);
}

function compareFullest(a: PoolLoad, b: PoolLoad, rank: Comparison["rank"]): number {
  return (
    rank(a) - rank(b) ||
    Number(a.model === UNROUTED_POOL) - Number(b.model === UNROUTED_POOL) ||
    fullness(b) - fullness(a) ||
    b.queued - a.queued ||
    compareNames(a, b)
  );
}

function compareNames(a: PoolLoad, b: PoolLoad): number {
  return a.model < b.model ? -1 : a.model > b.model ? 1 : 0;
}

function turned(comparison: number, isTurned: boolean): number {
  return isTurned ? -comparison : comparison;
}
