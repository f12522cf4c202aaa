/** Figures from rounds that were measured side by side. The shape is the one every suite writes. */

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly beside: number | null;
  readonly ratio: number | null;
  readonly target: string | null;
  readonly holds: boolean | null;
  readonly stretch: string | null;
  readonly holds_stretch: boolean | null;
  readonly spread: number;
}

export interface Bar {
  readonly name: string;
  readonly unit: string;
  /** Limit of own / beside. */
  readonly target: number;
  readonly stretch: number | null;
  /** True where more is better: the ratio has to reach the target instead of staying under it. */
  readonly wantsMore?: boolean;
}

/** Ratios of rounds farther apart than this, relative to their median, judge nothing. */
export const WIDEST_SPREAD = 0.6;

/** Own against beside, round by round, by the median ratio. */
export function ratioFigure(own: readonly number[], beside: readonly number[], bar: Bar): Figure {
  const ratios = own.map((value, round) => value / (beside[round] ?? Number.NaN));
  const ratio = median(ratios);
  const sign = bar.wantsMore === true ? ">=" : "<=";
  const reaches = (limit: number): boolean => (bar.wantsMore === true ? ratio >= limit : ratio <= limit);
  return {
    name: bar.name,
    value: median(own),
    unit: bar.unit,
    beside: median(beside),
    ratio,
    target: `${sign} ${bar.target}x`,
    holds: reaches(bar.target),
    stretch: bar.stretch === null ? null : `${sign} ${bar.stretch}x`,
    holds_stretch: bar.stretch === null ? null : reaches(bar.stretch),
    spread: (Math.max(...ratios) - Math.min(...ratios)) / ratio,
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
