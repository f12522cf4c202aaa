/** What a source says of a backend at one moment, and the pool size that follows. */
import { MAX_SLOTS } from "@obleth/contract";

export interface Reading {
  /** Requests that everything ready can run at once, before headroom. */
  readonly readyCapacity: number;
  /** Replicas or endpoints that are ready. */
  readonly readyReplicas: number;
}

/** max(1, ceil(ready capacity x headroom)), and no more than a person may set: a mistyped headroom lifts no limit. */
export function discoveredSize(reading: Reading, headroom: number): number {
  // A product such as 10 x 1.1 is 11.000000000000002 in binary and means 11.
  const product = Number((reading.readyCapacity * headroom).toFixed(6));
  return Math.min(MAX_SLOTS, Math.max(1, Math.ceil(product)));
}
