/**
 * Three gateways, later five, behind a balancer on a real Redis and Postgres, and everything that can happen to Redis or
 * to one of them under load. The simulated backend's record judges.
 */
import { expect, test } from "@playwright/test";
import { type Gateway, HEARTBEAT_SECS, REPLICA_TTL_SECS } from "../support/fleet";
import { fleetTrialForTests, MODEL } from "../support/fleet-trial";

const SLOTS = 20;
const POOL = `p|${MODEL}`;

// A gateway that is taken out is told a moment after its balancer; what was sent before still reaches it.
const env = { OBLETH_SHUTDOWN_DELAY_SECS: "1" };
const trial = fleetTrialForTests({ gateways: 3, redis: "sentinel", env }, SLOTS);

const lasting = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("three gateways run exactly as many requests as the pool has slots, and the books end empty", async () => {
  await trial().full();
  await trial().goesOn(100);
  const { high_water } = (await trial().fleet.simulator.state()).models[MODEL] ?? { high_water: 0 };
  await trial().expectRulesKept();
  expect(high_water).toBeGreaterThanOrEqual(SLOTS);
  const { totals, parts } = await trial().books();
  expect(totals[POOL]).toBe(parts[POOL]);
  await trial().expectNothingLeft();
});

test("losing the script cache is not noticed", async () => {
  await trial().full();
  await trial().fleet.redis.command("SCRIPT", "FLUSH", "SYNC");
  await trial().goesOn();
  await trial().expectRulesKept();
  await trial().expectNothingLeft();
});

test("a Redis that hangs leaves each gateway its part, and all share again when it goes on", () =>
  trial().survivesOutage(
    () => trial().fleet.redis.pause(),
    () => trial().fleet.redis.resume(),
  ));

test("packets that are swallowed without a word cost no more than a Redis that hangs", () =>
  trial().survivesOutage(
    () => {
      trial().fleet.wire.isDeaf = true;
    },
    () => {
      trial().fleet.wire.isDeaf = false;
    },
    // What a new connection said meanwhile was swallowed as well: it takes another one, after up to three probes.
    8000,
  ));

test("a Redis that crashes and comes back empty gets its books back", () =>
  trial().survivesOutage(
    () => trial().fleet.redis.kill(),
    () => trial().fleet.redis.restart(),
  ));

test("answers that take about as long as the limit change modes no more than once a second, and the rules hold", async () => {
  await trial().full();
  const fromMs = Date.now();
  trial().fleet.wire.delayMs = () => 200 + Math.random() * 100;
  await lasting(5000);
  trial().fleet.wire.delayMs = () => 0;
  await trial().allShare();
  await trial().goesOn();
  const changes = [...(await trial().fleet.modeChanges()).values()];
  const fallbacks = changes.map((modes) =>
    modes.filter(({ atMs, mode }) => atMs > fromMs && mode === "fallback").map(({ atMs }) => atMs),
  );
  expect(fallbacks.flat().length).toBeGreaterThan(0);
  const gapsMs = fallbacks.flatMap((times) => times.slice(1).map((atMs, i) => atMs - (times[i] ?? 0)));
  expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(1000);
  await trial().expectRulesKept();
  await trial().expectNothingLeft();
});

test("a gateway that stands still past its expiry loses its slots, and is let in again only with what it holds", async () => {
  const [still, ...others] = trial().fleet.gateways as [Gateway, ...Gateway[]];
  const running = await trial().full();
  running.setTargets(others);
  const fromMs = Date.now();
  still.process.kill("SIGSTOP");
  await lasting((REPLICA_TTL_SECS + HEARTBEAT_SECS) * 1000 + 500);
  await trial().goesOn();
  await expect.poll(async () => (await trial().books()).totals[POOL], { intervals: [20] }).toBe(SLOTS);
  const toMs = Date.now();
  still.process.kill("SIGCONT");
  await trial().allShare();
  running.setTargets(trial().fleet.gateways);
  await trial().goesOn();
  await trial().expectRulesKept({ stalls: [{ marker: still.name, fromMs, toMs }] }, others.length);
  await trial().expectNothingLeft();
  expect(running.lost).toBe(0);
});

test("a killed gateway's slots come back after its expiry and a heartbeat, and only its own clients notice", async () => {
  const { fleet } = trial();
  const [doomed, ...others] = fleet.gateways as [Gateway, ...Gateway[]];
  const load = await trial().full();
  const allowanceMs = await trial().fleet.allowanceMs();
  load.setTargets(others);
  await fleet.takeOut(doomed, "SIGKILL");
  const killedMs = Date.now();
  const fullAtMs = () => trial().fullAtMs(others, killedMs);
  await expect.poll(fullAtMs, { intervals: [50], timeout: 20_000 }).toBeLessThan(Number.POSITIVE_INFINITY);
  expect((await fullAtMs()) - killedMs).toBeLessThan((REPLICA_TTL_SECS + HEARTBEAT_SECS) * 1000 + allowanceMs);
  await trial().goesOn();
  await trial().expectRulesKept({}, others.length);
  await trial().expectNothingLeft();
});

test("five gateways hold the limit while one after another is replaced, and no request fails", async () => {
  const { fleet } = trial();
  await fleet.addGateways(3);
  await trial().allShare();
  const load = await trial().full();
  for (const old of fleet.gateways.slice(0, 2)) {
    const [fresh] = (await fleet.addGateways(1)) as [Gateway];
    load.setTargets(fleet.gateways.filter((gateway) => gateway !== old));
    await fleet.takeOut(old, "SIGTERM");
    expect(fleet.gateways).toContain(fresh);
    await trial().goesOn();
  }
  await trial().allShare();
  await trial().expectRulesKept({}, 4);
  await trial().expectNothingLeft();
  expect(load.lost).toBe(0);
});

test("a Sentinel's failover moves the books to the new master, under load and without an error", async () => {
  const { sentinel } = trial().fleet.arrangement;
  await sentinel.command("SENTINEL", "SET", "mymaster", "down-after-milliseconds", "500");
  await trial().survivesFailover();
});
