/** A trace whose requests are dealt out to gateways and tenants at random, the same for the same seed. */
import type { TraceRow } from "../replay/trace";

export interface TracedRequest extends TraceRow {
  readonly tenant: string;
  /** Uniform in [0, 1): which of the gateways that are there gets it. */
  readonly dice: number;
}

export function seededTrace(
  rows: readonly TraceRow[],
  { seed, tenants }: { seed: number; tenants: readonly string[] },
): TracedRequest[] {
  const next = dice(seed);
  return rows.map((row) => ({ ...row, tenant: tenants[Math.floor(next() * tenants.length)] ?? "", dice: next() }));
}

/** Uniform in [0, 1): mulberry32. */
export function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
