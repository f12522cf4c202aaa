import type { HistoryView } from "../../../lib/history-series";

export interface HistoryBand {
  readonly key: string;
  readonly name: string;
  readonly colorIndex: number | null;
}

const OWN_BANDS = 6;
const OTHER = "other";

/** Groups that get a band of their own, by their stored colour; the rest stack as Other. */
export function historyBands(names: readonly string[], colors: ReadonlyMap<string, number>): HistoryBand[] {
  const own = [...names]
    .filter((name) => (colors.get(name) ?? OWN_BANDS) < OWN_BANDS)
    .sort((a, b) => (colors.get(a) ?? 0) - (colors.get(b) ?? 0) || (a < b ? -1 : 1))
    .map((name) => ({ key: bandKey(name), name, colorIndex: colors.get(name) ?? null }));
  return own.length < names.length ? [...own, { key: OTHER, name: "Other", colorIndex: null }] : own;
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
