/** How numbers, durations and times are written on every page. English words, 24-hour clock, the reader's zone or UTC. */

import * as words from "@obleth/fairshare/words";

export const MISSING = "-";

/** In full to 9,999, compact above; the exact number belongs into a title. Missing is "-", never 0. */
export function formatCount(value: number | null | undefined): string {
  return isNumber(value) ? words.formatCount(value) : MISSING;
}

/** Every digit. Slots are always exact. */
export function formatExact(value: number | null | undefined): string {
  return isNumber(value) ? words.formatExact(value) : MISSING;
}

/** A part of 1 as a whole percent; something is never 0 % and not all is never 100 %. */
export function formatPercent(part: number | null | undefined): string {
  if (!isNumber(part)) return MISSING;
  return part < 1 && part > 0.99 ? "99 %" : words.formatPercent(part);
}

/** "340 ms", "4.2 s", "38 s" up to 90 s, "2 min 10 s". */
export function formatDuration(ms: number | null | undefined): string {
  return isNumber(ms) ? words.formatDuration(ms) : MISSING;
}

/** A wait: like a duration, and never "0 s". */
export function formatWait(ms: number | null | undefined): string {
  return isNumber(ms) ? words.formatWait(ms) : MISSING;
}

/** Time left until an end: "14 min", "1 h 5 min", "38 s", "now". */
export function formatTimeLeft(ms: number): string {
  if (ms <= 0) return "now";
  if (ms < 90_000) return `${Math.ceil(ms / 1000)} s`;
  const minutes = Math.ceil(ms / 60_000);
  return minutes < 60 ? `${minutes} min` : twoUnits([Math.floor(minutes / 60), "h"], [minutes % 60, "min"]);
}

/** How long ago, coarse: "just now", "4 min ago", "3 h ago", "2 d ago". */
export function formatAgo(ms: number): string {
  if (ms < 10_000) return "just now";
  if (ms < 90_000) return `${Math.round(ms / 1000)} s ago`;
  if (ms < 5_400_000) return `${Math.round(ms / 60_000)} min ago`;
  if (ms < 129_600_000) return `${Math.round(ms / 3_600_000)} h ago`;
  return `${Math.round(ms / 86_400_000)} d ago`;
}

/** "1 gateway", "3 gateways". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** "1 slot", "12,000 slots": always exact. */
export function slotCount(count: number, kind = "slot"): string {
  return words.counted(count, kind);
}

/** "a", "a and b", "a, b and c". */
export function listWords(words: readonly string[]): string {
  if (words.length <= 1) return words[0] ?? "";
  return `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

export type Zone = "local" | "utc";

const clocks = new Map<string, Intl.DateTimeFormat>();

/** "03:12:07" in the reader's zone or UTC. */
export function formatClock(tsMs: number, zone: Zone): string {
  return clock("hms", zone).format(tsMs);
}

/** "03:12". */
export function formatMinute(tsMs: number, zone: Zone): string {
  return clock("hm", zone).format(tsMs);
}

/** "30 Nov 03:12". */
export function formatDayTime(tsMs: number, zone: Zone): string {
  return clock("dhm", zone).format(tsMs).replace(",", "");
}

/** "Monday, 30 November 2026". */
export function formatDay(tsMs: number, zone: Zone): string {
  return clock("day", zone).format(tsMs);
}

/** "UTC", or the reader's zone as it is called: "Asia/Kathmandu". */
export function zoneName(zone: Zone): string {
  return zone === "utc" ? "UTC" : new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const CLOCK_OPTIONS: Record<string, Intl.DateTimeFormatOptions> = {
  hms: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
  hm: { hour: "2-digit", minute: "2-digit" },
  dhm: { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" },
  day: { weekday: "long", day: "numeric", month: "long", year: "numeric" },
};

function clock(kind: keyof typeof CLOCK_OPTIONS, zone: Zone): Intl.DateTimeFormat {
  const key = `${kind} ${zone}`;
  let format = clocks.get(key);
  if (format === undefined) {
    const options = CLOCK_OPTIONS[kind] ?? {};
    format = new Intl.DateTimeFormat("en-GB", {
      ...options,
      hourCycle: "h23",
      ...(zone === "utc" ? { timeZone: "UTC" } : {}),
    });
    clocks.set(key, format);
  }
  return format;
}

function isNumber(value: number | null | undefined): value is number {
  return value != null && Number.isFinite(value);
}

/** "1 h 5 min"; a second unit of nothing is left out. */
function twoUnits([large, largeUnit]: [number, string], [small, smallUnit]: [number, string]): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
