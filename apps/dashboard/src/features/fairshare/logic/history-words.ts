/** What a history says in a sentence, for those who read rather than look. */
import { formatClock, formatCount, formatDuration, listWords, type Zone } from "../../../lib/format";
import { type HistoryFacts, peakWords } from "../../../lib/history-facts";

const SAMPLE_MS = 2000;
const MAX_GAPS_TOLD = 2;

/**
 * "Running 24 to 32; waiting peaked at 41 at 03:04. No samples from 03:05:10 to 03:05:44 (gateway restarted)." Without a
 * zone, as long as the reader's is not known, no time of day is told.
 */
export function historyWords(facts: HistoryFacts, zone: Zone | null): string {
  const { peak, bucketMs } = facts;
  if (peak === null) return "";
  const running =
    peak.min === peak.max ? formatCount(peak.max) : `${formatCount(peak.min)} to ${formatCount(peak.max)}`;
  const waiting = peak.peak === 0 ? "nothing waited" : peakWords(peak, zone);
  const worst = bucketMs > SAMPLE_MS ? ` Each column is the worst of ${formatDuration(bucketMs)}.` : "";
  return `Running ${running}; ${waiting}.${worst}${zone === null ? "" : gapWords(facts, zone)}`;
}

function gapWords({ gaps }: HistoryFacts, zone: Zone): string {
  if (gaps.length === 0) return "";
  const told = gaps.slice(-MAX_GAPS_TOLD).map(({ fromMs, toMs, reason }) => {
    const why = reason === "no samples" ? "" : ` (${reason})`;
    return `from ${formatClock(fromMs, zone)} to ${formatClock(toMs, zone)}${why}`;
  });
  const more = gaps.length > told.length ? `, and ${gaps.length - told.length} more before` : "";
  return ` No samples ${listWords(told)}${more}.`;
}
