import { VirtualClock } from "@obleth/clock";
import { createEngine, poolId, snapshot } from "@obleth/fairshare";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openRedis, type RedisFixture } from "../../test/support/redis-fixture";
import { RedisViews } from "./redis-views";

const INTERVAL_MS = 500;

let redis: RedisFixture;
let clock: VirtualClock;
let here: RedisViews;

beforeAll(async () => {
  redis = await openRedis();
});

afterEach(() => {
  here.setActive(false);
  return redis.clear();
});

afterAll(() => redis.close());

/** One replica's views on the test's own clock; what it publishes and reads is on the real Redis. */
function viewsOf(instance: string, others: readonly string[]): RedisViews {
  const picture = () => ({ engine: snapshot(createEngine(), 0), about: { name: instance } });
  const { client, keys } = redis;
  return new RedisViews({
    client,
    keys,
    clock,
    instance,
    heartbeatMs: 5000,
    timeoutMs: 250,
    picture,
    others: () => others,
  });
}

/** Asks until it is so; real answers of a real Redis come when they come. */
async function until(isDone: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!isDone()) {
    expect(performance.now()).toBeLessThan(deadline);
    await redis.client.ping();
  }
}

/** The same over several readings: the next begins when the last one, two calls on the same connection, is answered. */
async function untilRead(isDone: () => boolean): Promise<void> {
  for (let round = 0; !isDone(); round++) {
    expect(round).toBeLessThan(20);
    clock.advance(INTERVAL_MS);
    for (let i = 0; i < 10; i++) await redis.client.ping();
  }
}

describe("the others' views as last read", () => {
  it("grow older until they are read again, and are left out once they are older than three intervals", async () => {
    clock = new VirtualClock();
    const there = viewsOf("there", []);
    there.setActive(true);
    await until(() => there.others.reason === null);
    there.setActive(false);
    here = viewsOf("here", ["there"]);
    here.setActive(true);
    await until(() => here.others.views.length === 1);
    const [first] = here.others.views;
    expect(first?.view.about).toEqual({ name: "there" });
    clock.advance(INTERVAL_MS - 100);
    const [later] = here.others.views;
    expect((later?.ageMs ?? 0) - (first?.ageMs ?? 0)).toBe(INTERVAL_MS - 100);
    // A machine that stood still: the next read has begun and is not there yet.
    clock.advance(3 * INTERVAL_MS);
    expect(here.others.views).toEqual([]);
    here.setActive(false);
    expect(here.others).toEqual({ views: [], holds: [], reason: null });
  });

  it("are not read yet at first, and say so", () => {
    clock = new VirtualClock();
    here = viewsOf("here", ["there"]);
    expect(here.others.reason).toBeNull();
    here.setActive(true);
    expect(here.others.reason).toContain("not been read yet");
  });

  it.each(["a view", "the held slots"])(
    "are none while %s cannot be read, with the reason, and are back by themselves",
    async (what) => {
      clock = new VirtualClock();
      const there = viewsOf("there", []);
      there.setActive(true);
      here = viewsOf("here", ["there"]);
      here.setActive(true);
      await until(() => there.others.reason === null);
      there.setActive(false);
      const key = what === "a view" ? redis.keys.view("there") : redis.keys.holds;
      await redis.client.multi().del(key).lpush(key, "not what it should be").exec();
      await untilRead(() => here.others.reason?.includes("cannot be read") === true);
      expect(here.others).toMatchObject({ views: [], holds: [] });
      await redis.client.del(key);
      await untilRead(() => here.others.reason === null);
    },
  );

  it("come with held slots whose time goes on, and which are gone at its end", async () => {
    clock = new VirtualClock();
    const [seconds] = await redis.client.time();
    const nowMs = Number(seconds) * 1000;
    await redis.client.zadd(redis.keys.holds, nowMs + 60_000, "chat|acme|k1|s1", nowMs + 1000, "chat|acme|k1|s2");
    here = viewsOf("here", []);
    here.setActive(true);
    await until(() => here.others.reason === null);
    const before = here.others.holds.find(({ leftMs }) => leftMs > 2000);
    expect(before?.pool).toBe(poolId("chat"));
    clock.advance(INTERVAL_MS - 1);
    const after = here.others.holds.find(({ leftMs }) => leftMs > 2000);
    expect((before?.leftMs ?? 0) - (after?.leftMs ?? 0)).toBe(INTERVAL_MS - 1);
  });
});
