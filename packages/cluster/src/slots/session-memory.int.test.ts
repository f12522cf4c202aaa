/** What sessions leave in Redis: nothing that lasts, also when no gateway is left to clean up. */
import { keyId, poolId, sessionId, tenantId } from "@obleth/fairshare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRedis, type RedisFixture } from "../../test/support/redis-fixture";
import { eventually } from "../../test/support/redis-server";
import { RedisSlots } from "./redis-slots";
import type { SlotOperation } from "./slot-store";

const KEEP_MS = 1500;
const OWNER = { pool: poolId("chat"), tenantId: tenantId("acme"), keyId: keyId("main") };

/** One step of a session, admitted and over; `followsOn` leaves its slot held. */
function step(name: string, followsOn: boolean): SlotOperation[] {
  const session = sessionId(name);
  const limits = { poolSize: 1000, ceiling: 1000, tenantCap: null, keyCap: null };
  const flags = { sinceArrivalMs: 0, isForHoldOnly: false, isStarving: false };
  return [
    { kind: "claim", ...OWNER, ...limits, ...flags, session },
    {
      kind: "hold",
      ...OWNER,
      session,
      sinceArrivalMs: 0,
      sinceLastFinishMs: followsOn ? 0 : null,
      holdMs: 500,
      keepMs: KEEP_MS,
      maxHeld: 1000,
      maxJumps: 8,
    },
  ];
}

describe("what sessions leave in Redis", () => {
  let redis: RedisFixture;
  beforeAll(async () => {
    redis = await openRedis();
  });
  afterAll(() => redis.close());

  it("lapses by itself after the warm time, with no call from anybody", { timeout: 30_000 }, async () => {
    const { client, keys, scripts } = redis;
    const slots = new RedisSlots(scripts, keys);
    const beat = { instance: "a", ttlMs: 60_000, epoch: 1, holdings: new Map<string, number>(), asksOthers: false };
    await new Promise<void>((done) => slots.heartbeat(beat, () => done()));
    for (let batch = 0; batch < 50; batch++) {
      const operations = Array.from({ length: 50 }, (_, i) => step(`one-shot-${batch}-${i}`, i === 0)).flat();
      await new Promise<void>((done) => slots.run({ instance: "a", epoch: 1, operations }, () => done()));
    }
    expect(await client.zcard(keys.sessionsDue)).toBeGreaterThan(500);
    expect(await client.zcard(keys.holds)).toBeGreaterThan(0);
    for (const key of [keys.sessions, keys.sessionsDue]) {
      const leftMs = await client.pttl(key);
      expect(leftMs).toBeGreaterThan(0);
      expect(leftMs).toBeLessThanOrEqual(KEEP_MS);
    }
    expect(await client.pttl(keys.holds)).toBeGreaterThan(60_000);
    await eventually(
      "the sessions are gone",
      async () => (await client.exists(keys.sessions, keys.sessionsDue)) === 0,
      KEEP_MS + 2000,
    );
    await new Promise<void>((done) => slots.heartbeat(beat, () => done()));
    expect(await client.exists(keys.holds)).toBe(0);
    expect(await client.hgetall(keys.slots)).toEqual({});
  });
});
