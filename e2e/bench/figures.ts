/** What the parts of the dashboard's suite have in common. */

/** What parts are measured on, and how to end it. */
export interface Started<Place> {
  readonly place: Place;
  readonly stop: () => Promise<void>;
}

/** The value below which a part of all lies. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
