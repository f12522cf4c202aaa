import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exampleHistories, type SlotCommand, SOME_OWNER, slotHistories } from "../../test/slot-commands";
import { openRedis, type RedisFixture } from "../../test/support/redis-fixture";
import { RedisSlots } from "./redis-slots";
import { Holdings, limitFields } from "./slot-fields";
import { type BatchAnswer, CLAIM_ANSWERS, type Done, type HeartbeatAnswer, type SlotBatch } from "./slot-store";
import { SlotTable } from "./slot-table";

const TTL_MS = 10_000;
const START_MS = 1_790_000_000_000;

const answered = <Answer>(call: (done: Done<Answer>) => void): Promise<Answer> =>
  new Promise((resolve, reject) => call((result) => (result.ok ? resolve(result.answer) : reject(result.error))));

/** Redis and the table side by side on one clock; every answer and the whole of the books must agree after each step. */
class Pair {
  readonly #redis: RedisFixture;
  readonly #seen: Set<string>;
  readonly #slots: RedisSlots;
  readonly #releasedInTable: (string | null)[] = [];
  readonly table = new SlotTable({
    onReleased: (pool) => this.#releasedInTable.push(pool),
    onMembership: () => undefined,
  });
  readonly #holdings = new Map<string, Holdings>();
  readonly #epochs = new Map<string, number>();
  #nowMs = START_MS;

  /** `seen` gathers every answer that came up. */
  constructor(redis: RedisFixture, seen: Set<string>) {
    this.#redis = redis;
    this.#seen = seen;
    this.#slots = new RedisSlots(redis.timedScripts, redis.keys);
  }

  async do(command: SlotCommand): Promise<void> {
    switch (command.kind) {
      case "run":
        await this.#run({
          instance: command.instance,
          epoch: (this.#epochs.get(command.instance) ?? 0) - (command.isStale ? 1 : 0),
          operations: command.operations,
        });
        break;
      case "heartbeat":
        await this.#heartbeat(command.instance, command.lost);
        break;
      case "leave":
        expect(await answered<number>((done) => this.#slots.leave(command.instance, done))).toBe(
          this.table.leave(command.instance),
        );
        this.#holdings.delete(command.instance);
        break;
      case "pass":
        this.#nowMs += command.ms;
        break;
      case "corrupt":
        this.table.corrupt("g", command.slots);
        this.table.corrupt("p|chat", command.slots);
        await this.#setTotals();
        break;
      case "flush":
        this.table.flush();
        await this.#redis.clear();
        break;
    }
    await this.#compare();
  }

  async #run(batch: SlotBatch): Promise<void> {
    await this.#redis.setTime(this.#nowMs);
    const fromRedis = await answered<BatchAnswer>((done) => this.#slots.run(batch, done));
    expect(fromRedis).toEqual(this.table.run(batch, this.#nowMs));
    const holdings = this.#holdings.get(batch.instance);
    if (fromRedis.kind !== "done" || holdings === undefined) return;
    fromRedis.answers.forEach((answer, i) => {
      if (answer.kind !== "drop-holds") this.#seen.add(`${answer.kind} ${answer.answer}`);
      const operation = batch.operations[i];
      if (operation === undefined || operation.kind === "drop-holds") return;
      if (answer.kind === "claim" && (answer.answer === "granted" || answer.answer === "redeemed")) {
        holdings.add(operation, 1);
      } else if ((answer.kind === "release" || answer.kind === "hold") && answer.answer !== "not-held") {
        holdings.add(operation, -1);
      }
    });
  }

  async #heartbeat(instance: string, lost: number): Promise<void> {
    await this.#redis.setTime(this.#nowMs);
    const epoch = (this.#epochs.get(instance) ?? 0) + 1;
    this.#epochs.set(instance, epoch);
    const holdings = this.#holdings.get(instance) ?? new Holdings();
    this.#holdings.set(instance, holdings);
    if (lost > 0 && (holdings.counts.get(limitFields(SOME_OWNER)[3]) ?? 0) > 0) holdings.add(SOME_OWNER, -lost);
    const beat = { instance, ttlMs: TTL_MS, epoch, holdings: new Map(holdings.counts), asksOthers: false };
    const fromRedis = await answered<HeartbeatAnswer>((done) => this.#slots.heartbeat(beat, done));
    const fromTable = this.table.heartbeat(beat, this.#nowMs);
    const byName = (answer: HeartbeatAnswer) => ({
      ...answer,
      members: [...answer.members].sort((x, y) => (x.instance < y.instance ? -1 : 1)),
    });
    expect(byName(fromRedis)).toEqual(byName(fromTable));
  }

  async #setTotals(): Promise<void> {
    for (const field of ["g", "p|chat"]) {
      const count = this.table.totals.get(field);
      if (count === undefined) await this.#redis.client.hdel(this.#redis.keys.slots, field);
      else await this.#redis.client.hset(this.#redis.keys.slots, field, count);
    }
  }

  async #compare(): Promise<void> {
    const { client, keys } = this.#redis;
    const slots = Object.entries(await client.hgetall(keys.slots));
    const totals = slots.filter(([field]) => !/^(w$|w\||s\||W$)/.test(field)).map(([field, n]) => [field, Number(n)]);
    expect(new Map(totals as [string, number][])).toEqual(new Map(this.table.totals));
    for (const instance of ["a", "b", "c"]) {
      const fields = Object.entries(await client.hgetall(keys.held(instance)));
      const counts = fields.filter(([field]) => field !== "e").map(([field, n]) => [field, Number(n)]);
      expect(new Map(counts as [string, number][])).toEqual(new Map(this.table.heldBy(instance) ?? []));
    }
    const holds = await client.zrange(keys.holds, 0, -1, "WITHSCORES");
    const inRedis = holds.filter((_, i) => i % 2 === 0).map((id, i) => [id, Number(holds[2 * i + 1])]);
    const inTable = [...this.table.holds].map(([id, hold]) => [id, hold.expiresAtMs]);
    expect(new Map(inRedis as [string, number][])).toEqual(new Map(inTable as [string, number][]));
  }
}

describe("the books in Redis and in memory", () => {
  let redis: RedisFixture;
  beforeAll(async () => {
    redis = await openRedis();
  });
  afterAll(() => redis.close());

  it("agree on every answer and every count over random histories", { timeout: 120_000 }, async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(slotHistories(60), async (commands) => {
        await redis.clear();
        const pair = new Pair(redis, seen);
        for (const command of commands) await pair.do(command);
      }),
      { numRuns: Number(process.env.OBLETH_TEST_RUNS ?? 250), examples: exampleHistories() },
    );
    // The histories are only worth something when they reach every answer there is.
    const claims = CLAIM_ANSWERS.map((answer) => `claim ${answer}`);
    const others = ["release freed", "release not-held", "hold held", "hold renewed", "hold freed", "hold not-held"];
    expect([...seen].sort()).toEqual([...claims, ...others].sort());
  });
});
