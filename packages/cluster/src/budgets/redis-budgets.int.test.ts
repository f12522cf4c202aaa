import { SystemClock, VirtualClock } from "@obleth/clock";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openRedis, type RedisFixture } from "../../test/support/redis-fixture";
import { describeTokenBudgets } from "../../test/token-budgets.contract";
import type { ScriptName } from "../redis/scripts";
import { RedisBudgets } from "./redis-budgets";
import type { Spend } from "./token-budget";

describeTokenBudgets("Redis", async () => {
  const redis = await openRedis();
  // Redis expires keys by its own clock, so the test's clock starts there.
  const clock = new VirtualClock({ epochMs: Date.now() });
  await redis.setTime(clock.wallMs());
  return {
    budgets: new RedisBudgets({
      scripts: redis.timedScripts,
      keys: redis.keys,
      clock: new SystemClock(),
      timeoutMs: 5000,
      ping: () => redis.client.ping(),
      books: redis.client,
    }),
    async advance(ms) {
      clock.advance(ms);
      await redis.setTime(clock.wallMs());
    },
    wallMs: () => clock.wallMs(),
    close: () => redis.close(),
  };
});

describe("budgets in Redis", () => {
  let redis: RedisFixture;
  let clock: VirtualClock;
  let link: FlakyLink;
  let budgets: RedisBudgets;
  const unreadable: string[] = [];
  const limit = { subject: "tenant:acme", term: "t", endsAtMs: null, tokens: 100, costUsd: null };
  const spend = (requestId: string, estimatedTokens = 10): Spend => ({
    requestId,
    minute: { subject: "acme", tokensPerMinute: 1000 },
    terms: [limit],
    estimatedTokens,
    estimatedCostUsd: 0,
  });

  beforeEach(async () => {
    redis = await openRedis();
    clock = new VirtualClock();
    link = new FlakyLink(redis);
    unreadable.length = 0;
    budgets = new RedisBudgets({
      scripts: link,
      keys: redis.keys,
      clock,
      timeoutMs: 250,
      ping: () => link.ping(),
      books: redis.client,
      onUnreadable: (message) => unreadable.push(message),
    });
  });
  afterEach(() => redis.close());

  const committed = async () => Number(await redis.client.hget(redis.keys.termBudget("tenant:acme", "t")[0], "tokens"));
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it("answers unavailable while Redis is away, without a call for each question", async () => {
    link.isDown = true;
    for (let i = 0; i < 50; i++) expect(await budgets.reserve(spend(`r${i}`))).toEqual({ kind: "unavailable" });
    expect(link.calls).toBe(1);
    expect(budgets.isAvailable).toBe(false);
  });

  it("books what was used while Redis was away, once it is back", async () => {
    link.isDown = true;
    const request = spend("outage");
    await budgets.reserve(request);
    await budgets.settle(request, { tokens: 70, costUsd: 0 });
    expect(budgets.unsentCount).toBe(1);
    link.isDown = false;
    clock.advance(1000);
    while (budgets.unsentCount > 0 || !budgets.isAvailable) await settled();
    await budgets.close();
    expect(await committed()).toBe(70);
  });

  it("books once when a settlement's answer was lost and it is sent again", async () => {
    const request = spend("lost-answer");
    await budgets.reserve(request);
    link.losesAnswers = true;
    await budgets.settle(request, { tokens: 30, costUsd: 0 });
    link.losesAnswers = false;
    clock.advance(1000);
    while (budgets.unsentCount > 0 || !budgets.isAvailable) await settled();
    await budgets.close();
    expect(await committed()).toBe(30);
  });

  it("books once when the reservation's answer was lost and so was the settlement's", async () => {
    link.losesAnswers = true;
    const request = spend("both-lost");
    expect(await budgets.reserve(request)).toEqual({ kind: "unavailable" });
    link.losesAnswers = false;
    clock.advance(1000);
    while (!budgets.isAvailable) await settled();
    link.losesAnswers = true;
    await budgets.settle(request, { tokens: 30, costUsd: 0 });
    link.losesAnswers = false;
    clock.advance(1000);
    while (budgets.unsentCount > 0 || !budgets.isAvailable) await settled();
    await budgets.close();
    expect(await committed()).toBe(30);
    expect(await budgets.check(spend("after", 1))).toEqual({ kind: "ok" });
  });

  it("says so when a stored value cannot be read, changes nothing, and goes on for everyone else", async () => {
    await redis.client.hset(redis.keys.termBudget("tenant:acme", "t")[0], "tokens", "12 apples");
    expect(await budgets.reserve(spend("r"))).toEqual({ kind: "unavailable" });
    expect(unreadable).toHaveLength(1);
    expect(unreadable[0]).toContain("tenant:acme");
    expect(await redis.client.exists(redis.keys.minuteBudget("acme")[0])).toBe(0);
    expect(await budgets.reserve({ ...spend("other"), terms: [] })).toEqual({ kind: "ok" });
    expect(await redis.client.hget(redis.keys.termBudget("tenant:acme", "t")[0], "tokens")).toBe("12 apples");
  });

  it.each(["nan", "inf", "0x10", "1e3", "99999999999999999999", ""])("takes %j for unreadable", async (value) => {
    await redis.client.hset(redis.keys.minuteBudget("acme")[0], "used", value);
    expect(await budgets.check(spend("r"))).toEqual({ kind: "unavailable" });
  });

  it("survives a key of the wrong type", async () => {
    await redis.client.set(redis.keys.minuteBudget("acme")[0], "text");
    expect(await budgets.reserve(spend("r"))).toEqual({ kind: "unavailable" });
    expect(budgets.isAvailable).toBe(true);
  });

  it("counts by the Redis clock, so replicas whose clocks are an hour apart share one bucket", async () => {
    const skewed = new RedisBudgets({
      scripts: redis.scripts,
      keys: redis.keys,
      clock: new VirtualClock({ startMs: 3_600_000, epochMs: 0 }),
      timeoutMs: 250,
      ping: () => redis.client.ping(),
      books: redis.client,
    });
    expect(await budgets.reserve(spend("a", 990))).toEqual({ kind: "ok" });
    expect((await skewed.reserve(spend("b", 500))).kind).not.toBe("ok");
  });

  it("gives every key a lifetime, except a term without an end", async () => {
    await budgets.reserve({ ...spend("r"), terms: [{ ...limit, endsAtMs: Date.now() + 60_000 }] });
    for (const key of [...redis.keys.minuteBudget("acme"), ...redis.keys.termBudget("tenant:acme", "t")]) {
      expect(await redis.client.pttl(key)).toBeGreaterThan(0);
    }
  });

  it("does not lose a term's books when its end lies in the past of the Redis clock", async () => {
    await budgets.reserve({ ...spend("r"), terms: [{ ...limit, endsAtMs: 1000 }] });
    expect(await redis.client.hget(redis.keys.termBudget("tenant:acme", "t")[0], "rtokens")).toBe("10");
  });
});

/** A connection that can be down, or run a call and lose its answer. */
class FlakyLink {
  isDown = false;
  losesAnswers = false;
  calls = 0;
  /** Calls under way. */
  outstanding = 0;
  readonly #redis: RedisFixture;

  constructor(redis: RedisFixture) {
    this.#redis = redis;
  }

  async run(name: ScriptName, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    this.calls++;
    if (this.isDown) throw new Error("connection refused");
    this.outstanding++;
    const answer = await this.#redis.scripts.run(name, keys, args).finally(() => this.outstanding--);
    if (this.losesAnswers) throw new Error("connection reset");
    return answer;
  }

  async ping(): Promise<unknown> {
    if (this.isDown) throw new Error("connection refused");
    return this.#redis.client.ping();
  }
}

describe("budgets through a long outage", () => {
  it("keep a bounded number of settlements in memory, count the rest, and send no burst of stale calls", async () => {
    const redis = await openRedis();
    const clock = new VirtualClock();
    const link = new FlakyLink(redis);
    const budgets = new RedisBudgets({
      scripts: link,
      keys: redis.keys,
      clock,
      timeoutMs: 250,
      ping: () => link.ping(),
      books: redis.client,
    });
    link.isDown = true;
    const limits = { minute: null, terms: [{ subject: "t", term: "t", endsAtMs: null, tokens: 1e9, costUsd: null }] };
    for (let i = 0; i < 51_000; i++) {
      const spend = { requestId: `r${i}`, ...limits, estimatedTokens: 1, estimatedCostUsd: 0 };
      await budgets.reserve(spend);
      await budgets.settle(spend, { tokens: 1, costUsd: 0 });
    }
    expect(link.calls).toBe(1);
    expect(budgets.unsentCount).toBe(50_000);
    expect(budgets.droppedSettlements).toBe(1000);
    link.isDown = false;
    clock.advance(1000);
    let most = 0;
    while (budgets.unsentCount > 0 || !budgets.isAvailable) {
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, link.outstanding);
    }
    await budgets.close();
    expect(most).toBeLessThanOrEqual(100);
    expect(await budgets.usage({ subject: "t", term: "t" })).toMatchObject({ usedTokens: 50_000, reservedTokens: 0 });
    await redis.close();
  });
});
