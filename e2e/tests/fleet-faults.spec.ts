/**
 * Three gateways, later five, behind a balancer on a real Redis and Postgres, and everything that can happen to Redis or
 * to one of them under load. The simulated backend's record judges.
 */
import { expect, test } from "@playwright/test";
import { BalancedLoad } from "../support/balanced-load";
import { booksOf } from "../support/books";
import { Fleet, type Gateway, HEARTBEAT_SECS, REPLICA_TTL_SECS } from "../support/fleet";
import { judge } from "../support/limit-judge";
import type { Trial } from "../support/limit-trial";
import { VisitLog } from "../support/visit-log";

const MODEL = "shared-model";
const SLOTS = 20;
const POOL = `p|${MODEL}`;
/** Longest time to share again after Redis is back, with a second for a machine that does much else. */
const BACK_MS = 3000;

let fleet: Fleet;
let secret: string;
let load: BalancedLoad | undefined;
let log: VisitLog;

test.describe.configure({ mode: "serial" });
test.beforeAll(async () => {
  test.setTimeout(180_000);
  fleet = await Fleet.start({ gateways: 3, hasSentinel: true });
  secret = await fleet.prepare({ model: MODEL, slots: SLOTS, tenant: "chatbot" });
  await fleet.simulator.set({ knee: 1000 });
});
test.beforeEach(async () => {
  await allShare();
  log = await VisitLog.begin(fleet.simulator, MODEL);
});
test.afterEach(async () => {
  await load?.stop();
  load = undefined;
  log.end();
});
test.afterAll(() => fleet.stop());

const allShare = () => expect.poll(modesSeen, { timeout: 20_000, intervals: [50] }).toEqual(["shared"]);
const modesSeen = async () => [...new Set(await fleet.modes())];
const running = async () => (await fleet.simulator.state()).models[MODEL]?.running ?? 0;
const lasting = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function startLoad(): BalancedLoad {
  load = new BalancedLoad(fleet.gateways, {
    secret,
    model: MODEL,
    clients: 3 * SLOTS,
    answerTokens: () => 5 + Math.random() * 30,
    thinkMs: () => Math.random() * 100,
  });
  return load;
}

async function full(): Promise<BalancedLoad> {
  const started = startLoad();
  await expect.poll(running, { intervals: [20] }).toBe(SLOTS);
  return started;
}

/** Requests go on being answered. */
async function goesOn(count = 40): Promise<void> {
  const before = load?.answered ?? 0;
  await expect.poll(() => load?.answered ?? 0, { timeout: 20_000 }).toBeGreaterThan(before + count);
}

/** `sharers`: fewest gateways that the slots were divided over, should Redis have been late meanwhile. */
async function expectRulesKept(over: Pick<Trial, "outages" | "stalls"> = {}, sharers = fleet.gateways.length) {
  const gateways = await fleet.modeChanges();
  const part = Math.ceil(SLOTS / sharers);
  const [heartbeatMs, ttlMs] = [HEARTBEAT_SECS * 1000, REPLICA_TTL_SECS * 1000];
  const verdict = judge({ visits: await log.visits(), gateways, slots: SLOTS, part, heartbeatMs, ttlMs, ...over });
  expect(verdict.faults).toEqual([]);
}

/** After the last answer the books are empty, and add up. */
async function expectNothingLeft(): Promise<void> {
  await load?.stop();
  expect(load?.errors).toEqual([]);
  await expect.poll(async () => await booksOf(fleet.redis), { timeout: 10_000 }).toEqual({ totals: {}, parts: {} });
}

/** Breaks Redis under load for a while; everybody falls back, goes on, and shares again soon after. */
async function survivesOutage(breaks: () => Promise<void> | void, mends: () => Promise<void> | void): Promise<void> {
  await full();
  const fromMs = Date.now();
  await breaks();
  await expect.poll(modesSeen, { timeout: 5000, intervals: [20] }).toEqual(["fallback"]);
  await goesOn();
  await mends();
  const mendedMs = Date.now();
  await allShare();
  const toMs = Date.now();
  expect(toMs - mendedMs).toBeLessThan(BACK_MS);
  await goesOn();
  await expectRulesKept({ outages: [{ fromMs, toMs: mendedMs }] });
  await expectNothingLeft();
}

test("three gateways run exactly as many requests as the pool has slots, and the books end empty", async () => {
  await full();
  await goesOn(100);
  const { high_water } = (await fleet.simulator.state()).models[MODEL] ?? { high_water: 0 };
  await expectRulesKept();
  expect(high_water).toBeGreaterThanOrEqual(SLOTS);
  const { totals, parts } = await booksOf(fleet.redis);
  expect(totals[POOL]).toBe(parts[POOL]);
  await expectNothingLeft();
});

test("losing the script cache is not noticed", async () => {
  await full();
  await fleet.redis.command("SCRIPT", "FLUSH", "SYNC");
  await goesOn();
  await expectRulesKept();
  await expectNothingLeft();
});

test("a Redis that hangs leaves each gateway its part, and all share again when it goes on", () =>
  survivesOutage(
    () => fleet.redis.pause(),
    () => fleet.redis.resume(),
  ));

test("a Redis that crashes and comes back empty gets its books back", () =>
  survivesOutage(
    () => fleet.redis.kill(),
    () => fleet.redis.restart(),
  ));

test("answers that take about as long as the limit change modes no more than once a second, and the rules hold", async () => {
  await full();
  fleet.wire.delayMs = () => 200 + Math.random() * 100;
  await lasting(5000);
  fleet.wire.delayMs = () => 0;
  await allShare();
  await goesOn();
  const changes = await fleet.modeChanges();
  for (const [, modes] of changes) {
    const recent = modes.filter(({ atMs, mode }) => atMs > Date.now() - 20_000 && mode === "fallback");
    expect(recent.length).toBeLessThanOrEqual(7);
  }
  await expectRulesKept();
  await expectNothingLeft();
});

test("a gateway that stands still past its expiry loses its slots, and is let in again only with what it holds", async () => {
  const [still, ...others] = fleet.gateways as [Gateway, ...Gateway[]];
  const running = await full();
  running.setTargets(others);
  const fromMs = Date.now();
  still.process.kill("SIGSTOP");
  await lasting((REPLICA_TTL_SECS + HEARTBEAT_SECS) * 1000 + 500);
  await goesOn();
  await expect.poll(async () => (await booksOf(fleet.redis)).totals[POOL], { intervals: [20] }).toBe(SLOTS);
  const toMs = Date.now();
  still.process.kill("SIGCONT");
  await allShare();
  running.setTargets(fleet.gateways);
  await goesOn();
  await expectRulesKept({ stalls: [{ marker: still.name, fromMs, toMs }] }, others.length);
  await expectNothingLeft();
  expect(running.lost).toBe(0);
});

test("a killed gateway's slots come back after its expiry and a heartbeat, and only its own clients notice", async () => {
  const [doomed, ...others] = fleet.gateways as [Gateway, ...Gateway[]];
  const load = await full();
  load.setTargets(others);
  doomed.process.kill("SIGKILL");
  const killedMs = Date.now();
  fleet.gateways = others;
  await expect.poll(running, { intervals: [20], timeout: 15_000 }).toBeLessThan(SLOTS);
  await expect.poll(running, { intervals: [20], timeout: 15_000 }).toBe(SLOTS);
  expect(Date.now() - killedMs).toBeLessThan((REPLICA_TTL_SECS + HEARTBEAT_SECS + 1) * 1000);
  await goesOn();
  await expectRulesKept({}, others.length);
  await expectNothingLeft();
});

test("five gateways hold the limit while one after another is replaced, and no request fails", async () => {
  await fleet.addGateways(3);
  await allShare();
  const load = await full();
  for (const old of fleet.gateways.slice(0, 2)) {
    const [fresh] = (await fleet.addGateways(1)) as [Gateway];
    fleet.gateways = fleet.gateways.filter((gateway) => gateway !== old);
    load.setTargets(fleet.gateways);
    expect(fleet.gateways).toContain(fresh);
    old.process.kill("SIGTERM");
    await new Promise((resolve) => old.process.once("exit", resolve));
    await goesOn();
  }
  await allShare();
  await expectRulesKept({}, 4);
  await expectNothingLeft();
  expect(load.lost).toBe(0);
});

test("a failover moves the books to the new master, under load and without an error", async () => {
  const { standby } = fleet;
  if (standby === undefined) throw new Error("the fleet was started with a Sentinel");
  await full();
  await standby.sentinel.command("SENTINEL", "SET", "mymaster", "down-after-milliseconds", "500");
  const fromMs = Date.now();
  await fleet.redis.kill();
  await expect.poll(modesSeen, { timeout: 5000, intervals: [20] }).toEqual(["fallback"]);
  await allShare();
  const toMs = Date.now();
  await goesOn();
  await expectRulesKept({ outages: [{ fromMs, toMs }] });
  await load?.stop();
  expect(load?.errors).toEqual([]);
  await expect.poll(async () => await booksOf(standby.replica)).toEqual({ totals: {}, parts: {} });
});
