/**
 * What a pool is, in one word: from slots in use over its size, and what waits. In use counts held slots, as caps and
 * the pool size do.
 */
export type PoolBand = "full_waiting" | "full" | "busy" | "open" | "idle" | "no_servers";

/** The numbers of a pool that decide its state. */
export interface PoolLoad {
  readonly model: string;
  readonly cap: number;
  readonly capacity_state: "ok" | "no_servers";
  readonly in_flight: number;
  readonly held: number;
  readonly queued: number;
  readonly oldest_wait_ms: number | null;
}

/** Fullest first; pools without servers last. */
export const POOL_BANDS: readonly PoolBand[] = ["full_waiting", "full", "busy", "open", "idle", "no_servers"];

/** The filter's states: a full pool is one state there, whether or not something waits. */
export const FILTER_STATES = ["full", "busy", "open", "idle", "no_servers"] as const;
export type FilterState = (typeof FILTER_STATES)[number];

/** Above this part of its size a pool is Busy; exactly at it, it is still Open. */
const BUSY_ABOVE = 0.8;

export const UNROUTED_POOL = "(unrouted)";

export function inUse(load: { readonly in_flight: number; readonly held: number }): number {
  return load.in_flight + load.held;
}

export function poolBand(pool: Omit<PoolLoad, "model" | "oldest_wait_ms">): PoolBand {
  if (pool.capacity_state === "no_servers") return "no_servers";
  const used = inUse(pool);
  if (used >= pool.cap && used > 0) return pool.queued > 0 ? "full_waiting" : "full";
  if (used > pool.cap * BUSY_ABOVE) return "busy";
  return used === 0 && pool.queued === 0 ? "idle" : "open";
}

export function filterState(band: PoolBand): FilterState {
  return band === "full_waiting" ? "full" : band;
}

/** The word on the badge. `waiting` is given with the word only where the reader must act. */
export function bandLabel(band: PoolBand, queued: number): string {
  const labels: Record<PoolBand, string> = {
    full_waiting: `Full, ${queued.toLocaleString("en-US")} waiting`,
    full: "Full",
    busy: "Busy",
    open: "Open",
    idle: "Idle",
    no_servers: "No servers",
  };
  return labels[band];
}

/** Slots in use over the pool's size; a pool cut under what runs is above 1. */
export function fullness(pool: Pick<PoolLoad, "cap" | "in_flight" | "held">): number {
  return pool.cap > 0 ? inUse(pool) / pool.cap : 0;
}

export interface PoolTotals {
  readonly pools: number;
  readonly inFlight: number;
  readonly held: number;
  readonly queued: number;
  readonly slots: number;
  readonly oldestWaitMs: number | null;
  /** Pools whose slots are left out because nothing serves them. */
  readonly withoutServers: number;
  readonly slotsWithoutServers: number;
  readonly byState: Readonly<Record<FilterState, number>>;
  readonly fullWaiting: number;
}

/** Sums over pools. Slots of pools without servers are in no total; what waits there still waits. */
export function poolTotals(pools: readonly PoolLoad[]): PoolTotals {
  const byState: Record<FilterState, number> = { full: 0, busy: 0, open: 0, idle: 0, no_servers: 0 };
  let [inFlight, held, queued, slots, withoutServers, slotsWithoutServers, fullWaiting] = [0, 0, 0, 0, 0, 0, 0];
  let oldestWaitMs: number | null = null;
  for (const pool of pools) {
    const band = poolBand(pool);
    byState[filterState(band)] += 1;
    inFlight += pool.in_flight;
    held += pool.held;
    queued += pool.queued;
    if (band === "full_waiting") fullWaiting += 1;
    if (pool.oldest_wait_ms !== null) oldestWaitMs = Math.max(oldestWaitMs ?? 0, pool.oldest_wait_ms);
    if (band === "no_servers") {
      withoutServers += 1;
      slotsWithoutServers += pool.cap;
    } else {
      slots += pool.cap;
    }
  }
  return {
    pools: pools.length,
    inFlight,
    held,
    queued,
    slots,
    oldestWaitMs,
    withoutServers,
    slotsWithoutServers,
    byState,
    fullWaiting,
  };
}
