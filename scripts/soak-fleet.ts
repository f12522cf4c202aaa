/**
 * `npm run soak`: three gateways on one Redis under load, and one random fault after another. After each fault the backend's
 * record is held against the rules of the modes, and the books against what the gateways hold. Build first.
 *
 *   --minutes N   how long (10)
 *   --seed N      the same faults in the same order (the time of day)
 *
 * Exits with 1 when a rule was broken, a request failed, or something was left in the books.
 */
import { parseArgs } from "node:util";
import { BalancedLoad } from "../e2e/support/balanced-load";
import { booksOf } from "../e2e/support/books";
import { Fleet, HEARTBEAT_SECS, REPLICA_TTL_SECS } from "../e2e/support/fleet";
import { judge } from "../e2e/support/limit-judge";
import type { ModeChange, Stall } from "../e2e/support/limit-trial";
import { VisitLog } from "../e2e/support/visit-log";
import { FAULTS } from "./fleet/faults";
import { dice as seeded } from "./fleet/seeded-trace";

const MODEL = "shared-model";
const SLOTS = 20;
const GATEWAYS = 3;
const SESSIONS = 12;

const { values } = parseArgs({ options: { minutes: { type: "string" }, seed: { type: "string" } } });
const minutes = Number(values.minutes ?? 10);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const dice = seeded(seed);
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const problems: string[] = [];
const modes = new Map<string, readonly ModeChange[]>();
const stalls: Stall[] = [];
let highest = 0;
let highestShared = 0;
let highestMixed = 0;
let slowestMs = 0;

console.log(`Soak of ${minutes} minutes, seed ${seed}: ${SLOTS} slots, ${GATEWAYS} gateways.`);
const fleet = await Fleet.start({ gateways: GATEWAYS, env: { OBLETH_FAIRSHARE_SESSION_AFFINITY: "true" } });
try {
  const secret = await fleet.prepare({ model: MODEL, slots: SLOTS, tenant: "chatbot" });
  await fleet.simulator.set({ knee: 1000 });
  await untilShared();
  const log = await VisitLog.begin(fleet.simulator, MODEL);
  const load = new BalancedLoad(fleet.gateways, {
    secret,
    model: MODEL,
    clients: 3 * SLOTS,
    answerTokens: () => 5 + Math.random() * 30,
    thinkMs: () => Math.random() * 300,
    session: () => (Math.random() < 0.5 ? `session-${Math.floor(Math.random() * SESSIONS)}` : null),
  });
  const endMs = Date.now() + minutes * 60_000;
  let count = 0;
  for (; Date.now() < endMs; count++) await episode(load, log);
  await load.stop();
  log.end();
  for (const error of load.errors) problems.push(`a request failed: ${error}`);
  await until(async () => Object.keys((await booksOf(fleet.redis)).totals).length === 0, "the books are empty");
  console.log(
    `${count} faults, ${load.answered} answers, ${load.lost} requests lost with killed gateways, ${load.errors.length} other errors.`,
  );
  console.log(
    `Most at the backend: ${highestShared} while all shared, ${highestMixed} while some did, ${highest} ever. Slowest way back: ${slowestMs} ms.`,
  );
} finally {
  await fleet.stop();
}
for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`);
console.log(problems.length === 0 ? "All rules held." : `${problems.length} rules were broken.`);
process.exit(problems.length === 0 ? 0 : 1);

async function episode(load: BalancedLoad, log: VisitLog): Promise<void> {
  const names = Object.keys(FAULTS);
  const name = names[Math.floor(dice() * names.length)] ?? "";
  const fromMs = Date.now();
  const damage = await FAULTS[name]?.({ fleet, load, dice });
  const undoneMs = Date.now();
  await untilShared();
  const tookMs = Date.now() - undoneMs;
  slowestMs = Math.max(slowestMs, tookMs);
  await sleep(1000 + dice() * 4000);
  for (const [gateway, changes] of await fleet.modeChanges()) modes.set(gateway, changes);
  const visits = (await log.visits()).filter(({ toMs }) => toMs >= fromMs - 1000);
  const outages = damage?.outage === undefined ? [] : [damage.outage];
  if (damage?.stall !== undefined) stalls.push(damage.stall);
  const part = Math.ceil(SLOTS / (damage?.sharers ?? GATEWAYS));
  const [heartbeatMs, ttlMs] = [HEARTBEAT_SECS * 1000, REPLICA_TTL_SECS * 1000];
  const verdict = judge({ visits, gateways: modes, slots: SLOTS, part, heartbeatMs, ttlMs, outages, stalls });
  highest = Math.max(highest, verdict.highest);
  highestShared = Math.max(highestShared, verdict.highestShared);
  highestMixed = Math.max(highestMixed, verdict.highestMixed);
  problems.push(...verdict.faults.map((fault) => `${name}: ${fault}`));
  const { totals, parts } = await booksOf(fleet.redis);
  if (JSON.stringify(sorted(totals)) !== JSON.stringify(sorted(parts))) {
    problems.push(`${name}: the books do not add up: ${JSON.stringify({ totals, parts })}`);
  }
  console.log(`  ${name.padEnd(36)} shared again after ${String(tookMs).padStart(5)} ms, most ${verdict.highest}`);
  for (const fault of verdict.faults.slice(0, 5)) console.log(`    BROKEN ${fault}`);
}

function sorted(limits: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(limits).sort();
}

function untilShared(): Promise<void> {
  return until(async () => (await fleet.modes()).every((mode) => mode === "shared"), "all share");
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await holds())) {
    if (Date.now() > deadline) {
      problems.push(`not within 30 s: ${what}`);
      return;
    }
    await sleep(50);
  }
}
