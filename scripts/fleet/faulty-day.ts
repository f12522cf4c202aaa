/**
 * The evaluation's fleet: three gateways on one Redis and one Postgres, as processes, and a public trace through a pool of
 * 20 slots while one of them is killed and Redis goes away. The simulated backend's record is the judge; a single gateway
 * gets the same requests at the same time for comparison.
 */
import path from "node:path";
import { booksOf } from "../../e2e/support/books";
import { Fleet, type Gateway } from "../../e2e/support/fleet";
import { judge } from "../../e2e/support/limit-judge";
import type { ModeChange } from "../../e2e/support/limit-trial";
import { type Visit, VisitLog } from "../../e2e/support/visit-log";
import { exactFigure } from "../figure";
import type { Scenario } from "../figures";
import { readTrace } from "../replay/trace";
import { seededTrace, type TracedRequest } from "./seeded-trace";
import { tenantGap } from "./tenant-gap";
import { TraceLoad } from "./trace-load";

const MODEL = "shared-model";
const SLOTS = 20;
const PART = 7;
const HEARTBEAT_MS = 5000;
const TTL_MS = 15_000;
const KILLED_MS = 60_000;
const RESTARTED_MS = 90_000;
const STOPPED_MS = 120_000;
const BACK_MS = 140_000;
const TENANTS = ["chat", "search", "code", "batch"];
const TRACE = path.join(import.meta.dirname, "../../e2e/data/azure_conv_fleet.csv");
/** Answer tokens per second and request: the trace then asks for about 22 slots. */
const DECODE = 62;

/** How one run went. */
interface Day {
  readonly visits: readonly Visit[];
  readonly gap: number;
  readonly load: TraceLoad;
}

interface Faults {
  /** Of those that lived at the end. */
  readonly modes: ReadonlyMap<string, readonly ModeChange[]>;
  readonly killedMs: number;
  readonly stoppedMs: number;
  readonly backMs: number;
  readonly sharedMs: number;
  readonly runningAtEnd: number;
  readonly slotsAtEnd: number;
}

/** `seed` spreads the requests over gateways and tenants. */
export async function faultyDay(seed = 1): Promise<Scenario> {
  const requests = seededTrace(readTrace(TRACE), { seed, tenants: TENANTS });
  const [fleet, single] = await Promise.all([prepared(3), prepared(1)]);
  try {
    const [{ day, faults }, alone] = await Promise.all([runFleet(fleet, requests), runSingle(single, requests)]);
    return scenario(day, faults, alone);
  } finally {
    await Promise.all([fleet.fleet.stop(), single.fleet.stop()]);
  }
}

interface Prepared {
  readonly fleet: Fleet;
  readonly secrets: ReadonlyMap<string, string>;
}

async function prepared(gateways: number): Promise<Prepared> {
  const env = {
    OBLETH_FAIRSHARE_REPLICA_HEARTBEAT_SECS: String(HEARTBEAT_MS / 1000),
    OBLETH_FAIRSHARE_REPLICA_TTL_SECS: String(TTL_MS / 1000),
  };
  const fleet = await Fleet.start({ gateways, env });
  const secrets = await fleet.prepareTenants({ model: MODEL, slots: SLOTS, tenants: TENANTS });
  await fleet.simulator.set({ decode_tokens_per_sec: DECODE, knee: 1000 });
  const wanted = gateways > 1 ? "shared" : "local";
  await until(async () => (await fleet.modes()).every((mode) => mode === wanted));
  return { fleet, secrets };
}

async function runSingle({ fleet, secrets }: Prepared, requests: readonly TracedRequest[]): Promise<Day> {
  const log = await VisitLog.begin(fleet.simulator, MODEL);
  const load = new TraceLoad({ model: MODEL, secrets, targets: () => fleet.gateways });
  await load.send(requests);
  const visits = await log.visits();
  log.end();
  return { visits, gap: tenantGap(visits), load };
}

async function runFleet({ fleet, secrets }: Prepared, requests: readonly TracedRequest[]) {
  const log = await VisitLog.begin(fleet.simulator, MODEL);
  let targets: readonly Gateway[] = [...fleet.gateways];
  const load = new TraceLoad({ model: MODEL, secrets, targets: () => targets });
  const startedMs = Date.now();
  const reach = (ms: number) => sleep(startedMs + ms - Date.now());
  const sending = load.send(requests);
  await reach(KILLED_MS);
  const [doomed, ...others] = fleet.gateways as [Gateway, ...Gateway[]];
  targets = others;
  fleet.gateways = others;
  doomed.process.kill("SIGKILL");
  const killedMs = Date.now();
  await reach(RESTARTED_MS);
  await fleet.addGateways(1);
  await until(async () => (await fleet.modes()).every((mode) => mode === "shared"));
  targets = fleet.gateways;
  await reach(STOPPED_MS);
  const stoppedMs = Date.now();
  await fleet.redis.kill();
  await reach(BACK_MS);
  await fleet.redis.restart();
  const backMs = Date.now();
  await until(async () => (await fleet.modes()).every((mode) => mode === "shared"));
  await sending;
  await until(async () => Object.keys((await booksOf(fleet.redis)).totals).length === 0).catch(() => undefined);
  const modes = await fleet.modeChanges();
  const sharedMs = Math.max(...[...modes.values()].map((changes) => firstShared(changes, backMs)));
  const visits = await log.visits();
  log.end();
  const runningAtEnd = (await fleet.simulator.state()).models[MODEL]?.running ?? 0;
  const slotsAtEnd = (await booksOf(fleet.redis)).totals.g ?? 0;
  const faults: Faults = { modes, killedMs, stoppedMs, backMs, sharedMs, runningAtEnd, slotsAtEnd };
  return { day: { visits, gap: tenantGap(visits), load }, faults };
}

function scenario({ visits, gap, load }: Day, faults: Faults, alone: Day): Scenario {
  const { killedMs, stoppedMs, backMs, sharedMs, modes } = faults;
  const byGateway = visits.map(({ marker, ...visit }) => ({ ...visit, marker: marker.split(" ")[0] ?? "" }));
  const judged = (from: number, to: number) =>
    judge({
      visits: byGateway.filter((visit) => visit.fromMs < to && visit.toMs >= from),
      gateways: modes,
      slots: SLOTS,
      part: PART,
      heartbeatMs: HEARTBEAT_MS,
      ttlMs: TTL_MS,
      outages: [{ fromMs: stoppedMs, toMs: backMs }],
    });
  const before = highest(byGateway, 0, stoppedMs);
  const outage = judged(stoppedMs, sharedMs);
  const after = judged(sharedMs, Number.POSITIVE_INFINITY);
  for (const fault of [...outage.faults, ...after.faults]) console.log(`  against a rule: ${fault}`);
  const slotsBackMs = fullAgain(byGateway, killedMs) - killedMs;
  return {
    title: "5 Fleet: three gateways, 20 slots, a killed gateway, Redis away for 20 s (real processes, real time)",
    columns: ["most at the backend", "answered", "lost with the killed", "other errors", "tenant gap %"],
    rows: [
      {
        name: "three gateways",
        cells: [highest(byGateway, 0, Number.POSITIVE_INFINITY), load.answered, load.lost, load.errors.length, gap],
      },
      {
        name: "one gateway, no faults",
        cells: [
          highest(alone.visits, 0, Number.POSITIVE_INFINITY),
          alone.load.answered,
          alone.load.lost,
          alone.load.errors.length,
          alone.gap,
        ],
      },
    ],
    figures: [
      exactFigure("most running before Redis stops", before, { unit: "slots", atMost: SLOTS }),
      exactFigure("starts against a rule while Redis is away", outage.faults.length, { unit: "", atMost: 0 }),
      exactFigure("most running while Redis is away", highest(byGateway, stoppedMs, backMs), { unit: "slots" }),
      exactFigure("starts above 20 once all share again", after.faults.length, { unit: "", atMost: 0 }),
      exactFigure("killed gateway's slots in use again", slotsBackMs, { unit: "ms", atMost: TTL_MS + HEARTBEAT_MS }),
      exactFigure("shared again after Redis is back", sharedMs - backMs, { unit: "ms", atMost: 2000 }),
      exactFigure("requests failed except on the killed gateway", load.errors.length, { unit: "", atMost: 0 }),
      exactFigure("running at the end", faults.runningAtEnd, { unit: "", atMost: 0 }),
      exactFigure("slots in the books at the end", faults.slotsAtEnd, { unit: "", atMost: 0 }),
      exactFigure("tenant gap, beside one gateway", gap, { unit: "%", beside: alone.gap }),
    ],
  };
}

/** Most that were there together at the start of any visit between the two moments. */
function highest(visits: readonly Visit[], fromMs: number, toMs: number): number {
  let most = 0;
  for (const { fromMs: atMs } of visits) {
    if (atMs < fromMs || atMs >= toMs) continue;
    most = Math.max(most, visits.filter((visit) => visit.fromMs <= atMs && visit.toMs > atMs).length);
  }
  return most;
}

/** When a gateway came back; that it may leave again later, when an answer is late, is another matter. */
function firstShared(changes: readonly ModeChange[], fromMs: number): number {
  return changes.find(({ mode, atMs }) => mode === "shared" && atMs >= fromMs)?.atMs ?? Number.POSITIVE_INFINITY;
}

/** When all slots are in use again for the first time after a gateway and what it ran were gone. */
function fullAgain(visits: readonly Visit[], killedMs: number): number {
  for (const { fromMs } of visits) {
    const running = visits.filter((visit) => visit.fromMs <= fromMs && visit.toMs > fromMs).length;
    if (fromMs > killedMs + 100 && running >= SLOTS) return fromMs;
  }
  return Number.POSITIVE_INFINITY;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error("the fleet did not get there within 30 s");
    await sleep(50);
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}
