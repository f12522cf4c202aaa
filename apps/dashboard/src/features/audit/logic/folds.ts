/** Which changes are shown as one: a burst of one actor is one event to a reader. */

export interface Foldable {
  readonly id: number;
  readonly ts_ms: number;
  readonly actor: string;
  readonly source: string;
}

const WITHIN_MS = 60_000;
/** Two changes are told in full: folding them would only hide a Revert. */
const FOLDED_FROM = 3;

/** Rows, newest first, in runs of one actor within a minute of the run's newest; short runs stay single rows. */
export function foldChanges<Row extends Foldable>(rows: readonly Row[]): Row[][] {
  const runs: Row[][] = [];
  for (const row of rows) {
    const run = runs.at(-1);
    const [newest] = run ?? [];
    const isSame =
      newest !== undefined &&
      newest.actor === row.actor &&
      newest.source === row.source &&
      newest.ts_ms - row.ts_ms < WITHIN_MS;
    if (isSame) run?.push(row);
    else runs.push([row]);
  }
  return runs.flatMap((run) => (run.length >= FOLDED_FROM ? [run] : run.map((row) => [row])));
}

/** Rows that the reader has seen, and how many came after; the reader's own changes never wait. */
export function heldBack<Row extends Foldable>(
  rows: readonly Row[],
  seenId: number | null,
  self: string,
): { shown: readonly Row[]; waiting: number } {
  const [newest] = rows;
  if (seenId === null || newest === undefined || newest.actor === self) return { shown: rows, waiting: 0 };
  const shown = rows.filter((row) => row.id <= seenId);
  return { shown, waiting: rows.length - shown.length };
}
