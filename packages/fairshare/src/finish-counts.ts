/** How many requests of a pool finished in the last five minutes, in slices of five seconds. */
import { FINISH_WINDOW_MS } from "./snapshot";

/** Coarse enough for 61 numbers a pool, fine enough that a rate over five minutes is right to 2 %. */
const SLICE_MS = 5_000;
/** The five minutes and the slice that is being filled: 61. */
const SLICES = FINISH_WINDOW_MS / SLICE_MS + 1;

/** A ring of counts by time. */
export interface FinishCounts {
  readonly counts: Uint32Array;
  /** Number of the latest slice written, from time zero, and where it is kept. */
  slice: number;
  position: number;
}

/** No finishes yet. */
export function makeFinishCounts(): FinishCounts {
  return { counts: new Uint32Array(SLICES), slice: 0, position: 0 };
}

/** Counts one finish at `nowMs`; O(1), O(slices) after a pause. */
export function countFinish(finishes: FinishCounts, nowMs: number): void {
  const slice = Math.floor(nowMs / SLICE_MS);
  const { counts } = finishes;
  if (slice !== finishes.slice) {
    const stale = Math.min(slice - finishes.slice, SLICES);
    for (let i = 0; i < stale; i++) counts[positionOf(slice - i)] = 0;
    finishes.slice = slice;
    finishes.position = positionOf(slice);
  }
  counts[finishes.position] = (counts[finishes.position] ?? 0) + 1;
}

/** Finishes in the five minutes up to `nowMs`, to the slice. */
export function finishesUpTo(finishes: FinishCounts, nowMs: number): number {
  const slice = Math.floor(nowMs / SLICE_MS);
  let sum = 0;
  for (let age = slice - finishes.slice; age < SLICES; age++) sum += finishes.counts[positionOf(slice - age)] ?? 0;
  return sum;
}

/** Where a slice is kept; times before zero have one too. */
function positionOf(slice: number): number {
  return ((slice % SLICES) + SLICES) % SLICES;
}
