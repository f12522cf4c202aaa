interface UsagePoint {
  readonly ts_ms: number;
  readonly requests: number;
  readonly queued: number;
  readonly timed_out: number;
}

export interface TrendBar {
  readonly tsMs: number;
  readonly requests: number;
  /** Of those, the ones that waited, however it ended. */
  readonly waited: number;
}

/** A bar for every bucket of the time; one without records had no requests. */
export function trendBars(
  points: readonly UsagePoint[],
  range: { bucketMs: number; fromMs: number; toMs: number },
): TrendBar[] {
  const { bucketMs, fromMs, toMs } = range;
  if (bucketMs <= 0) return [];
  const known = new Map(points.map((point) => [point.ts_ms, point]));
  const bars: TrendBar[] = [];
  for (let tsMs = Math.ceil(fromMs / bucketMs) * bucketMs; tsMs <= toMs; tsMs += bucketMs) {
    const point = known.get(tsMs);
    bars.push({ tsMs, requests: point?.requests ?? 0, waited: (point?.queued ?? 0) + (point?.timed_out ?? 0) });
  }
  return bars;
}
