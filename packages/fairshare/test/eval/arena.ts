/**
 * Scenario 1: the Chatbot Arena trace of the VTC paper on 24 slots. A run takes 44.7 ms per output token, fixed at
 * admission (fitted to the artifact's real run). The published figures are those of its real GPU.
 */
import { readFileSync } from "node:fs";
import { exactFigure, type Figure } from "../../../../scripts/figure";
import { type OpenRequest, plainKey, plainTenant, runOpenLoop, type Stepper } from "../sim/open-loop";
import { EngineSystem } from "../sim/systems";
import { fifo, leastServed, roundRobin } from "./schedulers";
import { jain, type Run, serviceDifference, throughput, waits } from "./service";

const SLOTS = 24;
const LENGTH_MS = 600_000;
const MS_PER_OUTPUT_TOKEN = 44.7;
/** Output tokens guessed for every request by a scheduler that cannot know them. */
const GUESS = 256;
const PUBLISHED = {
  fcfs: { average: 433.5, most: 760 },
  vtc: { average: 251.7, most: 368.4 },
  oracle: { average: 227.5 },
};

export interface Row {
  readonly name: string;
  readonly cells: readonly (string | number)[];
}

export interface Scenario {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly figures: readonly Figure[];
}

interface Arrival {
  readonly atMs: number;
  readonly user: string;
  readonly input: number;
  readonly output: number;
}

function loadArrivals(): Arrival[] {
  return readFileSync(new URL("./data/arena.csv", import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .slice(1)
    .map((line) => {
      const [second = 0, user = 0, input = 0, output = 0] = line.split(",").map(Number);
      return { atMs: second * 1000, user: `u${user}`, input, output };
    });
}

export function arena(): Scenario {
  const arrivals = loadArrivals();
  const play = (system: Stepper, guess: number | null): Run => {
    const requests = arrivals.map(
      ({ atMs, user, input, output }): OpenRequest => ({
        atMs,
        pool: "arena",
        tenant: plainTenant(user, { group: "all" }),
        key: plainKey(user),
        costTokens: input + 2 * (guess ?? output),
        runMs: MS_PER_OUTPUT_TOKEN * output,
      }),
    );
    const outcomes = runOpenLoop(system, requests, { pools: [{ id: "arena", size: SLOTS }] });
    const workOf = (index: number) => (arrivals[index]?.input ?? 0) + 2 * (arrivals[index]?.output ?? 0);
    return { requests, outcomes, workOf };
  };
  const weighted = () => new EngineSystem({ algorithm: "weighted" });
  const runs = {
    "obleth weighted, exact cost": play(weighted(), null),
    [`obleth weighted, guess of ${GUESS}`]: play(weighted(), GUESS),
    FIFO: play(fifo(), null),
    "round robin": play(roundRobin(), null),
    "least served, no rejoin": play(leastServed(), null),
  };
  const rate = (run: Run) => throughput(run, (index) => arrivals[index]?.output ?? 0);
  const measured = Object.entries(runs).map(([name, run]) => ({
    name,
    run,
    difference: serviceDifference(run, LENGTH_MS),
  }));
  const rows = measured.map(({ name, run, difference }): Row => {
    const { meanSecs, p95Secs } = waits(run);
    const parts = partsServed(run);
    const refused = run.outcomes.filter((outcome) => outcome.isRefused).length;
    return {
      name,
      cells: [difference.average, difference.most, jain(parts), rate(run), meanSecs, p95Secs, refused],
    };
  });
  rows.push(
    { name: "published: FCFS", cells: [PUBLISHED.fcfs.average, PUBLISHED.fcfs.most, "", "", "", "", ""] },
    { name: "published: VTC", cells: [PUBLISHED.vtc.average, PUBLISHED.vtc.most, "", "", "", "", ""] },
    { name: "published: VTC, oracle", cells: [PUBLISHED.oracle.average, "", "", "", "", "", ""] },
  );
  const [exact, guessed, plain] = measured;
  if (exact === undefined || guessed === undefined || plain === undefined) throw new Error("three runs are measured");
  const refused = exact.run.outcomes.filter((outcome) => outcome.startMs === null).length;
  const figures = [
    exactFigure("arena: average service difference, exact cost", exact.difference.average, {
      unit: "tokens/s",
      atMost: PUBLISHED.oracle.average,
      beside: plain.difference.average,
    }),
    exactFigure("arena: largest service difference, exact cost", exact.difference.most, {
      unit: "tokens/s",
      atMost: PUBLISHED.vtc.most,
      beside: plain.difference.most,
    }),
    exactFigure("arena: average service difference, guessed cost", guessed.difference.average, {
      unit: "tokens/s",
      atMost: PUBLISHED.vtc.average,
      beside: plain.difference.average,
    }),
    exactFigure("arena: throughput beside FIFO", rate(exact.run) / rate(plain.run), { unit: "x", atLeast: 0.99 }),
    exactFigure("arena: refused", refused, { unit: "requests", atMost: 0 }),
    exactFigure("arena: harness check, its FIFO beside the published one", plain.difference.average, {
      unit: "tokens/s",
      atLeast: Math.round(0.9 * PUBLISHED.fcfs.average),
      atMost: Math.round(1.1 * PUBLISHED.fcfs.average),
      beside: PUBLISHED.fcfs.average,
    }),
  ];
  return {
    title: `1 Arena: ${arrivals.length} requests, ${SLOTS} slots, equal weights`,
    columns: ["average diff", "largest diff", "Jain", "tokens/s", "mean wait s", "p95 wait s", "refused"],
    rows,
    figures,
  };
}

/** Part of what each user asked for that was served within the time of arrivals. */
function partsServed(run: Run): number[] {
  const lastMs = Math.max(...run.requests.map((request) => request.atMs));
  const asked = new Map<string, number>();
  const served = new Map<string, number>();
  run.requests.forEach(({ tenant }, index) => {
    const work = run.workOf(index);
    asked.set(tenant.id, (asked.get(tenant.id) ?? 0) + work);
    const startMs = run.outcomes[index]?.startMs ?? null;
    if (startMs !== null && startMs <= lastMs) served.set(tenant.id, (served.get(tenant.id) ?? 0) + work);
  });
  return [...asked].map(([user, work]) => (served.get(user) ?? 0) / work);
}
