/**
 * Scenario 4: 20 coding agents and 320 one-shots under one key on eight slots, with session affinity at its defaults and
 * without. Sessions begin at random moments of the time in which the one-shots come.
 */

import { exactFigure } from "../../../../scripts/figure";
import { Rng } from "../sim/rng";
import { type AgentMeasures, measure, together } from "./agent-measures";
import { loadOneShots, loadSessions } from "./agent-trace";
import { type AgentWorld, type Favour, playAgents, type Server } from "./agent-world";
import type { Row, Scenario } from "./arena";

/** What the gateway does with affinity turned on and nothing else set. */
export const DEFAULT_FAVOUR: Favour = {
  affinity: { holdMs: 3_000, maxHeldPercent: 25, maxBypassMs: 30_000 },
  warmMs: 120_000,
  maxJumps: 8,
};
/** Between an answer and the agent's next step: mean of a log-normal time, and the deviation of its logarithm. */
const THINK_MS = 500;
const THINK_SIGMA = 0.8;

const SEEDS = 10;
/** For what is only shown. */
const FEWER_SEEDS = 3;
const SERVER: Server = { slots: 8, cacheTokens: 200_000, prefillTokensPerSec: 2_000, decodeTokensPerSec: 40 };
const SHOT_GAP_MS = 1_250;
const SPREAD_MS = 400_000;

interface Pair {
  readonly off: AgentMeasures;
  readonly on: AgentMeasures;
}

interface Arrangement {
  readonly slots: number;
  /** Sessions begin within so long. */
  readonly spreadMs: number;
  readonly seeds: number;
}

export function agents(): Scenario {
  const usual = compare({ slots: SERVER.slots, spreadMs: SPREAD_MS, seeds: SEEDS });
  const light = compare({ slots: 2 * SERVER.slots, spreadMs: SPREAD_MS, seeds: FEWER_SEEDS });
  const burst = compare({ slots: SERVER.slots, spreadMs: 0, seeds: FEWER_SEEDS });
  const { off, on } = usual;
  const ratio = (name: string, pair: Pair, of: keyof AgentMeasures, atMost?: number) =>
    exactFigure(`agents: ${name}, beside off`, pair.on[of] / pair.off[of], {
      unit: "x",
      ...(atMost === undefined ? {} : { atMost }),
    });
  return {
    title: `4 Agents: 20 sessions and 320 one-shots under one key, ${SERVER.slots} slots, ${SEEDS} seeds`,
    columns: ["p50 s", "p95 s", "mean s", "cached", "end s", "passes", "held", "redeem/hold", "one-shots' p95 wait s"],
    rows: [
      rowOf("off", off),
      rowOf("on, defaults", on),
      rowOf("twice the slots, off", light.off),
      rowOf("twice the slots, on", light.on),
      rowOf("all begin at once, off", burst.off),
      rowOf("all begin at once, on", burst.on),
    ],
    figures: [
      ratio("median step latency", usual, "p50Secs", 0.75),
      exactFigure("agents: redeem per hold", on.redeems / on.holds, { unit: "x", atLeast: 0.75 }),
      ratio("end of the last request", usual, "makespanSecs", 1.06),
      exactFigure("agents: most passes", on.mostPasses, { unit: "passes", atMost: 8 }),
      exactFigure("agents: most slots held", on.mostHeld, { unit: "slots", atMost: 2 }),
      ratio("mean step latency", usual, "meanSecs"),
      ratio("p95 step latency", usual, "p95Secs"),
      ratio("one-shots' p95 wait", usual, "shotP95Secs"),
      ratio("twice the slots, median step latency", light, "p50Secs"),
      ratio("twice the slots, mean step latency", light, "meanSecs"),
      ratio("all begin at once, median step latency", burst, "p50Secs"),
    ],
  };
}

function compare(arrangement: Arrangement): Pair {
  const play = (favour: Favour | null) =>
    together(
      Array.from({ length: arrangement.seeds }, (_, seed) => {
        const run = playAgents(worldOf(arrangement, favour, new Rng(2 * seed + 1)), new Rng(2 * seed + 2));
        return measure(run, 0, Number.POSITIVE_INFINITY);
      }),
    );
  return { off: play(null), on: play(DEFAULT_FAVOUR) };
}

function worldOf({ slots, spreadMs }: Arrangement, favour: Favour | null, rng: Rng): AgentWorld {
  const owner = { tenant: "team", key: "team-key" };
  let atMs = 0;
  const shots = loadOneShots().map((call) => {
    atMs += rng.exponential(SHOT_GAP_MS);
    return { ...owner, ...call, atMs };
  });
  return {
    server: { ...SERVER, slots },
    favour,
    sessions: loadSessions().map((steps) => ({ ...owner, startMs: rng.next() * spreadMs, steps })),
    shots,
    thinkMs,
  };
}

export function thinkMs(rng: Rng): number {
  return rng.logNormal(THINK_MS, THINK_SIGMA);
}

function rowOf(name: string, is: AgentMeasures): Row {
  const redeemed = is.holds === 0 ? "" : is.redeems / is.holds;
  const { p50Secs, p95Secs, meanSecs, hitRate, makespanSecs, mostPasses, mostHeld, shotP95Secs } = is;
  return {
    name,
    cells: [p50Secs, p95Secs, meanSecs, hitRate, makespanSecs, mostPasses, mostHeld, redeemed, shotP95Secs],
  };
}
