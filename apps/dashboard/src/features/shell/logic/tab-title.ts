interface PoolUse {
  readonly capacity_state: "ok" | "no_servers";
  readonly in_flight: number;
  readonly held: number;
  readonly cap: number;
}

/** "(3 full) " or "(stale) " before a tab's title; empty while all is well. */
export function titlePrefix(pools: readonly PoolUse[], isStale: boolean): string {
  if (isStale) return "(stale) ";
  const full = pools.filter(
    (pool) => pool.capacity_state === "ok" && pool.in_flight + pool.held >= Math.max(1, pool.cap),
  ).length;
  return full > 0 ? `(${full} full) ` : "";
}
