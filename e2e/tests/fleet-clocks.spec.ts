/**
 * Clocks that are off, and clocks that jump: three gateways half a minute apart on a Redis whose clock is set as well, each
 * a process with a clock of its own. Redis' clock alone decides who has expired, and no wait is measured by a wall clock.
 */
import { expect, test } from "@playwright/test";
import { type Gateway, HEARTBEAT_SECS, REPLICA_TTL_SECS } from "../support/fleet";
import { fleetTrialForTests, MODEL } from "../support/fleet-trial";

const SLOTS = 20;
const HOUR_SECS = 3600;

// A machine that is busy must not look like a Redis that is late: here only clocks may change a mode.
const env = { OBLETH_REDIS_RESPONSE_TIMEOUT_MS: "2000" };
const trial = fleetTrialForTests({ gateways: 3, clocks: [0, 30, -30], env }, SLOTS);

const highWater = async () => (await trial().fleet.simulator.state()).models[MODEL]?.high_water;

function setRedisClock(offsetSecs: number): void {
  trial().fleet.redisClock?.set(offsetSecs);
}

test("gateways whose clocks differ by a minute, and one whose clock jumps by hours, hold the limit without noticing", async () => {
  const [, jumping] = trial().fleet.gateways as [Gateway, Gateway, Gateway];
  const before = await trial().fleet.modeChanges();
  const startedMs = performance.now();
  const load = await trial().full();
  for (const offsetSecs of [HOUR_SECS, -HOUR_SECS, 30]) {
    jumping.clock?.set(offsetSecs);
    await trial().goesOn(100);
  }
  expect(await trial().modes()).toEqual(["shared"]);
  expect(await trial().fleet.modeChanges()).toEqual(before);
  expect(await highWater()).toBe(SLOTS);
  await trial().expectNothingLeft();
  expect(Math.min(...load.waitsMs)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...load.waitsMs)).toBeLessThan(performance.now() - startedMs);
});

for (const [direction, secs] of [
  ["ahead", 10],
  ["back", -10],
] as const) {
  test(`a Redis whose clock is set ${direction} costs a moment of the split at most, and nothing stays counted twice`, async () => {
    await trial().full();
    const allowanceMs = await trial().fleet.allowanceMs();
    setRedisClock(secs);
    const setMs = Date.now();
    await trial().goesOn(60);
    await trial().allShare();
    expect(Date.now() - setMs).toBeLessThan((REPLICA_TTL_SECS + HEARTBEAT_SECS + 10) * 1000 + allowanceMs);
    await trial().goesOn(60);
    await trial().expectRulesKept();
    await trial().expectNothingLeft();
    setRedisClock(0);
  });
}

test("a gateway that dies after Redis' clock was set back by an hour is not kept for an hour", async () => {
  const { fleet } = trial();
  const [doomed, ...others] = fleet.gateways as [Gateway, ...Gateway[]];
  const load = await trial().full();
  setRedisClock(-HOUR_SECS);
  load.setTargets(others);
  await fleet.takeOut(doomed, "SIGKILL");
  await trial().goesOn(60);
  const running = () => trial().running();
  await expect.poll(running, { intervals: [20], timeout: 20_000 }).toBeGreaterThanOrEqual(SLOTS);
  await trial().allShare();
  await trial().goesOn(60);
  await trial().expectRulesKept({}, others.length);
  await trial().expectNothingLeft();
});
