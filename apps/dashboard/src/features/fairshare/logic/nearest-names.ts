const SHOWN = 3;
/** Further apart than this part of the longer name is not alike. */
const FARTHEST = 0.6;

/** The names most like the one asked for, nearest first; none that are far off. */
export function nearestNames(wanted: string, names: readonly string[]): string[] {
  const target = wanted.toLowerCase();
  return names
    .map((name) => ({ name, distance: distance(target, name.toLowerCase()) }))
    .filter(({ name, distance: far }) => far <= Math.max(name.length, target.length) * FARTHEST)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, SHOWN)
    .map(({ name }) => name);
}

/** Edits between two texts (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
