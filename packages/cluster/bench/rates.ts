/** Rates measured side by side: alternated rounds, medians, spreads. Larger is better. */
import type { Figure } from "../../../scripts/figures";

/** Operations per second of one round. */
export type Side = () => Promise<number>;

export interface Rounds {
  readonly own: readonly number[];
  readonly beside: readonly number[];
}

/** Ratios of rounds farther apart than this, relative to their median, judge nothing. */
const WIDEST_SPREAD = 0.6;

/** Measures both sides in turn after one unmeasured round of each. */
export async function alternate(count: number, own: Side, beside: Side): Promise<Rounds> {
  await own();
  await beside();
  const rounds = { own: [] as number[], beside: [] as number[] };
  for (let round = 0; round < count; round++) {
    rounds.own.push(await own());
    rounds.beside.push(await beside());
  }
  return rounds;
}

/** A figure that holds when own / beside is large enough. */
export function rateFigure(name: string, rounds: Rounds, given: { target: number; stretch: number }): Figure {
  const ratios = rounds.own.map((rate, i) => rate / (rounds.beside[i] ?? Number.NaN));
  const ratio = median(ratios);
  return {
    name,
    value: median(rounds.own),
    unit: "per s",
    beside: median(rounds.beside),
    ratio,
    target: `>= ${given.target}x`,
    holds: ratio >= given.target,
    stretch: `>= ${given.stretch}x`,
    holds_stretch: ratio >= given.stretch,
    spread: spreadOf(ratios),
  };
}

/** A figure held against a limit it may not pass. */
export function limitFigure(name: string, values: readonly number[], given: { unit: string; atMost: number }): Figure {
  const value = median(values);
  return { ...shownFigure(name, values, given.unit), target: `<= ${given.atMost}`, holds: value <= given.atMost };
}

/** A figure shown with what stands beside it, without a target. */
export function besideFigure(name: string, rounds: Rounds, unit: string): Figure {
  const ratios = rounds.own.map((value, i) => value / (rounds.beside[i] ?? Number.NaN));
  const spread = spreadOf(ratios);
  return { ...shownFigure(name, rounds.own, unit), beside: median(rounds.beside), ratio: median(ratios), spread };
}

/** A figure that is only shown. */
export function shownFigure(name: string, values: readonly number[], unit: string): Figure {
  return {
    name,
    value: median(values),
    unit,
    beside: null,
    ratio: null,
    target: null,
    holds: null,
    stretch: null,
    holds_stretch: null,
    spread: values.length > 1 ? spreadOf(values) : 0,
  };
}

/** A ratio whose rounds were too far apart to judge; one that holds by a wide margin is never in doubt. */
export function isNoisy(figure: Figure): boolean {
  return figure.target !== null && figure.ratio !== null && figure.spread > WIDEST_SPREAD;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[(sorted.length >> 1) - 1] ?? upper) + upper) / 2;
}

function spreadOf(values: readonly number[]): number {
  const middle = median(values);
  return middle === 0 ? 0 : (Math.max(...values) - Math.min(...values)) / middle;
}
