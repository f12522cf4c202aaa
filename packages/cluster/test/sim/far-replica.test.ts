/**
 * What a replica gets whose way to the books is long, beside one that is near them. A slot of the far one is on its way for
 * four times the way: the announcement that it is free, the claim, its grant, and in the end its release. So two that get
 * slots at the same rate run 8 S / (2 S + 4 D) requests of 8 each, S the service time and D the way.
 */
import { describe, expect, it } from "vitest";
import { Fleet, owner, request, type SimReplica } from "./fleet";

const SLOTS = 8;
const POOL = "p|chat";
/** Longer than any answer takes here, so that everybody shares all the time. */
const settings = { responseTimeoutMs: 1500, heartbeatMs: 5000, ttlMs: 15_000 };

function start(count: number): { fleet: Fleet; replicas: SimReplica[] } {
  const fleet = new Fleet({ withEngine: true, limits: { poolSize: SLOTS }, settings });
  const replicas = fleet.start(count);
  fleet.clock.advance(6000);
  expect(new Set(fleet.modes)).toEqual(new Set(["shared"]));
  return { fleet, replicas };
}

/** Requests that each come again as soon as they have ended. @returns their waits, ms. */
function keepComing(
  fleet: Fleet,
  at: SimReplica | undefined,
  load: { tenant: string; count: number; serviceMs: number },
) {
  const waitsMs: number[] = [];
  const next = (): void => {
    const serviceMs = load.serviceMs * (0.75 + 0.5 * fleet.rng());
    const cameMs = fleet.clock.monotonicMs();
    at?.arrive(request(serviceMs, owner("chat", load.tenant)), () => {
      waitsMs.push(fleet.clock.monotonicMs() - cameMs);
      fleet.clock.setTimer(serviceMs + 1, next);
    });
  };
  for (let i = 0; i < load.count; i++) next();
  return waitsMs;
}

/** Requests that ran on average at each replica, and slots that stood idle, over `forMs`. */
function watch(fleet: Fleet, forMs = 60_000): { running: number[]; idle: number } {
  const STEP_MS = 5;
  const steps = forMs / STEP_MS;
  const running = fleet.replicas.map(() => 0);
  let idle = 0;
  for (let i = 0; i < steps; i++) {
    fleet.clock.advance(STEP_MS);
    for (const [at, replica] of fleet.replicas.entries()) running[at] = (running[at] ?? 0) + replica.running / steps;
    idle += (SLOTS - fleet.backend.running(POOL)) / steps;
  }
  return { running, idle };
}

const WAYS_MS = [0, 50, 100, 200];
/** `percent`: of what the way leaves of its share. Where a way is as long as a service time, claims sent early are lost. */
const CASES = [
  { serviceMs: 300, percent: 75 },
  { serviceMs: 1000, percent: 85 },
  { serviceMs: 3000, percent: 95 },
].flatMap((load) => WAYS_MS.map((wayMs) => ({ ...load, wayMs })));

describe("a replica far from the books beside a near one that fills the pool", () => {
  it.each(CASES)(
    "has at least $percent % of what the way leaves of its share, $wayMs ms away with requests of $serviceMs ms",
    ({ serviceMs, percent, wayMs }) => {
      const { fleet, replicas } = start(2);
      const [near, far] = replicas;
      if (far !== undefined) far.link.extraMs = wayMs;
      keepComing(fleet, near, { tenant: "busy", count: 40, serviceMs });
      fleet.clock.advance(5000);
      const served = keepComing(fleet, far, { tenant: "denied", count: 12, serviceMs });
      fleet.clock.advance(5000);
      served.length = 0;
      const { running, idle } = watch(fleet);
      expect(running[1]).toBeGreaterThan(((percent / 100) * SLOTS * serviceMs) / (2 * serviceMs + 4 * wayMs));
      // The near one is no worse off for it.
      expect(running[0]).toBeGreaterThan(0.9 * (SLOTS / 2));
      // Idle are the slots on their way and no others.
      expect(idle).toBeLessThan((served.length * 4 * wayMs) / 60_000 + 0.1);
      expect(fleet.backend.highest(POOL)).toBe(SLOTS);
      expect(fleet.modes).toEqual(["shared", "shared"]);
    },
  );

  it.each(CASES)(
    "serves one request at a time within one and a half times four ways and half a service time, $wayMs ms away at $serviceMs ms",
    ({ serviceMs, wayMs }) => {
      const { fleet, replicas } = start(2);
      const [near, far] = replicas;
      if (far !== undefined) far.link.extraMs = wayMs;
      keepComing(fleet, near, { tenant: "busy", count: 40, serviceMs });
      fleet.clock.advance(5000);
      const waitsMs = keepComing(fleet, far, { tenant: "single", count: 1, serviceMs });
      fleet.clock.advance(90_000);
      const meanMs = waitsMs.reduce((sum, waitMs) => sum + waitMs, 0) / waitsMs.length;
      expect(waitsMs.length).toBeGreaterThan(15);
      expect(meanMs).toBeLessThan(1.5 * 4 * wayMs + serviceMs / 2);
      expect(Math.max(...waitsMs)).toBeLessThan(3 * 4 * wayMs + serviceMs);
    },
  );

  it("leaves a slot that is kept for it to the near one when all its clients have left, without letting the turn run out", () => {
    const { fleet, replicas } = start(2);
    const [near, far] = replicas;
    if (far !== undefined) far.link.extraMs = 50;
    keepComing(fleet, near, { tenant: "busy", count: 40, serviceMs: 1000 });
    fleet.clock.advance(5000);
    for (let round = 0; round < 10; round++) {
      const clients = Array.from({ length: 5 }, () => far?.arrive(request(1000, owner("chat", "left"))));
      // Its claim has been denied by then, and told of the others.
      fleet.clock.advance(80);
      for (const client of clients) client?.leave();
      const { idle } = watch(fleet, 2000);
      // Turns that run out are 500 ms of a slot each; this is an announcement and an answer to it, three times at the most.
      expect(idle * 2000).toBeLessThan(3 * 2 * 50);
      fleet.clock.advance(2000);
    }
  });
});

describe("replicas that are alike", () => {
  it.each([
    { count: 2, wayMs: 0 },
    { count: 3, wayMs: 0 },
    { count: 2, wayMs: 100 },
    { count: 3, wayMs: 50 },
  ])("have the same share, $count of them $wayMs ms away", ({ count, wayMs }) => {
    const { fleet, replicas } = start(count);
    for (const [at, replica] of replicas.entries()) {
      replica.link.extraMs = wayMs;
      keepComing(fleet, replica, { tenant: `tenant-${at}`, count: 20, serviceMs: 1000 });
    }
    fleet.clock.advance(10_000);
    const { running } = watch(fleet);
    const mean = running.reduce((sum, each) => sum + each, 0) / count;
    for (const each of running) expect(Math.abs(each - mean)).toBeLessThan(0.1 * mean);
    expect(fleet.backend.highest(POOL)).toBe(SLOTS);
  });
});
