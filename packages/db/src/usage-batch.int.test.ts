import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeDb } from "./client";
import { createTestDatabase, type TestDatabase } from "./testing";
import { dropUsageBefore, insertUsage, isBadValue, type UsageRow } from "./usage-batch";

const NOON = Date.UTC(2026, 10, 30, 12);
const DAY = 86_400_000;

const row = (change: Partial<UsageRow> = {}): UsageRow => ({
  requestId: "r1",
  tsMs: NOON,
  admission: "fast",
  outcome: "completed",
  estimatedTokens: 10,
  queueWaitMs: 0,
  totalMs: 5,
  statusCode: 200,
  sessionSource: "none",
  protocol: "openai",
  replica: "a",
  ...change,
});

describe("usage batches", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());

  it("put each day into its own partition", async () => {
    expect(await insertUsage(test.db, [row(), row({ requestId: "r2", tsMs: NOON - DAY })])).toBe(2);
    const tables = await test.sql`select tableoid::regclass::text as name from usage order by ts_ms`;
    expect(tables.map((table) => table.name)).toEqual(["usage_20261129", "usage_20261130"]);
  });

  it("count a replayed record once", async () => {
    expect(await insertUsage(test.db, [row(), row({ requestId: "r3" })])).toBe(1);
  });

  it("keep token counts of 2^53 - 1 exactly", async () => {
    await insertUsage(test.db, [row({ requestId: "big", estimatedTokens: Number.MAX_SAFE_INTEGER })]);
    const [found] = await test.sql`select estimated_tokens::text as n from usage where request_id = 'big'`;
    expect(found?.n).toBe("9007199254740991");
  });

  it("take more rows than one statement may carry", async () => {
    const rows = Array.from({ length: 2_500 }, (_, index) => row({ requestId: `many-${index}` }));
    expect(await insertUsage(test.db, rows)).toBe(2_500);
  });

  it("that no table can take are told from a database that is away", async () => {
    const tooMuch = await insertUsage(test.db, [row({ inputTokens: 1e20 })]).catch((error: unknown) => error);
    expect(isBadValue(tooMuch)).toBe(true);
    const away = makeDb("postgres://nobody@127.0.0.1:1/nothing");
    expect(isBadValue(await insertUsage(away.db, [row()]).catch((error: unknown) => error))).toBe(false);
    await away.close();
  });

  it("keep a record whose session id has a NUL or half a character", async () => {
    await insertUsage(test.db, [row({ requestId: "odd", sessionId: "a\u0000b\ud800" })]);
    const [found] = await test.sql`select session_id from usage where request_id = 'odd'`;
    expect(found?.session_id).toBe("a\ufffdb\ufffd");
  });

  it("remember the newest use of a key and never move it back", async () => {
    const [group] = await test.sql`select id from groups`;
    const [tenant] = await test.sql`insert into tenants (name, group_id) values ('t', ${group?.id}) returning id`;
    const [key] = await test.sql`insert into keys (tenant_id, name, prefix, secret_hash, created_by)
      values (${tenant?.id}, 'k', 'sk_', 'h', 'token') returning id`;
    const keyId = key?.id as string;
    await insertUsage(test.db, [row({ requestId: "k1", keyId, tsMs: NOON + 1 }), row({ requestId: "k2", keyId })]);
    await insertUsage(test.db, [row({ requestId: "k3", keyId, tsMs: NOON - 5 })]);
    const [after] = await test.sql`select extract(epoch from last_used_at) * 1000 as ms from keys`;
    expect(Number(after?.ms)).toBe(NOON + 1);
  });

  it("drop whole days once they are past the retention", async () => {
    const dropped = await dropUsageBefore(test.db, Date.UTC(2026, 10, 30));
    expect(dropped).toEqual(["usage_20261129"]);
    const [left] = await test.sql`select min(ts_ms)::text as ts from usage`;
    expect(Number(left?.ts)).toBeGreaterThanOrEqual(Date.UTC(2026, 10, 30));
  });

  it("write from two replicas at once on the first request of a day", async () => {
    const tsMs = NOON + 5 * DAY;
    const both = Array.from({ length: 6 }, (_, n) => insertUsage(test.db, [row({ requestId: `x${n}`, tsMs })]));
    expect(await Promise.all(both)).toEqual([1, 1, 1, 1, 1, 1]);
  });
});
