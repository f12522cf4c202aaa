/**
 * Two gateways on two cores: whether they get in each other's way. A machine with two cores has none left for the model
 * server and the load, so the second gateway shares its core with them; two bare proxies beside one, in the same rounds, tell
 * how much of the difference comes from that.
 */
import type { ChildProcess } from "node:child_process";
import { type Figure, median, ratioFigure } from "../../../scripts/figure";
import { type Bench, runLoad } from "./bench";
import { type Child, cpuSeconds, startLoad, startScript, wakeUps } from "./child";
import { AMPLE, bundled } from "./peers";
import { chatRequest } from "./workload";

type Script = "obleth" | "bare";

/** Requests that each process answers before the first round. */
const WARM_REQUESTS = 20_000;

/** One for each process. */
type Loads = readonly [ChildProcess, ChildProcess];

/** One process in one round. */
interface Share {
  readonly requests: number;
  readonly cpuMicros: number;
  /** How often it had nothing to do and was woken. */
  readonly wakeUps: number;
}

/** Two processes of one script, and what was measured of them: the first alone, and both. */
interface Pair {
  readonly name: Script;
  readonly members: readonly Child[];
  readonly alone: Share[][];
  readonly together: Share[][];
}

/** CPU per request of both together, beside the first alone; the bare pair's figure has no target. */
export async function twoProcessesFigures(bench: Bench): Promise<Figure[]> {
  const second = startLoad(bundled("load"), 1);
  const pairs: Pair[] = [];
  const loads: Loads = [bench.load, second];
  const run = async (members: readonly Child[]): Promise<Share[]> => {
    await measure(members, loads, bench.roundMs / 5);
    return measure(members, loads, bench.roundMs);
  };
  try {
    for (const name of ["obleth", "bare"] as const) pairs.push(await startPair(name, bench));
    for (const { members } of pairs) await warm(members, loads, bench.roundMs);
    for (let round = 0; round < bench.rounds; round++) {
      for (const { members, alone, together } of pairs) {
        alone.push(await run(members.slice(0, 1)));
        together.push(await run(members));
      }
    }
  } finally {
    for (const { members } of pairs) for (const member of members) member.process.kill();
    second.kill();
  }
  console.log("  two processes beside one, per request:");
  for (const pair of pairs) show(pair);
  return pairs.map(({ name, alone, together }) => {
    const rounds = { own: together.map(cpuPerRequest), beside: alone.map(cpuPerRequest) };
    return name === "obleth"
      ? ratioFigure("CPU per request, two processes beside one", rounds, { unit: "us", atMost: 1.05 })
      : ratioFigure("the same of bare proxies", rounds, { unit: "us" });
  });
}

async function startPair(name: Script, { stub }: Bench): Promise<Pair> {
  const args = [String(stub.port), String(AMPLE)];
  const members = await Promise.all([0, 1].map((core) => startScript(bundled(name), args, core)));
  return { name, members, alone: [], together: [] };
}

/** Until each has compiled what it will: the second, on the core of its load, is the slower one. */
async function warm(members: readonly Child[], loads: Loads, durationMs: number): Promise<void> {
  const left = members.map(() => WARM_REQUESTS);
  while (left.some((requests) => requests > 0)) {
    const shares = await measure(members, loads, durationMs);
    for (const [index, { requests }] of shares.entries()) left[index] = (left[index] ?? 0) - requests;
  }
}

function measure(members: readonly Child[], loads: Loads, durationMs: number): Promise<Share[]> {
  return Promise.all(
    members.map(async (member, index): Promise<Share> => {
      const [cpu, wakes] = [cpuSeconds(member), wakeUps(member)];
      const job = { port: member.port, connections: 64, durationMs, request: chatRequest() };
      const { requests } = await runLoad(loads[index === 0 ? 0 : 1], job);
      return { requests, cpuMicros: (cpuSeconds(member) - cpu) * 1e6, wakeUps: wakeUps(member) - wakes };
    }),
  );
}

function cpuPerRequest(shares: readonly Share[]): number {
  return total(shares, (share) => share.cpuMicros) / total(shares, (share) => share.requests);
}

function total(shares: readonly Share[], value: (share: Share) => number): number {
  return shares.reduce((sum, share) => sum + value(share), 0);
}

/** Each member's cost, and how many requests it finds each time it wakes: fewer at a time cost more each. */
function show({ name, alone, together }: Pair): void {
  const member = (rounds: readonly Share[][], index: number): string => {
    const shares = rounds.flatMap((round) => round[index] ?? []);
    const cpu = median(shares.map((share) => share.cpuMicros / share.requests)).toFixed(1);
    return `${cpu} us (${median(shares.map((share) => share.requests / share.wakeUps)).toFixed(1)} a wake-up)`;
  };
  console.log(
    `    ${name.padEnd(8)} alone ${member(alone, 0)}, first ${member(together, 0)}, second ${member(together, 1)}`,
  );
}
