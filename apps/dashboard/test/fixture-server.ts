/**
 * A management API made of fixtures, for looking at pages without a gateway: sign in with any email and password.
 * Run with `tsx test/fixture-server.ts [pools] [tenants]` and point OBLETH_MANAGEMENT_URL at the printed address.
 */
import { createHash } from "node:crypto";
import http from "node:http";
import { gzipSync } from "node:zlib";
import type { Live } from "../src/queries/wire";
import { fixtureGroups, fixtureLive, fixtureTenant, summaryOf } from "./live-fixture";

const shape = { pools: Number(process.argv[2] ?? 7), tenants: Number(process.argv[3] ?? 24), seed: 3 };
/** How often the live state changes: a third of the pools each second, or all of them every three. */
const everySecs = Number(process.env.FIXTURE_EVERY_SECS ?? 3);
const startedMs = Date.now();
const EMPTY_PAGE = { items: [], next_cursor: null, total: 0 };
const cache = new Map<string, { etag: string; body: Buffer }>();

const server = http.createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://fixture.invalid");
  const path = url.pathname.replace("/api/v1", "");
  if (path === "/fairshare/live") return sendLive(url, request, response);
  const body = answers(path);
  if (path.startsWith("/tenants/")) response.setHeader("etag", '"1"');
  response.writeHead(body === null ? 404 : 200, { "content-type": "application/json" });
  response.end(JSON.stringify(body ?? { error: { message: "no fixture", code: "not_found" } }));
});

server.listen(Number(process.env.FIXTURE_PORT ?? 0), "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) console.log(`http://127.0.0.1:${address.port}`);
});

function sendLive(url: URL, request: http.IncomingMessage, response: http.ServerResponse): void {
  const step = Math.floor((Date.now() - startedMs) / 1000 / everySecs) * everySecs;
  const pool = url.searchParams.get("pool");
  const key = `${step} ${pool ?? url.searchParams.get("fields")}`;
  let entry = cache.get(key);
  if (entry === undefined) {
    const live = { ...fixtureLive(shape, step), ...modeAt(step), ts_ms: Date.now() };
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

/** Every ten seconds the shared slots are lost, or come back. */
function modeAt(step: number): Pick<Live, "mode" | "mode_since_ts_ms"> {
  const period = Math.floor(step / 10);
  return { mode: period % 2 === 1 ? "fallback" : "shared", mode_since_ts_ms: startedMs + period * 10_000 };
}

function answers(path: string): unknown {
  const user = { email: "admin@example.com", role: "admin" };
  if (path === "/auth/state") return { first_run: false, environment_label: "production, eu-1", version: "0.1.0" };
  if (path === "/auth/login") return { token: "fixture", user };
  if (path === "/boosts" || path === "/audit") return EMPTY_PAGE;
  if (path === "/fairshare/groups") return { ...EMPTY_PAGE, items: fixtureGroups() };
  if (path === "/fairshare/preview") return { pools: [], summary: "", ts_ms: Date.now(), config_version: 41 };
  if (path === "/fairshare/history") return history();
  const tenant = /^\/tenants\/([^/]+)$/.exec(path)?.[1];
  if (tenant !== undefined) return fixtureTenant(tenant);
  return null;
}

/** A gateway that began to sample when this program began. */
function history() {
  const steps = Math.floor((Date.now() - startedMs) / 2000);
  const points = Array.from({ length: Math.min(steps, 1800) }, (_, index) => ({
    ts_ms: startedMs + (index + 1) * 2000,
    in_flight: 20 + (index % 12),
    queued: index % 7,
    held: 0,
    cap: 32,
    groups: { chat: 12, api: 8 + (index % 12) },
  }));
  return {
    instance: "gw-1",
    started_ts_ms: startedMs,
    interval_ms: 2000,
    retention_ms: 3_600_000,
    oldest_ts_ms: null,
    points,
  };
}
