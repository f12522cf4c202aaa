/** What a Redis costs that does not answer for long: nobody's time, nobody's memory, and no burst when it is back. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { request } from "../test/sim/fleet";
import { RealFleet } from "../test/support/real-fleet";
import { eventually, lasting, startRedis, type TestRedis } from "../test/support/redis-server";
import { startProxy, type TcpProxy } from "../test/support/tcp-proxy";
import type { Spend } from "./budgets/token-budget";

const TIMEOUT_MS = 250;

describe("replicas without an answer of Redis", { timeout: 90_000 }, () => {
  let redis: TestRedis;
  let proxy: TcpProxy;
  let fleet: RealFleet;

  beforeEach(async () => {
    redis = await startRedis();
    proxy = await startProxy(redis.port);
    fleet = new RealFleet("obleth", { settings: { responseTimeoutMs: TIMEOUT_MS } });
    for (let i = 0; i < 2; i++) await fleet.add({ url: `redis://127.0.0.1:${proxy.port}` });
    await allIn("shared");
  });
  afterEach(async () => {
    await fleet.close();
    await proxy.close();
    await redis.kill();
  });

  const allIn = (mode: string) =>
    eventually(`both are in ${mode}`, () => fleet.modes.every((one) => one === mode), 10_000);
  const isQuiet = () => fleet.replicas.every(({ replica }) => replica.running + replica.queued === 0);

  /** One request with all that a gateway asks of the books for it. @returns true when it started before this returned. */
  async function ask(number: number): Promise<boolean> {
    const chosen = fleet.replicas[number % 2];
    let hasStarted = false;
    chosen?.replica.arrive(request(5), () => {
      hasStarted = true;
    });
    const startedAtOnce = hasStarted;
    const budgets = chosen?.cluster.budgets;
    const spend = spendOf(number);
    expect((await budgets?.reserve(spend))?.kind).toBe("unavailable");
    await budgets?.settle(spend, { tokens: 1, costUsd: 0 });
    return startedAtOnce;
  }

  /** A second at a hundred a second. @returns how many had to wait. */
  async function aSecondOfRequests(): Promise<number> {
    let waited = 0;
    for (let i = 0; i < 100; i++) {
      if (!(await ask(i))) waited++;
      await lasting(10);
    }
    return waited;
  }

  it("wait for it no longer than its first calls do: then everybody starts at once, and only probes go out", async () => {
    proxy.swallows = "everything";
    const early: unknown[] = [];
    for (let i = 0; i < 20; i++) {
      early.push(
        new Promise<void>((started) => fleet.replicas[i % 2]?.replica.arrive(request(5), started)),
        fleet.replicas[i % 2]?.cluster.budgets.check(spendOf(i)),
      );
    }
    await allIn("fallback");
    await Promise.all(early);
    await eventually("all have ended", isQuiet);
    const quietBefore = proxy.swallowed;
    const quietMs = performance.now();
    await lasting(3000);
    const alone = (proxy.swallowed - quietBefore) / (performance.now() - quietMs);
    let waited = 0;
    const busyBefore = proxy.swallowed;
    const busyMs = performance.now();
    for (let i = 0; i < 5; i++) waited += await aSecondOfRequests();
    const underLoad = proxy.swallowed - busyBefore;
    const asMany = alone * (performance.now() - busyMs);
    expect(waited).toBe(0);
    // As many a second as without any request; 500 requests of three calls each would show.
    expect(underLoad).toBeLessThan(2 * asMany + 50);
    proxy.swallows = "nothing";
    await allIn("shared");
  });

  it("keep nothing of the calls they could not make but what there is to book, and send no others when it is back", async () => {
    await redis.kill();
    for (let i = 0; i < 4; i++) fleet.replicas[i % 2]?.replica.arrive(request(5));
    await allIn("fallback");
    await manyRequests(2000);
    const before = heapUsed();
    await manyRequests(18_000);
    // A command that waits to be sent takes half a kilobyte and more.
    expect((heapUsed() - before) / 18_000).toBeLessThan(100);
    await Promise.all(Array.from({ length: 300 }, (_, i) => ask(i)));
    await eventually("all have ended", isQuiet);
    redis = await startRedis({ port: redis.port });
    const backMs = performance.now();
    await allIn("shared");
    const sharedMs = performance.now() - backMs;
    expect(sharedMs).toBeLessThan(4000);
    const client = new Redis(redis.url);
    await eventually(
      "what was spent is booked",
      async () => Number(await client.hget("obleth:budget:acme", "used")) > 0,
    );
    const calls = await callsOf(client);
    client.disconnect();
    // 300 bookings, and what two replicas that come back have to say to each other.
    expect(calls).toBeLessThan(300 + 60 * Math.ceil(sharedMs / 1000 + 1));
  });

  /** Requests that find a slot free on their own, a few at a time. */
  async function manyRequests(count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += 20) {
      for (let i = 0; i < 20; i++) fleet.replicas[i % 2]?.replica.arrive(request(0));
      await eventually("these have ended", isQuiet, 30_000);
    }
  }
});

/** Scripts run since the server started; those that it did not know yet are sent once more. */
async function callsOf(client: Redis): Promise<number> {
  const stats = await client.info("commandstats");
  const found = [...stats.matchAll(/cmdstat_(?:evalsha|eval):calls=(\d+),.*failed_calls=(\d+)/g)];
  return found.reduce((sum, [, calls, failed]) => sum + Number(calls) - Number(failed), 0);
}

function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
  return process.memoryUsage().heapUsed;
}

function spendOf(number: number): Spend {
  return {
    requestId: `request-${number}-${performance.now()}`,
    minute: { subject: "acme", tokensPerMinute: 1_000_000 },
    terms: [],
    estimatedTokens: 1,
    estimatedCostUsd: 0,
  };
}
