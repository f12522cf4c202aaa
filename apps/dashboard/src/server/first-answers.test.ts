import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { firstAnswers } from "./first-answers";

const NOTHING = { live: null, overview: null, history: null, changes: null, boosts: null };
const NOON_MS = Date.UTC(2026, 10, 30, 12);
const servers: http.Server[] = [];

afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A management API that answers so; the dashboard's server is pointed at it. */
async function managementApi(answer: http.RequestListener): Promise<void> {
  const server = http.createServer(answer).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  vi.stubEnv("OBLETH_MANAGEMENT_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv("OBLETH_SESSION_SECRET", "a-secret-of-tests-of-at-least-32-letters");
}

/** A gateway that answers these paths and knows no other, at noon. */
function answering(bodies: Readonly<Record<string, unknown>>): http.RequestListener {
  return ({ url = "" }, response) => {
    const body = bodies[url.replace(/^\/api\/v1|\?.*$/g, "")];
    response.writeHead(body === undefined ? 404 : 200, { date: new Date(NOON_MS).toUTCString() });
    response.end(JSON.stringify(body ?? {}));
  };
}

/** A sample every two seconds; half an hour ago 40 waited, a minute ago 8. */
function pastHour() {
  const points = Array.from({ length: 1800 }, (_, index) => {
    const ts_ms = NOON_MS - 3_600_000 + index * 2000;
    const queued = ts_ms === NOON_MS - 1_800_000 ? 40 : ts_ms === NOON_MS - 60_000 ? 8 : 0;
    return { ts_ms, in_flight: 3, queued, held: 0, cap: 8, groups: {} };
  });
  return { instance: "gw-1", started_ts_ms: 0, interval_ms: 2000, retention_ms: 3_600_000, oldest_ts_ms: null, points };
}

describe("what comes with a page", () => {
  it("is what the gateway answered, asked with the session's token", async () => {
    const asked: (string | undefined)[] = [];
    await managementApi((request, response) => {
      asked.push(request.url, request.headers.authorization);
      response.writeHead(200, { etag: '"7"', "content-encoding": "gzip", date: "Mon, 30 Nov 2026 03:00:00 GMT" });
      response.end(gzipSync(JSON.stringify({ ts_ms: 5, pools: [] })));
    });
    const { live, overview } = await firstAnswers("token", "/fairshare?pool=org%2Fm&range=custom");
    expect(asked).toEqual(["/api/v1/fairshare/live?pool=org%2Fm", "Bearer token"]);
    expect(live).toEqual({
      pool: "org/m",
      state: { ts_ms: 5, pools: [] },
      etag: '"7"',
      dateMs: Date.UTC(2026, 10, 30, 3),
    });
    expect(overview).toBeNull();
  });

  it("is a pool's history in a few numbers, of the range that the address names", async () => {
    await managementApi(answering({ "/fairshare/history": pastHour() }));
    const { history: short } = await firstAnswers("token", "/fairshare?pool=m");
    expect(short).toEqual({
      pool: "m",
      range: "15m",
      facts: { bucketMs: 6000, gaps: [], peak: { min: 3, max: 3, peak: 8, peakTsMs: NOON_MS - 60_000 } },
    });
    const { history: long } = await firstAnswers("token", "/fairshare?pool=m&range=1h");
    expect(long?.facts.peak).toEqual({ min: 3, max: 3, peak: 40, peakTsMs: NOON_MS - 1_800_000 });
  });

  it("is what the overview shows at once, without who signed in", async () => {
    const row = (id: number, type: string) => ({ id, object: { type, id: "x", name: "x" } });
    const items = [row(9, "session"), ...[8, 7, 6, 5, 4, 3].map((id) => row(id, "tenant"))];
    await managementApi(
      answering({
        "/overview": { items: [] },
        "/audit": { items, next_cursor: null },
        "/boosts": { items: [], next_cursor: null, total: 0 },
        "/fairshare/history": pastHour(),
      }),
    );
    const first = await firstAnswers("token", "/");
    expect(first.changes?.map(({ id }) => id)).toEqual([8, 7, 6, 5, 4]);
    expect(first.history?.facts.peak?.peak).toBe(40);
    expect([first.overview, first.boosts?.total, first.live]).toEqual([{ items: [] }, 0, null]);
  });

  it("is nothing when the gateway refuses", async () => {
    await managementApi((_request, response) => response.writeHead(401).end("{}"));
    expect(await firstAnswers("token", "/")).toEqual(NOTHING);
  });

  it("is nothing when the gateway stops in the middle of its answer", async () => {
    await managementApi((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.write(gzipSync(JSON.stringify({ ts_ms: 5, pools: [] })).subarray(0, 12));
    });
    expect(await firstAnswers("token", "/fairshare")).toEqual(NOTHING);
  });

  it("is nothing when no gateway is there", async () => {
    await managementApi(() => undefined);
    servers[0]?.close();
    servers[0]?.closeAllConnections();
    expect(await firstAnswers("token", "/fairshare")).toEqual(NOTHING);
  });
});
