/** Many connections that write the books of a real Redis at once, and replicas that die in the middle of a call. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Command, Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { PLAIN_CLAIM, SOME_OWNER } from "../../test/slot-commands";
import { openRedis, type RedisFixture } from "../../test/support/redis-fixture";
import { RedisScripts, type ScriptRunner, scriptText } from "../redis/scripts";
import { RedisSlots } from "./redis-slots";
import { Holdings } from "./slot-fields";
import type { BatchAnswer, Done, Heartbeat, HeartbeatAnswer, SlotOperation } from "./slot-store";

const CLAIM = { ...PLAIN_CLAIM, poolSize: 5 };
const RELEASE: SlotOperation = { kind: "release", ...SOME_OWNER };
const LONG_MS = 60_000;

let redis: RedisFixture;

beforeAll(async () => {
  redis = await openRedis();
});

afterEach(() => redis.clear());

afterAll(() => redis.close());

const answered = <Answer>(call: (done: Done<Answer>) => void): Promise<Answer> =>
  new Promise((resolve, reject) => call((result) => (result.ok ? resolve(result.answer) : reject(result.error))));

function beat(slots: RedisSlots, fields: Partial<Heartbeat> & { instance: string }): Promise<HeartbeatAnswer> {
  const all = { ttlMs: LONG_MS, epoch: 1, holdings: new Map(), asksOthers: false, ...fields };
  return answered((done) => slots.heartbeat(all, done));
}

function run(slots: RedisSlots, instance: string, operations: readonly SlotOperation[]): Promise<BatchAnswer> {
  return answered((done) => slots.run({ instance, epoch: 1, operations }, done));
}

/** Counts of a key's fields, marks and moments left out. */
async function countsOf(key: string): Promise<Map<string, number>> {
  const fields = Object.entries(await redis.client.hgetall(key));
  return new Map(fields.filter(([field]) => /^(g$|[ptk]\|)/.test(field)).map(([field, n]) => [field, Number(n)]));
}

describe("books that four replicas write at once", () => {
  it("C18 are what the answers add up to, for each and in all, and never above the pool's size", async () => {
    const names = ["a", "b", "c", "d"];
    const logs = new Map(names.map((name) => [name, new Holdings()]));
    const all = new Holdings();
    let highest = 0;
    let refusedWhenFull = 0;
    const work = async (name: string, index: number) => {
      const client = new Redis({ ...redis.client.options, lazyConnect: true });
      await client.connect();
      const slots = new RedisSlots(new RedisScripts(client), redis.keys);
      await beat(slots, { instance: name });
      for (let round = 0; round < 100; round++) {
        // Three calls on their way at any time, each of a few claims and ends.
        const calls = [0, 1, 2].map((k) =>
          Array.from({ length: 1 + ((round + k) % 3) }, (_, i) =>
            (index + round + k + i) % 3 === 0 ? RELEASE : CLAIM,
          ),
        );
        const answers = await Promise.all(calls.map((operations) => run(slots, name, operations)));
        for (const answer of answers) note(name, answer);
        highest = Math.max(highest, Number(await redis.client.hget(redis.keys.slots, "p|chat")));
      }
      client.disconnect();
    };
    const note = (name: string, answer: BatchAnswer) => {
      if (answer.kind !== "done") throw new Error(`${name} is not registered`);
      for (const one of answer.answers) {
        const by =
          one.kind === "claim"
            ? Number(one.answer === "granted")
            : one.kind === "release"
              ? -Number(one.answer === "freed")
              : 0;
        if (one.kind === "claim" && one.answer === "pool" && one.retryMs === null) refusedWhenFull++;
        logs.get(name)?.add(SOME_OWNER, by);
        all.add(SOME_OWNER, by);
      }
    };
    await Promise.all(names.map(work));
    expect(await countsOf(redis.keys.slots)).toEqual(all.counts);
    for (const name of names) expect(await countsOf(redis.keys.held(name))).toEqual(logs.get(name)?.counts);
    // Full, so that there was an edge to keep to: not merely kept for a replica that has waited longer.
    expect(refusedWhenFull).toBeGreaterThan(0);
    expect(highest).toBeLessThanOrEqual(5);
    // And the edge is at five still: each asks in turn until all are told that the pool is full.
    const slots = new RedisSlots(redis.scripts, redis.keys);
    for (let turn = 0; turn < 6; turn++) for (const name of names) note(name, await run(slots, name, [CLAIM]));
    expect(all.counts.get("p|chat")).toBe(5);
    expect(await countsOf(redis.keys.slots)).toEqual(all.counts);
  });
});

describe("a replica that dies while its claims are on their way", () => {
  it("C35 leaves no slot without an owner, whichever byte was the last", { timeout: 120_000 }, async () => {
    const slots = new RedisSlots(redis.scripts, redis.keys);
    await beat(slots, { instance: "survivor" });
    await run(slots, "survivor", [CLAIM, CLAIM]);
    const bytes = callBytes("victim-00", [CLAIM, CLAIM, RELEASE]);
    const cuts = [...Array.from({ length: 59 }, (_, i) => 1 + Math.floor((i * (bytes.length - 1)) / 59)), bytes.length];
    let booked = 0;
    for (const [i, cut] of cuts.entries()) {
      const name = `victim-${String(i).padStart(2, "0")}`;
      await beat(slots, { instance: name, ttlMs: 1000 });
      await sendAndDie(callBytes(name, [CLAIM, CLAIM, RELEASE]).subarray(0, cut), cut === bytes.length);
      booked += (await countsOf(redis.keys.held(name))).get("g") ?? 0;
    }
    expect(booked).toBe(1);
    const mine = await countsOf(redis.keys.held("survivor"));
    expect(mine.get("g")).toBe(2);
    const deadline = performance.now() + LONG_MS;
    while ((await beat(slots, { instance: "survivor", holdings: mine })).members.length > 1) {
      expect(performance.now()).toBeLessThan(deadline);
    }
    expect(await countsOf(redis.keys.slots)).toEqual(mine);
  });
});

/** One call as it stands on the wire. */
function callBytes(instance: string, operations: readonly SlotOperation[]): Buffer {
  let sent: Buffer = Buffer.alloc(0);
  const wire: ScriptRunner = {
    run: (name, keys, args) => {
      const sha = createHash("sha1").update(scriptText(name)).digest("hex");
      sent = Buffer.from(new Command("evalsha", [sha, keys.length, ...keys, ...args]).toWritable({}).toString());
      return new Promise(() => undefined);
    },
  };
  new RedisSlots(wire, redis.keys).run({ instance, epoch: 1, operations }, () => undefined);
  return sent;
}

/** Writes the bytes on a connection of its own, which is reset then; after the answer if there will be one. */
async function sendAndDie(bytes: Buffer, isWhole: boolean): Promise<void> {
  const { host = "127.0.0.1", port = 6379 } = redis.client.options;
  const socket: Socket = connect(port, host);
  await once(socket, "connect");
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
  if (isWhole) await once(socket, "data");
  socket.resetAndDestroy();
}
