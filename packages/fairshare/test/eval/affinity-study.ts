/**
 * What session affinity is worth where, and what it costs: coding agents in a closed loop, each starting another session
 * when one is through, beside another tenant's one-shots, before a model server whose prefix cache has room for all of
 * them and before one whose cache has not.
 */

import { exactFigure, type Figure } from "../../../../scripts/figure";
import { Rng } from "../sim/rng";
import { type AgentMeasures, measure, together } from "./agent-measures";
import { loadOneShots, loadSessions } from "./agent-trace";
import { type AgentWorld, type Favour, playAgents, type Server } from "./agent-world";
import { DEFAULT_FAVOUR, thinkMs } from "./agents";
import type { Row, Scenario } from "./arena";

const SEEDS = 3;
const SLOTS = 8;
const LENGTH_MS = 500_000;
const WARM_UP_MS = 60_000;
const CHAT_GAP_MS = 10_000;

/** Agents at work for each amount of contention: what they would keep busy if nobody waited, in pools of eight slots. */
export const CONTENTION = { spare: 5, "1x": 9, "1.5x": 14, "2x": 19 } as const;
export type Contention = keyof typeof CONTENTION;

export const SERVERS = {
  roomy: { slots: SLOTS, cacheTokens: 200_000, prefillTokensPerSec: 2_000, decodeTokensPerSec: 40 },
  tight: { slots: SLOTS, cacheTokens: 60_000, prefillTokensPerSec: 500, decodeTokensPerSec: 40 },
} as const satisfies Record<string, Server>;
export type ServerName = keyof typeof SERVERS;

/** A session keeps its slot from its first step to its last: whoever waits does so for a session, not for a step. */
const RUN_THROUGH: Favour = {
  affinity: { holdMs: 3_000, maxHeldPercent: 100, maxBypassMs: 180_000 },
  warmMs: 120_000,
  maxJumps: 1_000,
};
export const FAVOURS = { off: null, defaults: DEFAULT_FAVOUR, "run through": RUN_THROUGH } as const;
export type FavourName = keyof typeof FAVOURS;

const COLUMNS = [
  "p50 s",
  "p95 s",
  "next p95 s",
  "mean s",
  "cached",
  "tokens/s",
  "beside off",
  "held",
  "redeem/hold",
  "chat p95 wait s",
  "chat longest s",
  "longest wait s",
];
const HOLD_TIMES_MS = [0, 300, 1_000, 3_000, 10_000];

export interface StudyPoint {
  readonly server: ServerName;
  readonly contention: Contention;
  readonly favour: FavourName;
  readonly is: AgentMeasures;
}

export interface Study {
  readonly points: readonly StudyPoint[];
  /** The last one carries the figures. */
  readonly scenarios: readonly Scenario[];
}

export function affinityStudy(): Study {
  const points: StudyPoint[] = [];
  for (const server of keysOf(SERVERS)) {
    for (const contention of keysOf(CONTENTION)) {
      for (const favour of keysOf(FAVOURS)) {
        points.push({ server, contention, favour, is: play({ server, contention, favour: FAVOURS[favour] }) });
      }
    }
  }
  const at = (server: ServerName, contention: Contention, favour: FavourName) => {
    const point = points.find((one) => one.server === server && one.contention === contention && one.favour === favour);
    if (point === undefined) throw new Error(`${server} ${contention} ${favour} was not played`);
    return point.is;
  };
  const table = (server: ServerName) => ({
    title: `${server}: a cache of ${SERVERS[server].cacheTokens} tokens, ${SERVERS[server].prefillTokensPerSec} tokens/s read`,
    columns: COLUMNS,
    figures: [],
    rows: points
      .filter((point) => point.server === server)
      .map(({ contention, favour, is }) => rowOf(`${contention}, ${favour}`, is, at(server, contention, "off"))),
  });
  const holds = [holdTimes("defaults", at), holdTimes("run through", at)];
  const figures = figuresOf(points, at);
  return { points, scenarios: [table("roomy"), table("tight"), ...holds, { ...ownKeys(), figures }] };
}

type At = (server: ServerName, contention: Contention, favour: FavourName) => AgentMeasures;

/** Hold times at 1.5 times contention, on the server where holding helps. */
function holdTimes(name: "defaults" | "run through", at: At): Scenario {
  const off = at("tight", "1.5x", "off");
  const { affinity, ...limits } = FAVOURS[name];
  const rows = HOLD_TIMES_MS.map((holdMs) => {
    const favour = { ...limits, affinity: { ...affinity, holdMs } };
    const is = play({ server: "tight", contention: "1.5x", favour });
    return rowOf(`hold ${holdMs} ms`, is, off);
  });
  return { title: `tight, 1.5x, ${name}: over hold times`, columns: COLUMNS, rows, figures: [] };
}

/** Where each agent has a key, a long session runs its key into debt, and the key's next one waits until it is paid. */
function ownKeys(): Scenario {
  const rows = (["1.5x", "2x"] as const).flatMap((contention) => {
    const of = (favour: FavourName) => play({ server: "tight", contention, favour: FAVOURS[favour], hasOwnKeys: true });
    const off = of("off");
    return [
      rowOf(`${contention}, off`, off, off),
      rowOf(`${contention}, defaults`, of("defaults"), off),
      rowOf(`${contention}, run through`, of("run through"), off),
    ];
  });
  return { title: "tight, a key for each agent", columns: COLUMNS, rows, figures: [] };
}

function figuresOf(points: readonly StudyPoint[], at: At): Figure[] {
  const ratio = (
    name: string,
    of: keyof AgentMeasures,
    given: { server: ServerName; favour: FavourName; atMost?: number; atLeast?: number },
  ) => {
    const { server, favour, ...limits } = given;
    const value = at(server, "1.5x", favour)[of] / at(server, "1.5x", "off")[of];
    return exactFigure(`${server}, 1.5x, ${favour}: ${name}, beside off`, value, { unit: "x", ...limits });
  };
  const best = { server: "tight", favour: "run through" } as const;
  const spare = at("roomy", "spare", "off").p95Secs / at("roomy", "1.5x", "off").p95Secs;
  return [
    ratio("p95 of steps after a session's first", "nextP95Secs", { ...best, atMost: 0.5 }),
    ratio("answer tokens per second", "tokensPerSec", { ...best, atLeast: 0.9 }),
    ratio("p95 of all steps", "p95Secs", best),
    ratio("median step", "p50Secs", best),
    ratio("median step", "p50Secs", { server: "tight", favour: "defaults" }),
    ratio("median step", "p50Secs", { server: "roomy", favour: "defaults" }),
    ratio("answer tokens per second", "tokensPerSec", { server: "roomy", favour: "defaults" }),
    ratio("answer tokens per second", "tokensPerSec", { server: "roomy", favour: "run through" }),
    exactFigure("roomy: p95 of a step that never waits, beside off at 1.5x", spare, { unit: "x" }),
    exactFigure("longest wait of another key's request, beside its bound", Math.max(...points.map(chatBesideBound)), {
      unit: "x",
      atMost: 1,
    }),
    exactFigure("longest wait of any request, beside its bound", Math.max(...points.map(anyBesideBound)), {
      unit: "x",
      atMost: 1,
    }),
  ];
}

/** Once the limit is reached nothing is held or passes it, so that the next slot of the pool that is freed is its own. */
function chatBesideBound({ favour, is }: StudyPoint): number {
  const favoured = FAVOURS[favour];
  return favoured === null ? 0 : is.shotLongestSecs / (favoured.affinity.maxBypassMs / 1000 + is.longestRunSecs);
}

/** An agent's request may have older ones of its key before it then, as many as there are other agents. */
function anyBesideBound({ favour, contention, is }: StudyPoint): number {
  const favoured = FAVOURS[favour];
  const rounds = Math.floor(CONTENTION[contention] / SLOTS) + 1;
  return favoured === null
    ? 0
    : is.longestWaitSecs / (favoured.affinity.maxBypassMs / 1000 + rounds * is.longestRunSecs);
}

interface Arrangement {
  readonly server: ServerName;
  readonly contention: Contention;
  readonly favour: Favour | null;
  /** Each agent has a key of its own; otherwise they share one. */
  readonly hasOwnKeys?: boolean;
}

function play(arrangement: Arrangement): AgentMeasures {
  return together(
    Array.from({ length: SEEDS }, (_, seed) => {
      const run = playAgents(worldOf(arrangement, 2 * seed + 1), new Rng(2 * seed + 2));
      return measure(run, WARM_UP_MS, LENGTH_MS);
    }),
  );
}

/** The agents are one tenant's; the one-shots are another's. */
function worldOf({ server, contention, favour, hasOwnKeys = false }: Arrangement, seed: number): AgentWorld {
  const rng = new Rng(seed);
  const traced = loadSessions();
  const calls = loadOneShots();
  const nextSession = () => rng.pick(traced);
  const shots: AgentWorld["shots"][number][] = [];
  for (let atMs = rng.exponential(CHAT_GAP_MS); atMs < LENGTH_MS; atMs += rng.exponential(CHAT_GAP_MS)) {
    shots.push({ tenant: "chat", key: "chat-key", ...rng.pick(calls), atMs });
  }
  const sessions = Array.from({ length: CONTENTION[contention] }, (_, agent) => ({
    tenant: "team",
    key: hasOwnKeys ? `agent-${agent}` : "team-key",
    startMs: rng.next() * 20_000,
    steps: nextSession(),
  }));
  return { server: SERVERS[server], favour, sessions, shots, thinkMs, untilMs: LENGTH_MS, nextSession };
}

function rowOf(name: string, is: AgentMeasures, off: AgentMeasures): Row {
  const redeemed = is.holds === 0 ? "" : is.redeems / is.holds;
  const steps = [is.p50Secs, is.p95Secs, is.nextP95Secs, is.meanSecs, is.hitRate];
  const cost = [is.tokensPerSec, `${Math.round(100 * (is.tokensPerSec / off.tokensPerSec - 1))} %`, is.meanHeld];
  return { name, cells: [...steps, ...cost, redeemed, is.shotP95Secs, is.shotLongestSecs, is.longestWaitSecs] };
}

function keysOf<Key extends string>(of: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(of) as Key[];
}
