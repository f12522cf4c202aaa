/** Measuring side by side: alternated rounds, medians, spreads, and figures made of them. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Figure } from "../test/eval/figure";

/** Gives one measurement; smaller is better. */
export type Side = () => number | Promise<number>;

export interface Rounds {
  readonly own: readonly number[];
  readonly beside: readonly number[];
}

/** Ratios of rounds farther apart than this, relative to their median, judge nothing. */
const WIDEST_SPREAD = 0.6;

/**
 * Measures both sides in turn, A B A B, each after an unmeasured run of its own: a collection throws compiled code away
 * with the objects it was compiled for.
 */
export async function alternate(count: number, own: Side, beside: Side): Promise<Rounds> {
  const rounds = { own: [] as number[], beside: [] as number[] };
  for (let round = 0; round < count; round++) {
    collectGarbage();
    await own();
    rounds.own.push(await own());
    collectGarbage();
    await beside();
    rounds.beside.push(await beside());
  }
  return rounds;
}

/** User and system CPU of the process while `work` runs, in microseconds. */
export async function cpuMicros(work: () => void | Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const used = process.cpuUsage(before);
  return used.user + used.system;
}

/** The same for work without a promise: nothing of the event loop is in it. */
export function cpuMicrosOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const used = process.cpuUsage(before);
  return used.user + used.system;
}

/** A figure that holds when own / beside is small enough. Ratios are taken round by round. */
export function ratioFigure(
  name: string,
  rounds: Rounds,
  given: { unit: string; target: number; stretch: number | null },
): Figure {
  const ratios = rounds.own.map((value, i) => value / (rounds.beside[i] ?? Number.NaN));
  const ratio = median(ratios);
  const { unit, target, stretch } = given;
  return {
    name,
    value: median(rounds.own),
    unit,
    beside: median(rounds.beside),
    ratio,
    target: `<= ${fraction(target)}x`,
    holds: ratio <= target,
    stretch: stretch === null ? null : `<= ${fraction(stretch)}x`,
    holds_stretch: stretch === null ? null : ratio <= stretch,
    spread: spreadOf(ratios),
  };
}

/** A figure that holds when its value is small enough. */
export function limitFigure(
  name: string,
  values: readonly number[],
  given: { unit: string; target: number; stretch: number | null },
): Figure {
  const value = median(values);
  const { unit, target, stretch } = given;
  return {
    name,
    value,
    unit,
    beside: null,
    ratio: null,
    target: `<= ${target}`,
    holds: value <= target,
    stretch: stretch === null ? null : `<= ${stretch}`,
    holds_stretch: stretch === null ? null : value <= stretch,
    spread: spreadOf(values),
  };
}

/**
 * A figure of how cost grows with size: the exponent over the median cost at each size. Its spread is the widest of the
 * costs'; that of exponents near nothing, in parts of nothing, says nothing.
 */
export function growthFigure(
  name: string,
  costs: ReadonlyMap<number, readonly number[]>,
  given: { target: number; stretch: number },
): Figure {
  const points = [...costs].map(([size, rounds]) => ({ size, cost: median(rounds) }));
  const spread = Math.max(...[...costs.values()].map(spreadOf));
  return { ...limitFigure(name, [growthExponent(points)], { unit: "exponent", ...given }), spread };
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
    spread: spreadOf(values),
  };
}

/** Whether a judged figure's rounds were too far apart; one whose every round holds is never in doubt. */
export function isNoisy(figure: Figure): boolean {
  return figure.target !== null && figure.spread > WIDEST_SPREAD;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** (Largest - smallest) / median. */
export function spreadOf(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values);
}

/** Slope of log(cost) over log(size): 0 is constant, 1 linear. Least squares. */
function growthExponent(points: readonly { readonly size: number; readonly cost: number }[]): number {
  const xs = points.map((point) => Math.log(point.size));
  const ys = points.map((point) => Math.log(point.cost));
  const meanX = xs.reduce((a, b) => a + b, 0) / xs.length;
  const meanY = ys.reduce((a, b) => a + b, 0) / ys.length;
  let above = 0;
  let below = 0;
  xs.forEach((x, i) => {
    above += (x - meanX) * ((ys[i] ?? 0) - meanY);
    below += (x - meanX) ** 2;
  });
  return above / below;
}

let collect: (() => void) | undefined;

/** Runs a full collection, so that a round does not pay for the one before. */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}

function fraction(limit: number): string {
  return limit < 0.3 ? `1/${Math.round(1 / limit)}` : String(Number(limit.toPrecision(3)));
}
