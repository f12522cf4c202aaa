/** What a source says of a backend at one moment, and the pool size that follows. */

export interface Reading {
  /** Requests that everything ready can run at once, before headroom. */
  readonly readyCapacity: number;
  /** Replicas or endpoints that are ready. */
  readonly readyReplicas: number;
}

/** Largest size; a mistyped headroom must not lift every limit. */
const MAX_SLOTS = 1_000_000;

/** max(1, ceil(ready capacity x headroom)). */
export function discoveredSize(reading: Reading, headroom: number): number {
  // A product such as 10 x 1.1 is 11.000000000000002 in binary and means 11.
  const product = Number((reading.readyCapacity * headroom).toFixed(6));
  return Math.min(MAX_SLOTS, Math.max(1, Math.ceil(product)));
}
