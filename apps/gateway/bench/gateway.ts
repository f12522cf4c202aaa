/**
 * `npm run bench -- gateway`: what a request costs in the gateway with everything on (key check, budgets, admission, usage),
 * beside proxies and gateways in the same run on the same core. CPU time per request is the first figure, because it holds
 * on busy machines too.
 */

import { type Bar, type Figure, isNoisy, median, ratioFigure } from "../../../scripts/figure";
import { type Bench, runLoad } from "./bench";
import { type Child, cpuSeconds, startLoad, startScript } from "./child";
import type { LoadJob } from "./load-job";
import { memoryFigures } from "./memory";
import { bundled, bundleProcesses, type PeerName, peerHeaders, startPeer } from "./peers";
import { twoProcessesFigures } from "./two-processes";
import { chatRequest, type RequestShape } from "./workload";

const LOAD_CORE = 1;
const CHUNKS = 50;

interface Peer {
  readonly name: PeerName;
  readonly child: Child;
}

/** One round of one peer. */
interface Round {
  readonly cpuMicros: number;
  readonly perSecond: number;
  readonly medianMs: number;
}

interface Work {
  readonly connections: number;
  readonly shape: RequestShape;
}

export async function runGatewayBench({ quick, only }: { readonly quick: boolean; readonly only?: string }) {
  const parts: Record<string, (bench: Bench) => Promise<Figure[]>> = {
    requests: plainFigures,
    latency: latencyFigures,
    streams: streamFigures,
    memory: memoryFigures,
    pair: twoProcessesFigures,
  };
  if (only !== undefined && !(only in parts)) {
    throw new Error(`No part "${only}". Known: ${Object.keys(parts).join(", ")}.`);
  }
  await bundleProcesses();
  const stub = await startScript(bundled("stub"), [], LOAD_CORE);
  const load = startLoad(bundled("load"), LOAD_CORE);
  const bench: Bench = {
    stub,
    load,
    rounds: quick ? 3 : 7,
    roundMs: quick ? 500 : 2500,
    warmRequests: quick ? 2000 : 20_000,
    warmMs: quick ? 1500 : 15_000,
    waiting: quick ? 2000 : 5000,
  };
  try {
    const figures: Figure[] = [];
    for (const [name, part] of Object.entries(parts)) {
      if (only === undefined || only === name) figures.push(...(await part(bench)));
    }
    return { suite: "gateway", figures, noisy: figures.some(isNoisy) };
  } finally {
    load.kill();
    stub.process.kill();
  }
}

async function plainFigures(bench: Bench): Promise<Figure[]> {
  const rounds = await measured(bench, ["obleth", "bare", "nginx", "haproxy", "portkey"], {
    connections: 128,
    shape: {},
  });
  const cpu = (peer: PeerName, atMost: number, stretch: number): Figure[] =>
    compared("CPU per request", rounds, peer, (round) => round.cpuMicros, { unit: "us", atMost, stretch });
  return [
    ...cpu("portkey", 1 / 10, 1 / 15),
    ...compared("requests per second on one core", rounds, "portkey", (round) => round.perSecond, {
      unit: "/s",
      atLeast: 8,
      stretch: 12,
    }),
    ...cpu("haproxy", 3.5, 2.6),
    ...cpu("nginx", 3, 2.2),
    ...cpu("bare", 1.15, 1.05),
  ];
}

/** What a lone request waits longer than it would without anything in between. */
async function latencyFigures(bench: Bench): Promise<Figure[]> {
  const job = { connections: 1, durationMs: bench.roundMs, request: chatRequest() };
  const direct = (await runLoad(bench.load, { port: bench.stub.port, ...job })).medianMs;
  const rounds = await measured(bench, ["obleth", "haproxy", "portkey"], { connections: 1, shape: {} });
  const added = (round: Round): number => Math.max(0.001, round.medianMs - direct);
  const bar = (peer: PeerName, atMost: number, stretch: number): Figure[] =>
    compared("added median latency", rounds, peer, added, { unit: "ms", atMost, stretch });
  return [...bar("haproxy", 1.5, 1.2), ...bar("portkey", 0.25, 0.15)];
}

/** 500 streams of 50 events a second each: 25,000 events a second, on machines that carry as much. */
async function streamFigures(bench: Bench): Promise<Figure[]> {
  const rounds = await measured(bench, ["obleth", "nginx", "hono", "portkey"], {
    connections: 500,
    shape: { chunks: CHUNKS },
  });
  const bar = (peer: PeerName, atMost: number, stretch: number): Figure[] =>
    compared("CPU per streamed chunk", rounds, peer, (round) => round.cpuMicros / CHUNKS, {
      unit: "us",
      atMost,
      stretch,
    });
  return [...bar("nginx", 2.2, 1.3), ...bar("hono", 0.6, 0.35), ...bar("portkey", 0.4, 0.22)];
}

/** Alternated rounds of every peer that is installed here. */
async function measured(bench: Bench, names: readonly PeerName[], work: Work): Promise<Map<PeerName, Round[]>> {
  const peers: Peer[] = [];
  for (const name of names) {
    const child = await startPeer(name, bench.stub.port);
    if (child !== null) peers.push({ name, child });
  }
  const rounds = new Map<PeerName, Round[]>(peers.map(({ name }) => [name, []]));
  try {
    for (const peer of peers) await warm(bench, peer, work);
    for (let round = 0; round < bench.rounds; round++) {
      for (const peer of peers) rounds.get(peer.name)?.push(await oneRound(bench, peer, work));
    }
  } finally {
    for (const { child } of peers) child.process.kill();
  }
  showMedians(work, rounds);
  return rounds;
}

/** The plain numbers behind the ratios. */
function showMedians(work: Work, rounds: ReadonlyMap<PeerName, readonly Round[]>): void {
  const per = work.shape.chunks === undefined ? "request" : "stream";
  console.log(`  ${work.connections} connection(s), per ${per}:`);
  for (const [name, list] of rounds) {
    const [cpu, rate, wait] = [
      (round: Round) => round.cpuMicros,
      (round: Round) => round.perSecond,
      (round: Round) => round.medianMs,
    ].map((value) => median(list.map(value)).toFixed(1));
    console.log(`    ${name.padEnd(8)} ${cpu} us CPU, ${rate} /s, median ${wait} ms`);
  }
}

async function warm(bench: Bench, peer: Peer, work: Work): Promise<void> {
  let left = bench.warmRequests / Math.max(1, work.shape.chunks ?? 1);
  const giveUpAt = performance.now() + bench.warmMs;
  while (left > 0 && performance.now() < giveUpAt)
    left -= (await runLoad(bench.load, jobOf(bench, peer, work))).requests;
}

async function oneRound(bench: Bench, peer: Peer, work: Work): Promise<Round> {
  const job = jobOf(bench, peer, work);
  await runLoad(bench.load, { ...job, durationMs: bench.roundMs / 5 });
  const before = cpuSeconds(peer.child);
  const { requests, seconds, medianMs, failures } = await runLoad(bench.load, job);
  const cpuMicros = ((cpuSeconds(peer.child) - before) * 1e6) / requests;
  if (failures > 0) throw new Error(`${peer.name}: ${failures} of ${requests} requests failed`);
  return { cpuMicros, perSecond: requests / seconds, medianMs };
}

function jobOf(bench: Bench, { name, child }: Peer, work: Work): LoadJob {
  const headers = peerHeaders(name, bench.stub.port);
  return {
    port: child.port,
    connections: work.connections,
    durationMs: bench.roundMs,
    request: chatRequest({ ...work.shape, headers }),
  };
}

/** No figure when the peer is not there to be beside. */
function compared(
  measure: string,
  rounds: ReadonlyMap<PeerName, readonly Round[]>,
  peer: PeerName,
  value: (round: Round) => number,
  bar: Bar,
): Figure[] {
  const own = rounds.get("obleth")?.map(value);
  const beside = rounds.get(peer)?.map(value);
  return own === undefined || beside === undefined
    ? []
    : [ratioFigure(`${measure} beside ${peer}`, { own, beside }, bar)];
}
