/** One measured figure and what it is held against, as every suite writes it, and the statistics it is judged by. */

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The same measure of what stands beside it; null when nothing does. */
  readonly beside: number | null;
  /** value / beside, of the rounds the median. */
  readonly ratio: number | null;
  /** In words: "<= 227.5". Null for a figure that is only shown. */
  readonly target: string | null;
  readonly holds: boolean | null;
  readonly stretch: string | null;
  readonly holds_stretch: boolean | null;
  /** Relative spread between rounds, (largest - smallest) / median; 0 for what is exact. */
  readonly spread: number;
}

/** Both sides of a comparison, measured in turn. */
export interface Rounds {
  readonly own: readonly number[];
  readonly beside: readonly number[];
}

/** What a figure has to keep to. Neither limit: it is only shown. */
export interface Bar {
  readonly unit: string;
  readonly atMost?: number;
  readonly atLeast?: number;
  /** Aimed at beyond the target, in its direction; left out when there is none. */
  readonly stretch?: number;
}

/** Rounds farther apart than this, relative to their median, judge nothing. */
const WIDEST_SPREAD = 0.6;

/** The median of the rounds, held against a limit. */
export function valueFigure(name: string, values: readonly number[], bar: Bar): Figure {
  const value = median(values);
  const judged = { ...verdictOn(value, bar, ""), spread: spreadOf(values) };
  return { name, value, unit: bar.unit, beside: null, ratio: null, ...judged };
}

/** Own / beside, taken round by round; its median is held against a limit. */
export function ratioFigure(name: string, { own, beside }: Rounds, bar: Bar): Figure {
  const ratios = own.map((value, round) => value / (beside[round] ?? Number.NaN));
  const ratio = median(ratios);
  const judged = { ...verdictOn(ratio, bar, "x"), spread: spreadOf(ratios) };
  return { name, value: median(own), unit: bar.unit, beside: median(beside), ratio, ...judged };
}

/** A figure that repeats exactly, held against a limit; what stands beside it is only shown. */
export function exactFigure(name: string, value: number, given: Bar & { readonly beside?: number }): Figure {
  const { beside = null } = given;
  return {
    ...valueFigure(name, [value], given),
    beside,
    ratio: beside === null || beside === 0 ? null : value / beside,
  };
}

/** Whether a judged figure's rounds were too far apart to say anything. */
export function isNoisy(figure: Figure): boolean {
  return figure.target !== null && figure.spread > WIDEST_SPREAD;
}

/** NaN of no values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[(sorted.length >> 1) - 1] ?? upper) + upper) / 2;
}

/** (Largest - smallest) / median; 0 of one value. */
export function spreadOf(values: readonly number[]): number {
  const extent = Math.max(...values) - Math.min(...values);
  return extent === 0 ? 0 : extent / Math.abs(median(values));
}

function verdictOn(value: number, { atMost, atLeast, stretch }: Bar, unit: string) {
  const limits = [
    ...(atLeast === undefined ? [] : [`>= ${shownLimit(atLeast)}${unit}`]),
    ...(atMost === undefined ? [] : [`<= ${shownLimit(atMost)}${unit}`]),
  ];
  const isJudged = limits.length > 0;
  const wantsMore = atLeast !== undefined;
  const reached = (stretched: number) => (wantsMore ? value >= stretched : value <= stretched);
  return {
    target: isJudged ? limits.join(", ") : null,
    holds: isJudged ? (atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast) : null,
    stretch: stretch === undefined ? null : `${wantsMore ? ">=" : "<="} ${shownLimit(stretch)}${unit}`,
    holds_stretch: stretch === undefined ? null : reached(stretch),
  };
}

/** As it was given: a fraction as one, others to three digits. */
function shownLimit(limit: number): string {
  const parts = 1 / limit;
  const isFraction = parts > 2.5 && Math.abs(parts - Math.round(parts)) < 1e-9;
  return isFraction ? `1/${Math.round(parts)}` : String(Number(limit.toPrecision(4)));
}
