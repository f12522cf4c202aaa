/** What sentences about a history need: little enough to come with a page, unlike its samples. */
import { formatCount, formatMinute, type Zone } from "./format";
import { type Gap, type HistoryView, historyPeak } from "./history-series";

export interface HistoryFacts {
  /** Null without a sample. */
  readonly peak: ReturnType<typeof historyPeak>;
  readonly gaps: readonly Gap[];
  readonly bucketMs: number;
}

export function historyFacts(view: HistoryView): HistoryFacts {
  return { peak: historyPeak(view), gaps: view.gaps, bucketMs: view.bucketMs };
}

/** "waiting peaked at 41 at 03:04"; without a zone, as long as the reader's is not known, not when. */
export function peakWords({ peak, peakTsMs }: NonNullable<HistoryFacts["peak"]>, zone: Zone | null): string {
  return `waiting peaked at ${formatCount(peak)}${zone === null ? "" : ` at ${formatMinute(peakTsMs, zone)}`}`;
}
