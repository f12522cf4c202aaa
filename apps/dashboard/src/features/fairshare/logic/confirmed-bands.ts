/** A pool is listed under a new band only once a second sample confirms it, so that a number at the edge does not make
 * its row jump to and fro. */
import { type PoolBand, type PoolLoad, poolBand } from "../../../lib/pool-state";

/** The band a pool is listed under, and a different one seen once. */
export type ConfirmedBands = ReadonlyMap<string, { readonly shown: PoolBand; readonly seen: PoolBand | null }>;

/** Bands after one more sample. */
export function confirmBands(previous: ConfirmedBands, pools: readonly PoolLoad[]): ConfirmedBands {
  const bands = new Map<string, { shown: PoolBand; seen: PoolBand | null }>();
  for (const pool of pools) {
    const band = poolBand(pool);
    const before = previous.get(pool.model);
    const isSettled = before === undefined || before.shown === band || before.seen === band;
    bands.set(pool.model, isSettled ? { shown: band, seen: null } : { shown: before.shown, seen: band });
  }
  return bands;
}

export function listedBand(bands: ConfirmedBands, pool: PoolLoad): PoolBand {
  return bands.get(pool.model)?.shown ?? poolBand(pool);
}
