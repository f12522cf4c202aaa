/**
 * A management API made of fixtures, for looking at pages without a gateway: sign in with any email and password.
 * Run with `tsx test/fixture-server.ts [pools] [tenants]` and point OBLETH_MANAGEMENT_URL at the printed address.
 */
import { createHash } from "node:crypto";
import http from "node:http";
import { gzipSync } from "node:zlib";
import { fixtureLive, summaryOf } from "./live-fixture";

const shape = { pools: Number(process.argv[2] ?? 7), tenants: Number(process.argv[3] ?? 24), seed: 3 };
const startedMs = Date.now();
const cache = new Map<string, { etag: string; body: Buffer }>();

const server = http.createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://fixture.invalid");
  const path = url.pathname.replace("/api/v1", "");
  if (path === "/fairshare/live") return sendLive(url, request, response);
  const body = answers(path);
  response.writeHead(body === null ? 404 : 200, { "content-type": "application/json" });
  response.end(JSON.stringify(body ?? { error: { message: "no fixture", code: "not_found" } }));
});

server.listen(Number(process.env.FIXTURE_PORT ?? 0), "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) console.log(`http://127.0.0.1:${address.port}`);
});

function sendLive(url: URL, request: http.IncomingMessage, response: http.ServerResponse): void {
  const step = Math.floor((Date.now() - startedMs) / 1000);
  const pool = url.searchParams.get("pool");
  const key = `${Math.floor(step / 3)} ${pool ?? url.searchParams.get("fields")}`;
  let entry = cache.get(key);
  if (entry === undefined) {
    const live = { ...fixtureLive(shape, step), ts_ms: Date.now() };
    const shown = pool === null ? summaryOf(live) : { ...live, pools: live.pools.filter((one) => one.model === pool) };
    const body = gzipSync(JSON.stringify(shown));
    entry = { etag: `"${createHash("sha1").update(key).digest("hex")}"`, body };
    cache.clear();
    cache.set(key, entry);
  }
  if (request.headers["if-none-match"] === entry.etag) {
    response.writeHead(304, { etag: entry.etag });
    response.end();
    return;
  }
  response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip", etag: entry.etag });
  response.end(entry.body);
}

function answers(path: string): unknown {
  const user = { email: "admin@example.com", role: "admin" };
  if (path === "/auth/state") return { first_run: false, environment_label: "production, eu-1", version: "0.1.0" };
  if (path === "/auth/login") return { token: "fixture", user };
  if (path === "/boosts") return { items: [], next_cursor: null, total: 0 };
  return null;
}
