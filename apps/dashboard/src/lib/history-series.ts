/**
 * A gateway's two-second samples as a chart can draw them: one gateway's series at a time, never mixed; holes stay
 * holes; and at most 150 columns, each one real sample, never an average of slots.
 */
import type { FairshareHistory, HistoryPoint } from "../queries/wire";

export interface Gap {
  readonly fromMs: number;
  readonly toMs: number;
  readonly reason: string;
}

export interface Mark {
  readonly tsMs: number;
  readonly label: string;
}

interface Series {
  readonly startedTsMs: number;
  readonly intervalMs: number;
  readonly points: readonly HistoryPoint[];
  /** Starts of the gateway after the first one seen. */
  readonly restarts: readonly number[];
  readonly seenAtMs: number;
}

export interface HistoryStore {
  /** The gateway whose series is shown. */
  readonly shown: string | null;
  readonly series: ReadonlyMap<string, Series>;
  readonly switches: readonly Mark[];
  readonly retentionMs: number;
}

export const EMPTY_HISTORY: HistoryStore = { shown: null, series: new Map(), switches: [], retentionMs: 0 };

/** A gateway that has not answered for so long is left for another one. */
const SWITCH_AFTER_MS = 15_000;
const GAP_INTERVALS = 2.5;
const MAX_BUCKETS = 150;

/** The store after one more answer, read at `nowMs`. */
export function mergeHistory(store: HistoryStore, answer: FairshareHistory, nowMs: number): HistoryStore {
  const before = store.series.get(answer.instance);
  const isRestart = before !== undefined && before.startedTsMs !== answer.started_ts_ms;
  const merged: Series = {
    startedTsMs: answer.started_ts_ms,
    intervalMs: answer.interval_ms,
    points: mergePoints(before?.points ?? [], answer.points, answer.retention_ms),
    restarts: [...(before?.restarts ?? []), ...(isRestart ? [answer.started_ts_ms] : [])],
    seenAtMs: nowMs,
  };
  const series = new Map(store.series).set(answer.instance, merged);
  const current = store.shown === null ? undefined : series.get(store.shown);
  const isLost = current === undefined || nowMs - current.seenAtMs > SWITCH_AFTER_MS;
  const isSwitch = isLost && store.shown !== null && store.shown !== answer.instance;
  const mark = { tsMs: nowMs, label: `switched to ${answer.instance}` };
  return {
    shown: isLost ? answer.instance : store.shown,
    series,
    switches: isSwitch ? [...store.switches, mark] : store.switches,
    retentionMs: answer.retention_ms,
  };
}

/** From when the next answer has to tell; undefined for everything. */
export function nextSinceMs(store: HistoryStore): number | undefined {
  if (store.shown === null) return undefined;
  const last = store.series.get(store.shown)?.points.at(-1);
  return last === undefined ? undefined : last.ts_ms + 1;
}

/** The oldest sample known of the shown gateway; null without one. */
export function oldestSampleMs(store: HistoryStore): number | null {
  const series = store.shown === null ? undefined : store.series.get(store.shown);
  return series?.points[0]?.ts_ms ?? null;
}

/** Slots held for sessions and those taken, over all samples of the shown gateway; null while nothing was held. */
export function holdTotals(store: HistoryStore): { hold: number; redeem: number } | null {
  const series = store.shown === null ? undefined : store.series.get(store.shown);
  let [hold, redeem] = [0, 0];
  for (const { affinity } of series?.points ?? []) {
    hold += affinity?.hold ?? 0;
    redeem += affinity?.redeem ?? 0;
  }
  return hold === 0 ? null : { hold, redeem };
}

export interface HistoryView {
  /** Ascending; a null sample stands for a hole. */
  readonly rows: readonly { readonly tsMs: number; readonly sample: HistoryPoint | null }[];
  readonly gaps: readonly Gap[];
  readonly bucketMs: number;
}

/** What to draw of the shown gateway's series between two times. */
export function historyView(store: HistoryStore, range: { fromMs: number; toMs: number }): HistoryView {
  const series = store.shown === null ? undefined : store.series.get(store.shown);
  if (series === undefined) return { rows: [], gaps: [], bucketMs: 0 };
  const points = series.points.filter((point) => point.ts_ms >= range.fromMs && point.ts_ms <= range.toMs);
  const bucketMs = bucketWidth(range.toMs - range.fromMs, series.intervalMs);
  const gaps = findGaps(points, series);
  return { rows: withGaps(worstPerBucket(points, bucketMs), gaps), gaps, bucketMs };
}

/** A round multiple of the sampling interval that needs at most 150 columns. */
export function bucketWidth(spanMs: number, intervalMs: number): number {
  return Math.max(1, Math.ceil(spanMs / MAX_BUCKETS / intervalMs)) * intervalMs;
}

/** Of each bucket the sample with most waiting, then with most running: what an operator must not miss. */
export function worstPerBucket(points: readonly HistoryPoint[], bucketMs: number): HistoryPoint[] {
  const worst = new Map<number, HistoryPoint>();
  for (const point of points) {
    const bucket = Math.floor(point.ts_ms / bucketMs);
    const known = worst.get(bucket);
    const isWorse =
      known === undefined ||
      point.queued > known.queued ||
      (point.queued === known.queued && point.in_flight > known.in_flight);
    if (isWorse) worst.set(bucket, point);
  }
  return [...worst.values()];
}

/** "Running 24 to 32; waiting peaked at 41." and when, for those who cannot see the chart. */
export function historyPeak(view: HistoryView): { min: number; max: number; peak: number; peakTsMs: number } | null {
  const samples = view.rows.flatMap((row) => (row.sample === null ? [] : [row.sample]));
  const [first] = samples;
  if (first === undefined) return null;
  const running = samples.map((sample) => sample.in_flight);
  const worst = samples.reduce((most, sample) => (sample.queued > most.queued ? sample : most), first);
  return { min: Math.min(...running), max: Math.max(...running), peak: worst.queued, peakTsMs: worst.ts_ms };
}

/** Ages are told by the samples' own clock: the browser's may be wrong. */
function mergePoints(
  known: readonly HistoryPoint[],
  more: readonly HistoryPoint[],
  retentionMs: number,
): HistoryPoint[] {
  const lastMs = known.at(-1)?.ts_ms ?? Number.NEGATIVE_INFINITY;
  const all = [...known, ...more.filter((point) => point.ts_ms > lastMs)];
  const oldestMs = (all.at(-1)?.ts_ms ?? 0) - retentionMs;
  return all.filter((point) => point.ts_ms >= oldestMs);
}

/** A pause of the page leaves no hole: the next answer brings what was missed. A gateway's stop does. */
function findGaps(points: readonly HistoryPoint[], series: Series): Gap[] {
  const gaps: Gap[] = [];
  for (let index = 1; index < points.length; index += 1) {
    const lastMs = points[index - 1]?.ts_ms ?? 0;
    const toMs = points[index]?.ts_ms ?? 0;
    if (toMs - lastMs <= series.intervalMs * GAP_INTERVALS) continue;
    const fromMs = lastMs + series.intervalMs;
    const isRestart = series.restarts.some((startMs) => startMs >= lastMs && startMs <= toMs);
    gaps.push({ fromMs, toMs, reason: isRestart ? "gateway restarted" : "no samples" });
  }
  return gaps;
}

function withGaps(
  points: readonly HistoryPoint[],
  gaps: readonly Gap[],
): { tsMs: number; sample: HistoryPoint | null }[] {
  const rows = points.map((point) => ({ tsMs: point.ts_ms, sample: point as HistoryPoint | null }));
  const holes = gaps.map((gap) => ({ tsMs: gap.fromMs, sample: null }));
  return [...rows, ...holes].sort((a, b) => a.tsMs - b.tsMs);
}
