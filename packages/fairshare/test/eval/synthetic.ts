/**
 * Scenario 2: the synthetic overloads of the VTC paper. Every request has 256 tokens in and 256 out, so it costs 768;
 * arrivals are evenly spaced, each client from its own offset. What counts is service while all clients wait.
 */

import { exactFigure, type Figure } from "../../../../scripts/figure";
import { type OpenRequest, plainKey, plainTenant, runOpenLoop, type Stepper } from "../sim/open-loop";
import { Rng } from "../sim/rng";
import { EngineSystem } from "../sim/systems";
import type { Row, Scenario } from "./arena";
import { fifo, leastServed, roundRobin } from "./schedulers";
import { jain, type Run, servedWhileAllWait, waits, widestGap } from "./service";

const INPUT = 256;
const OUTPUT = 256;
const COST = INPUT + 2 * OUTPUT;
/** One largest request of each of two clients of weight 1: the bound of the engine. */
const BOUND = 2 * COST;

interface Load {
  readonly name: string;
  readonly ratesPerSec: readonly number[];
  readonly weights?: readonly number[];
  /** The first client sends only in every other spell of this length. */
  readonly onOffSecs?: number;
  readonly slots: number;
  readonly msPerOutputToken: number;
  readonly durationSecs: number;
  /** Accumulated gap that the paper's artifact shows for VTC. */
  readonly published?: number;
}

const LOADS: readonly Load[] = [
  { name: "overload", ratesPerSec: [1.5, 3], slots: 19, msPerOutputToken: 43.1, durationSecs: 360, published: 9000 },
  {
    name: "overload-multi",
    ratesPerSec: [0.4, 0.4, 0.4, 0.6, 0.6, 0.6, 0.6, 0.6],
    slots: 18,
    msPerOutputToken: 41.1,
    durationSecs: 360,
    published: 3000,
  },
  {
    name: "on_off_overload",
    ratesPerSec: [2, 3],
    onOffSecs: 60,
    slots: 19,
    msPerOutputToken: 43.4,
    durationSecs: 600,
    published: 7500,
  },
  {
    name: "overload-weighted",
    ratesPerSec: [0.8, 0.8, 1.2, 1.6],
    weights: [1, 2, 3, 4],
    slots: 19,
    msPerOutputToken: 42.3,
    durationSecs: 360,
  },
];

export function synthetic(): Scenario {
  const rows: Row[] = [];
  const figures: Figure[] = [];
  for (const load of LOADS) {
    const weightOf = (tenant: string) => load.weights?.[Number(tenant.slice(1))] ?? 1;
    const play = (system: Stepper, scale = 1): Run => {
      const requests = requestsOf(load, scale);
      const outcomes = runOpenLoop(system, requests, {
        pools: [{ id: "pool", size: load.slots }],
        untilMs: load.durationSecs * 1000,
      });
      return { requests, outcomes, workOf: () => COST };
    };
    const runs: Record<string, Run> = {
      "obleth weighted": play(new EngineSystem({ algorithm: "weighted" })),
      "obleth hierarchical": play(new EngineSystem({ algorithm: "hierarchical" })),
      FIFO: play(fifo()),
      "round robin": play(roundRobin()),
      "least served, no rejoin": play(leastServed()),
    };
    const gaps = new Map(Object.entries(runs).map(([name, run]) => [name, widestGap(run, weightOf)]));
    for (const [name, run] of Object.entries(runs)) rows.push(rowOf(load, name, run, gaps.get(name) ?? 0));
    figures.push(...figuresOf(load, runs, gaps));
  }
  return {
    title: "2 Synthetic overloads: 256 tokens in, 256 out",
    columns: ["widest gap", "of bound", "published VTC", "Jain by weight", "mean wait s", "p95 wait s"],
    rows,
    figures,
  };
}

function requestsOf(load: Load, scale: number): OpenRequest[] {
  const rng = new Rng(42);
  const requests: OpenRequest[] = [];
  load.ratesPerSec.forEach((rate, client) => {
    const id = `c${client}`;
    const weight = scale * (load.weights?.[client] ?? 1);
    const tenant = plainTenant(id, { weight, groupWeight: weight });
    let second = rng.next() / rate;
    for (let i = 0; i < Math.floor(rate * load.durationSecs); i++) {
      second += 1 / rate;
      const isOff = load.onOffSecs !== undefined && client === 0 && Math.floor(second / load.onOffSecs) % 2 === 1;
      if (isOff) continue;
      const runMs = load.msPerOutputToken * OUTPUT;
      requests.push({ atMs: second * 1000, pool: "pool", tenant, key: plainKey(id), costTokens: COST, runMs });
    }
  });
  return requests.sort((a, b) => a.atMs - b.atMs);
}

function rowOf(load: Load, name: string, run: Run, gap: number): Row {
  const { meanSecs, p95Secs } = waits(run);
  const served = ratesServed(load, run);
  return {
    name: `${load.name}, ${name}`,
    cells: [gap, gap / BOUND, name.startsWith("obleth") ? (load.published ?? "") : "", jain(served), meanSecs, p95Secs],
  };
}

/** Service per weight of each client over the second half of the run, when all of them wait. */
function ratesServed(load: Load, run: Run): number[] {
  const untilMs = load.durationSecs * 1000;
  const served = servedWhileAllWait(run, untilMs / 4, untilMs);
  return load.ratesPerSec.map((_, client) => (served.get(`c${client}`) ?? 0) / (load.weights?.[client] ?? 1));
}

function figuresOf(load: Load, runs: Readonly<Record<string, Run>>, gaps: ReadonlyMap<string, number>): Figure[] {
  const plain = gaps.get("FIFO") ?? 0;
  const weighted = gaps.get("obleth weighted") ?? 0;
  const figures = [
    exactFigure(`${load.name}: widest gap, weighted`, weighted, { unit: "tokens", atMost: BOUND, beside: plain }),
  ];
  if (load.weights === undefined) {
    const gap = gaps.get("obleth hierarchical") ?? 0;
    const limits = { unit: "tokens", atMost: BOUND, beside: plain };
    figures.push(exactFigure(`${load.name}: widest gap, hierarchical, a group per client`, gap, limits));
  } else {
    const run = runs["obleth weighted"];
    const parts = run === undefined ? [] : ratesServed(load, run);
    const mean = parts.reduce((a, b) => a + b, 0) / parts.length;
    const worst = Math.max(...parts.map((part) => Math.abs(part / mean - 1)));
    figures.push(exactFigure(`${load.name}: service off 1:2:3:4 by`, 100 * worst, { unit: "%", atMost: 1 }));
  }
  if (load.name === "overload") {
    figures.push(exactFigure("overload: FIFO's gap beside weighted's", plain / weighted, { unit: "x", atLeast: 100 }));
  }
  return figures;
}
