import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { firstAnswers } from "./first-answers";

const NOTHING = { live: null, overview: null };
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

describe("what comes with a page", () => {
  it("is what the gateway answered, asked with the session's token", async () => {
    const asked: (string | undefined)[] = [];
    await managementApi((request, response) => {
      asked.push(request.url, request.headers.authorization);
      response.writeHead(200, { etag: '"7"', "content-encoding": "gzip", date: "Mon, 30 Nov 2026 03:00:00 GMT" });
      response.end(gzipSync(JSON.stringify({ ts_ms: 5, pools: [] })));
    });
    const { live, overview } = await firstAnswers("token", "/fairshare?pool=org%2Fm");
    expect(asked).toEqual(["/api/v1/fairshare/live?pool=org%2Fm", "Bearer token"]);
    expect(live).toEqual({
      pool: "org/m",
      state: { ts_ms: 5, pools: [] },
      etag: '"7"',
      dateMs: Date.UTC(2026, 10, 30, 3),
    });
    expect(overview).toBeNull();
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
