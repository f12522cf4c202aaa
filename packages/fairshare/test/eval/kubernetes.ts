/**
 * Scenario 3: the closed loops of Kubernetes' API Priority and Fairness tests: flows of threads that run, think and
 * ask again, on a few seats. A request costs its run time.
 */

import { exactFigure, type Figure } from "../../../../scripts/figure";
import { type ClosedFlow, plainKey, plainTenant, runClosedLoop, type Stepper } from "../sim/open-loop";
import { EngineSystem } from "../sim/systems";
import type { Row, Scenario } from "./arena";
import { fifo, leastServed, roundRobin } from "./schedulers";

type Threads = readonly [threads: number, runSecs: number, thinkSecs: number];

interface Case {
  readonly name: string;
  readonly seats: number;
  readonly flows: readonly { readonly threads: Threads; readonly fromSecs?: number }[];
  /** Average running of each flow. */
  readonly expected: readonly number[];
  readonly tolerancePercent: number;
}

const LENGTH_SECS = 200;
const CASES: readonly Case[] = [
  { name: "(8,1,1) x2 on 4", seats: 4, flows: same([8, 1, 1], [8, 1, 1]), expected: [2, 2], tolerancePercent: 1 },
  {
    name: "(8,1,1), (7,1,0.5) on 4",
    seats: 4,
    flows: same([8, 1, 1], [7, 1, 0.5]),
    expected: [2, 2],
    tolerancePercent: 1,
  },
  { name: "(4,1,1), (2,1,1) on 3", seats: 3, flows: same([4, 1, 1], [2, 1, 1]), expected: [2, 1], tolerancePercent: 1 },
  {
    name: "wind-up: (2,1,0) against 1 then 2 on 3",
    seats: 3,
    flows: [{ threads: [2, 1, 0] }, { threads: [1, 1, 0] }, { threads: [1, 1, 0], fromSecs: LENGTH_SECS / 2 }],
    expected: [1.5, 1.5],
    tolerancePercent: 2,
  },
];

function same(...threads: readonly Threads[]): Case["flows"] {
  return threads.map((each) => ({ threads: each }));
}

export function kubernetes(): Scenario {
  const systems: readonly (readonly [string, () => Stepper])[] = [
    ["obleth hierarchical", () => new EngineSystem({ algorithm: "hierarchical" })],
    ["obleth weighted", () => new EngineSystem({ algorithm: "weighted" })],
    ["FIFO", fifo],
    ["round robin", roundRobin],
    ["least served, no rejoin", leastServed],
  ];
  const rows: Row[] = [];
  const figures: Figure[] = [];
  for (const each of CASES) {
    for (const [name, make] of systems) {
      const running = averageRunning(make(), each);
      rows.push({ name: `${each.name}, ${name}`, cells: [...running, ...each.expected] });
      if (!name.startsWith("obleth")) continue;
      const off = running.map((value, flow) => 100 * Math.abs(value / (each.expected[flow] ?? 1) - 1));
      const limits = { unit: "%", atMost: each.tolerancePercent };
      figures.push(exactFigure(`kubernetes: ${each.name}, ${name}, off by`, Math.max(...off), limits));
    }
  }
  return {
    title: "3 Kubernetes parity: average running per flow",
    columns: ["flow 1", "flow 2", "expected 1", "expected 2"],
    rows,
    figures,
  };
}

/** Average running of the first flow and of the second one's threads together, over the second half of the run. */
function averageRunning(system: Stepper, { seats, flows }: Case): number[] {
  const loops = flows.map(({ threads: [threads, runSecs, thinkSecs], fromSecs = 0 }, index): ClosedFlow => {
    const id = `f${Math.min(1, index)}`;
    return {
      tenant: plainTenant(id),
      key: plainKey(id),
      threads,
      runMs: runSecs * 1000,
      thinkMs: thinkSecs * 1000,
      costTokens: runSecs * 1000,
      fromMs: fromSecs * 1000,
    };
  });
  const fromMs = (LENGTH_SECS * 1000) / 2;
  const untilMs = LENGTH_SECS * 1000;
  const [first = 0, ...others] = runClosedLoop(system, loops, { pool: "pool", size: seats, fromMs, untilMs });
  const second = others.reduce((a, b) => a + b, 0);
  return [first / (untilMs - fromMs), second / (untilMs - fromMs)];
}
