import type { HistoryView } from "../../../lib/history-series";

export interface HistoryBand {
  readonly key: string;
  readonly name: string;
  readonly colorIndex: number | null;
}

const OTHER = "other";

/** A band for each group, by colour. Where several have none left for them they stack as Other; one keeps its name. */
export function historyBands(names: readonly string[], colors: ReadonlyMap<string, number | null>): HistoryBand[] {
  const bands = names.map((name) => ({ key: bandKey(name), name, colorIndex: colors.get(name) ?? null }));
  const own = bands
    .filter((band) => band.colorIndex !== null)
    .sort((a, b) => (a.colorIndex ?? 0) - (b.colorIndex ?? 0) || (a.name < b.name ? -1 : 1));
  const grey = bands.filter((band) => band.colorIndex === null);
  return [...own, ...(grey.length > 1 ? [{ key: OTHER, name: "Other", colorIndex: null }] : grey)];
}

/** Every group that had work in the view. */
export function groupNames(view: HistoryView): string[] {
  const names = new Set<string>();
  for (const { sample } of view.rows) {
    for (const [name, running] of Object.entries(sample?.groups ?? {})) if (running > 0) names.add(name);
  }
  return [...names];
}

/** Rows as the chart reads them: a number per band, what waits, and the pool's size; all null in a hole. */
export function historyRows(view: HistoryView, bands: readonly HistoryBand[]): Record<string, number | null>[] {
  const own = new Set(bands.map((band) => band.key));
  return view.rows.map(({ tsMs, sample }) => {
    const row: Record<string, number | null> = { ts: tsMs, queued: sample?.queued ?? null, cap: sample?.cap ?? null };
    for (const band of bands) row[band.key] = sample === null ? null : 0;
    for (const [name, running] of Object.entries(sample?.groups ?? {})) {
      const key = own.has(bandKey(name)) ? bandKey(name) : OTHER;
      if (own.has(key)) row[key] = (row[key] ?? 0) + running;
    }
    return row;
  });
}

/** Prefixed, so that a group called "queued" or "ts" stays a group. */
function bandKey(name: string): string {
  return `group ${name}`;
}
