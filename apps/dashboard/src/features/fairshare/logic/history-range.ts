/** Which stretch of a pool's history is shown: the last minutes, or two times of day within what the gateway keeps. */
import type { Zone } from "../../../lib/format";
import type { HistoryRange } from "../search-params";

const DAY_MS = 86_400_000;
const SPANS_MS = { "15m": 15 * 60_000, "1h": 3_600_000 } as const;
/** How often the charts move. */
const STEPS_MS = { "15m": 5000, "1h": 10_000 } as const;
/** The longest that a gateway can be told to keep, and so the furthest from now that there is anything to draw. */
const LONGEST_MS = DAY_MS;
/** Below it a chart has nothing to show. */
export const SHORTEST_MS = 60_000;

export interface RangeChoice {
  readonly range: HistoryRange;
  readonly from: number | null;
  readonly to: number | null;
}

export function stepOf(range: HistoryRange): number {
  return range === "custom" ? STEPS_MS["1h"] : STEPS_MS[range];
}

/** What to draw at `nowMs`. A custom range without two times in order is the last 15 minutes. */
export function shownRange(choice: RangeChoice, nowMs: number): { fromMs: number; toMs: number } {
  const { range, from, to } = choice;
  if (range === "1h") return { fromMs: nowMs - SPANS_MS["1h"], toMs: nowMs };
  if (range === "custom" && from !== null && to !== null) {
    const [fromMs, toMs] = [Math.max(from, nowMs - LONGEST_MS), Math.min(to, nowMs + LONGEST_MS)];
    if (toMs - fromMs >= SHORTEST_MS) return { fromMs, toMs };
  }
  return { fromMs: nowMs - SPANS_MS["15m"], toMs: nowMs };
}

/** The last time before `nowMs` at which a clock in the zone showed "03:12"; null when that is no time of day. */
export function lastTimeAt(text: string, nowMs: number, zone: Zone): number | null {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (match === null) return null;
  const [hours, minutes] = [Number(match[1]), Number(match[2])];
  const day = new Date(nowMs);
  if (zone === "utc") day.setUTCHours(hours, minutes, 0, 0);
  else day.setHours(hours, minutes, 0, 0);
  if (day.getTime() <= nowMs) return day.getTime();
  if (zone === "utc") return day.getTime() - DAY_MS;
  day.setDate(day.getDate() - 1);
  return day.getTime();
}
