import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exampleHistories, type SlotCommand, SOME_OWNER, slotHistories } from "../../test/slot-commands";
import { openRedis, type RedisFixture } from "../../test/support/redis-fixture";
import { unescapePart } from "../redis/keys";
import { RedisSlots } from "./redis-slots";
import { Holdings, limitFields } from "./slot-fields";
import { type BatchAnswer, CLAIM_ANSWERS, type Done, type HeartbeatAnswer, type SlotBatch } from "./slot-store";
import { SlotTable } from "./slot-table";
import type { MarkPicture } from "./table-picture";

const TTL_MS = 10_000;
const START_MS = 1_790_000_000_000;

const answered = <Answer>(call: (done: Done<Answer>) => void): Promise<Answer> =>
  new Promise((resolve, reject) => call((result) => (result.ok ? resolve(result.answer) : reject(result.error))));

/** Redis and the table side by side on one clock; every answer and the whole of the books must agree after each step. */
class Pair {
  readonly #redis: RedisFixture;
  readonly #seen: Set<string>;
  readonly #slots: RedisSlots;
  readonly #announcements: Announcements;
  readonly #inTable: (string | null)[] = [];
  readonly table = new SlotTable({
    onReleased: (pool) => this.#inTable.push(pool),
    onMembership: () => undefined,
  });
  readonly #holdings = new Map<string, Holdings>();
  readonly #epochs = new Map<string, number>();
  #nowMs = START_MS;

  /** `seen` gathers every answer that came up. */
  constructor(redis: RedisFixture, announcements: Announcements, seen: Set<string>) {
    this.#redis = redis;
    this.#announcements = announcements;
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
    expect(await this.#announcements.take()).toEqual(
      this.#inTable
        .splice(0)
        .map((pool) => pool ?? "")
        .sort(),
    );
  }

  async #run(batch: SlotBatch): Promise<void> {
    await this.#redis.setTime(this.#nowMs);
    const fromRedis = await answered<BatchAnswer>((done) => this.#slots.run(batch, done));
    expect(fromRedis).toEqual(this.table.run(batch, this.#nowMs));
    const holdings = this.#holdings.get(batch.instance);
    if (fromRedis.kind !== "done" || holdings === undefined) return;
    fromRedis.answers.forEach((answer, i) => {
      if ("answer" in answer) this.#seen.add(`${answer.kind} ${answer.answer}`);
      const operation = batch.operations[i];
      if (operation === undefined || operation.kind === "drop-holds" || operation.kind === "withdraw") return;
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

  /** A mark as it stands in Redis, without what has run out; nothing when the field is none, or all of it has. */
  #markOf(field: string, text: string): MarkPicture[] {
    if (!/^w(\||$)/.test(field)) return [];
    const limit = field === "w" ? "g" : field.replace(/^w\|(?=[^|]*$)/, "p|").replace(/^w\|(?=[tk]\|)/, "");
    const parts = text.split("|");
    const entries = Array.from({ length: parts.length / 3 }, (_, i) => {
      const [name = "", till, slots] = parts.slice(3 * i, 3 * i + 3);
      return { name, leftMs: Number(till) - this.#nowMs, slots: Number(slots) };
    });
    const late = entries.filter(({ leftMs, slots }) => slots === 0 && leftMs <= 0).map(({ name }) => name);
    const turns = entries.filter(({ leftMs, slots }) => slots === 0 && leftMs > 0);
    const waits = entries.filter(({ name, leftMs, slots }) => slots > 0 && leftMs > 0 && !late.includes(name));
    const isCurrent = turns.length + waits.length > 0;
    return isCurrent ? [{ limit, turns: turns.map(({ name, leftMs }) => ({ name, leftMs })), waits }] : [];
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
    expect(slots.flatMap(([field, text]) => this.#markOf(field, text)).sort(byLimit)).toEqual(
      this.table.picture(this.#nowMs).marks,
    );
    const holds = await client.zrange(keys.holds, 0, -1, "WITHSCORES");
    const inRedis = holds.filter((_, i) => i % 2 === 0).map((id, i) => [id, Number(holds[2 * i + 1])]);
    const inTable = [...this.table.holds].map(([id, hold]) => [id, hold.expiresAtMs]);
    expect(new Map(inRedis as [string, number][])).toEqual(new Map(inTable as [string, number][]));
  }
}

const byLimit = (one: MarkPicture, other: MarkPicture) => (one.limit < other.limit ? -1 : 1);

/** What the scripts publish about freed slots. */
class Announcements {
  readonly #redis: RedisFixture;
  readonly #subscriber: RedisFixture["client"];
  #heard: string[] = [];
  #whenMarked: () => void = () => undefined;

  constructor(redis: RedisFixture) {
    this.#redis = redis;
    this.#subscriber = redis.client.duplicate();
    this.#subscriber.on("message", (_channel, message: string) => {
      if (message === MARK) this.#whenMarked();
      else this.#heard.push(message === "" ? "" : unescapePart(message));
    });
  }

  async open(): Promise<void> {
    await this.#subscriber.connect();
    await this.#subscriber.subscribe(this.#redis.keys.released);
  }

  /** All since the last time, sorted: a message of our own comes behind the last of them. */
  async take(): Promise<string[]> {
    const isMarked = new Promise<void>((resolve) => {
      this.#whenMarked = resolve;
    });
    await this.#redis.client.publish(this.#redis.keys.released, MARK);
    await isMarked;
    const heard = this.#heard.sort();
    this.#heard = [];
    return heard;
  }

  close(): void {
    this.#subscriber.disconnect();
  }
}

/** No pool is called this. */
const MARK = "mark|";

describe("the books in Redis and in memory", () => {
  let redis: RedisFixture;
  let announcements: Announcements;
  beforeAll(async () => {
    redis = await openRedis();
    announcements = new Announcements(redis);
    await announcements.open();
  });
  afterAll(async () => {
    announcements.close();
    await redis.close();
  });

  it("agree on every answer, count, mark and announcement over random histories", { timeout: 120_000 }, async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(slotHistories(60), async (commands) => {
        await redis.clear();
        const pair = new Pair(redis, announcements, seen);
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
