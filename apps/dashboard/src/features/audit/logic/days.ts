interface Dated {
  readonly ts_ms: number;
}

/** Rows under the day they fall on, in their own order. */
export function byDay<Row extends Dated>(
  rows: readonly Row[],
  labelOf: (tsMs: number) => string,
): { label: string; rows: Row[] }[] {
  const days: { label: string; rows: Row[] }[] = [];
  for (const row of rows) {
    const label = labelOf(row.ts_ms);
    const last = days.at(-1);
    if (last?.label === label) last.rows.push(row);
    else days.push({ label, rows: [row] });
  }
  return days;
}
