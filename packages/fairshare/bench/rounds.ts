/** Measuring side by side in alternated rounds, and how cost grows. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Figure, median, type Rounds, spreadOf, valueFigure } from "../../../scripts/figure";

/** Gives one measurement; smaller is better. */
export type Side = () => number | Promise<number>;

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

/**
 * A figure of how cost grows with size: the exponent over the median cost at each size. Its spread is the widest of the
 * costs'; that of exponents near nothing, in parts of nothing, says nothing.
 */
export function growthFigure(
  name: string,
  costs: ReadonlyMap<number, readonly number[]>,
  given: { atMost: number; stretch: number },
): Figure {
  const points = [...costs].map(([size, rounds]) => ({ size, cost: median(rounds) }));
  const spread = Math.max(...[...costs.values()].map(spreadOf));
  return { ...valueFigure(name, [growthExponent(points)], { unit: "exponent", ...given }), spread };
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
