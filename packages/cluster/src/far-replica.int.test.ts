/** A replica whose way to a real Redis is long, beside one that is near it: judged by what each has served. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { owner, request } from "../test/sim/fleet";
import { RealFleet, type RealReplica } from "../test/support/real-fleet";
import { eventually, startRedis, type TestRedis } from "../test/support/redis-server";
import { startProxy, type TcpProxy } from "../test/support/tcp-proxy";

const SERVICE_MS = 400;
const WAY_MS = 200;
const SLOTS = 8;

describe("a tenant with a backlog at a replica far from Redis, beside one that fills the pool through a near one", () => {
  let redis: TestRedis;
  let proxy: TcpProxy;
  let fleet: RealFleet;

  beforeEach(async () => {
    redis = await startRedis();
    proxy = await startProxy(redis.port);
    fleet = new RealFleet("obleth", {
      limits: { poolSize: SLOTS },
      settings: { responseTimeoutMs: 5000, heartbeatSecs: 5, ttlSecs: 60 },
    });
  });
  afterEach(async () => {
    await fleet.close();
    await proxy.close();
    await redis.kill();
  });

  /** Keeps so many requests of the tenant at the replica until `isOver`; counts what was started. */
  function keepComing(
    { replica }: RealReplica,
    tenant: string,
    count: number,
    isOver: () => boolean,
  ): { started: number } {
    const counted = { started: 0 };
    const next = (): void => {
      if (isOver()) return;
      replica.arrive(request(SERVICE_MS, owner("chat", tenant)), () => {
        counted.started++;
        fleet.clock.setTimer(SERVICE_MS + 1, next);
      });
    };
    for (let i = 0; i < count; i++) next();
    return counted;
  }

  it("gets a third of what is served and more, and the near one no less", { timeout: 120_000 }, async () => {
    const near = await fleet.add({ url: redis.url });
    const far = await fleet.add({ url: `redis://127.0.0.1:${proxy.port}` });
    await eventually("both share", () => fleet.modes.every((mode) => mode === "shared"), 20_000);
    proxy.delayMs = () => WAY_MS;
    let isOver = false;
    const busy = keepComing(near, "busy", 40, () => isOver);
    await eventually("the pool is full", () => near.replica.running === SLOTS, 20_000);
    const denied = keepComing(far, "denied", 12, () => isOver);
    await eventually("the far one has begun", () => denied.started >= 12, 60_000);
    const before = { busy: busy.started, denied: denied.started };
    const servedSince = () => busy.started - before.busy + denied.started - before.denied;
    await eventually("150 more have been served", () => servedSince() >= 150, 60_000);
    const part = (denied.started - before.denied) / servedSince();
    isOver = true;
    expect(fleet.modes).toEqual(["shared", "shared"]);
    expect(fleet.backend.highest("p|chat")).toBe(SLOTS);
    // By the way alone it would be a half: each slot that it gets is two ways longer on the books.
    expect(part).toBeGreaterThan(1 / 3);
    expect(part).toBeLessThan(2 / 3);
    await eventually("all have been served", () => fleet.isQuiet, 60_000);
  });
});
