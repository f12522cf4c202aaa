/** Rows of a step chart, closed so that the newest value is drawn as wide as every other. */

export type ChartRow = Readonly<Record<string, number | null>>;

/** Of a row that only ends a step: the time of the sample that it repeats. */
export const SAMPLE_TS = "sample_ts";

/**
 * The rows with one more at the end of the newest step, which repeats its values. A step chart draws a value from its
 * row to the next one, so without it the newest would have no width. A last row without values stays the end.
 */
export function closedSteps(rows: readonly ChartRow[], stepMs: number): readonly ChartRow[] {
  const last = rows.at(-1);
  if (last === undefined || stepMs <= 0 || typeof last.ts !== "number" || isHole(last)) return rows;
  return [...rows, { ...last, ts: last.ts + stepMs, [SAMPLE_TS]: last.ts }];
}

/** Where the time axis ends: at the end asked for, or later, where the newest step ends. */
export function axisEndMs(rows: readonly ChartRow[], toMs: number): number {
  return Math.max(toMs, rows.at(-1)?.ts ?? toMs);
}

function isHole(row: ChartRow): boolean {
  return Object.entries(row).every(([key, value]) => key === "ts" || value === null);
}
