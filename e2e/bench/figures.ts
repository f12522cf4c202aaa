/** Figures of the dashboard's suite, held against limits. */

/** As `scripts/figures.ts` prints and writes it. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly beside: null;
  readonly ratio: null;
  readonly target: string | null;
  readonly holds: boolean | null;
  readonly stretch: null;
  readonly holds_stretch: null;
  readonly spread: number;
}

/** What parts are measured on, and how to end it. */
export interface Started<Place> {
  readonly place: Place;
  readonly stop: () => Promise<void>;
}

interface Given {
  readonly unit: string;
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** The median of the rounds against a limit, with their spread. */
export function figure(name: string, values: readonly number[], { unit, atMost, atLeast }: Given): Figure {
  const value = median(values);
  const isFine = (atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast);
  const limit = atMost === undefined ? (atLeast === undefined ? null : `>= ${atLeast}`) : `<= ${atMost}`;
  return {
    name,
    value,
    unit,
    beside: null,
    ratio: null,
    target: limit,
    holds: limit === null ? null : isFine,
    stretch: null,
    holds_stretch: null,
    spread: value === 0 ? 0 : (Math.max(...values) - Math.min(...values)) / Math.abs(value),
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The value below which a part of all lies. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
