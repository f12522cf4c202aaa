import { insertUsage, type UsageRow } from "@obleth/db";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../testing/test-gateway";

let gateway: TestGateway;
let tenant: { id: string };
let key: { id: string };
const rows: UsageRow[] = [];
const from = "2026-11-30T08:00:00Z";
const to = "2026-11-30T09:00:00Z";

/** Three requests a minute over the hour before nine, of every kind, by arithmetic rather than by chance. */
function record(n: number): UsageRow {
  const admission = (["fast", "queued", "queued", "rejected"] as const)[n % 4] ?? "fast";
  const timedOut = n % 8 === 2;
  return {
    requestId: `r${String(n).padStart(4, "0")}`,
    tsMs: Date.UTC(2026, 10, 30, 8) + n * 20_000,
    tenantId: n % 3 === 0 ? null : tenant.id,
    keyId: n % 3 === 0 ? null : key.id,
    model: n % 2 === 0 ? "llama" : "=qwen",
    admission,
    outcome: timedOut ? "timed_out" : admission === "rejected" ? "refused" : "completed",
    weight: 100,
    estimatedTokens: 100 + n,
    inputTokens: n,
    outputTokens: 2 * n,
    queueWaitMs: admission === "queued" ? n * 10 : 0,
    totalMs: 5,
    statusCode: timedOut ? 503 : 200,
    costUsd: 0.001,
    sessionSource: "none",
    protocol: "openai",
    replica: "a",
  };
}

beforeAll(async () => {
  gateway = await startTestGateway();
  tenant = (await gateway.api.call("createTenant", { body: { name: "chatbot" } })).data;
  key = (await gateway.api.call("createKey", { params: { id: tenant.id }, body: { name: "mobile" } })).data.key;
  rows.push(...Array.from({ length: 180 }, (_, n) => record(n)));
  await insertUsage(gateway.database.db, rows);
});
afterAll(() => gateway.close());

describe("the summary", () => {
  it("answers requests and average wait per tenant and admission as plain SQL does", async () => {
    const { data } = await gateway.api.call("getUsageSummary", { query: { from, to } });
    const direct = await gateway.database.sql.unsafe(data.sql);
    const plain = new Map(direct.map((row) => [`${row.tenant_id} ${row.admission}`, row]));
    expect(data.rows).toHaveLength(plain.size);
    for (const row of data.rows) {
      const same = plain.get(`${row.tenant_id} ${row.admission}`);
      expect(row.requests).toBe(Number(same?.requests));
      expect(row.avg_wait_ms).toBeCloseTo(Number(same?.avg_wait_ms));
    }
    expect(data.rows.find((row) => row.tenant_id === tenant.id)?.tenant_name).toBe("chatbot");
  });

  it("adds up: rows to the total, and each total to what was written", async () => {
    for (const by of ["tenant", "key", "model", "group", "admission", "outcome", "tenant,model,outcome"]) {
      const { data } = await gateway.api.call("getUsageSummary", { query: { from, to, by } });
      expect(
        data.rows.reduce((sum, row) => sum + row.requests, 0),
        by,
      ).toBe(180);
      expect(data.total.requests).toBe(180);
      expect(data.total.output_tokens).toBe(rows.reduce((sum, row) => sum + (row.outputTokens ?? 0), 0));
      expect(data.total.max_wait_ms).toBe(Math.max(...rows.map((row) => row.queueWaitMs)));
      expect(Object.values(data.total.outcomes).reduce((sum, count) => sum + count, 0)).toBe(180);
    }
  });

  it("counts a wait that ran out as timed out, never as queued or refused", async () => {
    const { data } = await gateway.api.call("getUsageSummary", { query: { from, to } });
    const timedOut = rows.filter((row) => row.outcome === "timed_out").length;
    const queued = rows.filter((row) => row.admission === "queued").length;
    expect([data.total.timed_out, data.total.queued]).toEqual([timedOut, queued - timedOut]);
    expect(data.total.fast + data.total.queued + data.total.rejected + data.total.timed_out).toBe(180);
  });

  it("takes every filter", async () => {
    const count = async (query: object) =>
      (await gateway.api.call("getUsageSummary", { query: { from, to, ...query } })).data.total.requests;
    expect(await count({ tenant_id: tenant.id })).toBe(rows.filter((row) => row.tenantId !== null).length);
    expect(await count({ key_id: key.id })).toBe(120);
    expect(await count({ model: "llama", admission: "queued" })).toBe(45);
    expect(await count({ group: "default" })).toBe(120);
    expect(await count({ outcome: "timed_out" })).toBe(rows.filter((row) => row.outcome === "timed_out").length);
    expect(await count({ model: "'; drop table usage; --" })).toBe(0);
    expect(await count({ from: to, to: "2026-11-30T10:00:00Z" })).toBe(0);
  });

  it("adds up while records keep coming in", async () => {
    const busy = { from: "2026-11-20T00:00:00Z", to: "2026-11-20T01:00:00Z" };
    let written = 0;
    let isOver = false;
    const writing = (async () => {
      while (!isOver) {
        const more = Array.from({ length: 20 }, () => ({
          ...record(written),
          requestId: `w${written}`,
          tsMs: Date.parse(busy.from) + written++,
        }));
        await insertUsage(gateway.database.db, more);
      }
    })();
    for (let i = 0; i < 40; i++) {
      const { data } = await gateway.api.call("getUsageSummary", { query: { ...busy, by: "model,admission" } });
      expect(data.rows.reduce((sum, row) => sum + row.requests, 0)).toBe(data.total.requests);
    }
    isOver = true;
    await writing;
    expect(written).toBeGreaterThan(100);
  });

  it("sums tokens past 2^53 to the nearest number, in every list alike", async () => {
    const span = { from: "2026-11-21T00:00:00Z", to: "2026-11-21T01:00:00Z" };
    const most = Number.MAX_SAFE_INTEGER;
    const big = Array.from({ length: 3 }, (_, n) => ({
      ...record(1),
      requestId: `big${n}`,
      tsMs: Date.parse(span.from) + n,
      inputTokens: most,
      outputTokens: most,
    }));
    await insertUsage(gateway.database.db, big);
    const sum = Number(3n * BigInt(most));
    const { data } = await gateway.api.call("getUsageSummary", { query: { ...span, by: "model", sort: "tokens" } });
    const series = await gateway.api.call("getUsageSeries", { query: span });
    const single = await gateway.api.call("listUsageRequests", { query: span });
    expect([data.total.input_tokens, data.rows[0]?.output_tokens]).toEqual([sum, sum]);
    expect(series.data.points.map((point) => point.input_tokens)).toEqual([sum]);
    expect(single.data.items.map((item) => item.input_tokens)).toEqual([most, most, most]);
  });

  it("says when the list is cut, with the total still whole", async () => {
    const { data } = await gateway.api.call("getUsageSummary", { query: { from, to, by: "outcome", limit: 1 } });
    expect([data.rows.length, data.truncated, data.total.requests]).toEqual([1, true, 180]);
  });
});

describe("the series", () => {
  it("has one point per bucket with records, and no bucket counted twice", async () => {
    const { data } = await gateway.api.call("getUsageSeries", { query: { from, to, buckets: 12 } });
    expect(data.bucket_ms).toBe(300_000);
    expect(data.points.map((point) => point.requests)).toEqual(Array.from({ length: 12 }, () => 15));
    expect(data.points[0]?.ts_ms).toBe(Date.parse(from));
  });
});

describe("single requests", () => {
  it("come newest first, page after page, none twice", async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { from, to, limit: 50, ...(cursor === undefined ? {} : { cursor }) };
      const { data } = await gateway.api.call("listUsageRequests", { query });
      seen.push(...data.items.map((item) => item.request_id));
      cursor = data.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(rows.map((row) => row.requestId).reverse());
  });

  it("export as CSV whose cells no spreadsheet runs", async () => {
    const response = await gateway.request(`/api/v1/usage/export.csv?from=${from}&to=${to}`);
    expect(response.headers.get("content-type")).toContain("text/csv");
    const lines = (await response.text()).trimEnd().split("\r\n");
    expect(lines).toHaveLength(181);
    expect(lines[0]).toContain('"request_id"');
    expect(lines.filter((line) => line.includes(`"'=qwen"`))).toHaveLength(90);
    expect(lines.join()).not.toContain('"=qwen"');
  });

  it("export no more than asked for, over several pages as over one", async () => {
    const many = Array.from({ length: 2300 }, (_, n) => ({
      ...record(0),
      requestId: `x${n}`,
      tsMs: Date.UTC(2026, 10, 29) + n,
    }));
    await insertUsage(gateway.database.db, many);
    const day = "from=2026-11-29T00:00:00Z&to=2026-11-29T01:00:00Z";
    const linesOf = async (more: string) =>
      (await (await gateway.request(`/api/v1/usage/export.csv?${day}${more}`)).text()).trimEnd().split("\r\n").length -
      1;
    expect(await linesOf("")).toBe(2300);
    expect(await linesOf("&max_rows=1500")).toBe(1500);
    expect(await linesOf("&max_rows=1000")).toBe(1000);
  });
});
