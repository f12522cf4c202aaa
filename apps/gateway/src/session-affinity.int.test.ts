/** Session affinity over two gateways on one Redis, as processes: held slots, their end, what is shown, changes of settings. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { FairshareHistory, FairshareLive } from "@obleth/contract";
import { connect } from "@obleth/db";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFailed } from "vitest";
import { GatewayProcess, removeBundle, until } from "./testing/gateway-process";
import { HeldBackend } from "./testing/held-backend";

const TOKEN = "t".repeat(40);
const NAME = `t_${randomBytes(8).toString("hex")}`;
const MODEL = "sim-chat";
const server = process.env.TEST_PG_URL ?? "";
const redis = process.env.TEST_REDIS_URL ?? "";
/** How much later than its moment something may come on a busy machine, ms. */
const SLACK_MS = 1_500;

let folder: string;
let backend: HeldBackend;
let first: GatewayProcess;
let second: GatewayProcess;
let modelId: string;
/** The agent's key, and one of another tenant. */
let agent: string;
let other: string;
let sessions = 0;
let session: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "obleth-affinity-"));
  backend = await HeldBackend.start();
  const admin = connect(server, { max: 1 });
  await admin.unsafe(`create database "${NAME}"`);
  await admin.end();
  [first, second] = await Promise.all([startOne(), startOne()]);
  const model = { name: MODEL, max_in_flight: 1, api_base: `${backend.url}/v1` };
  modelId = (await call<{ id: string }>("POST", "/models", model)).id;
  [agent, other] = await Promise.all([newKey("agents"), newKey("chatbot")]);
  await until(async () => (await Promise.all([first, second].map(live))).every((state) => state.mode === "shared"));
}, 120_000);

beforeEach(() => {
  sessions += 1;
  session = `session-${sessions}`;
});

afterEach(async () => {
  backend.isOpen = true;
  backend.letGo();
  await favour({ enabled: false });
  await until(async () => {
    const states = await Promise.all([first, second].map(live));
    return states.every((state) => state.in_flight + state.queued + state.held === 0);
  });
});

afterAll(async () => {
  await Promise.all([first, second].map((gateway) => gateway.stop()));
  backend.stop();
  removeBundle();
  rmSync(folder, { recursive: true, force: true });
  const admin = connect(server, { max: 1 });
  await admin.unsafe(`drop database if exists "${NAME}" with (force)`);
  await admin.end();
}, 60_000);

function startOne(): Promise<GatewayProcess> {
  const url = new URL(server);
  url.pathname = `/${NAME}`;
  return GatewayProcess.start(path.join(folder, "data"), {
    OBLETH_DATABASE_URL: url.href,
    OBLETH_REDIS_URL: redis,
    OBLETH_REDIS_PREFIX: NAME,
    OBLETH_ADMIN_TOKEN: TOKEN,
    OBLETH_SESSION_SECRET: "s".repeat(40),
    OBLETH_ENCRYPTION_KEY: "e".repeat(40),
    OBLETH_FAIRSHARE_REPLICA_HEARTBEAT_SECS: "1",
    OBLETH_FAIRSHARE_REPLICA_TTL_SECS: "2",
    OBLETH_SHUTDOWN_GRACE_SECS: "5",
    OBLETH_REDIS_RESPONSE_TIMEOUT_MS: "2000",
  });
}

async function call<Answer>(method: string, route: string, body?: unknown): Promise<Answer> {
  const response = await first.manage(method, route, body, TOKEN);
  expect(response.status, route).toBeLessThan(300);
  return (await response.json()) as Answer;
}

async function newKey(tenant: string): Promise<string> {
  const { id } = await call<{ id: string }>("POST", "/tenants", { name: tenant });
  return (await call<{ secret: string }>("POST", `/tenants/${id}/keys`, { name: "main" })).secret;
}

/** Sets the model's affinity at the first gateway and waits until both go by it. */
async function favour(affinity: Readonly<Record<string, boolean | number>>): Promise<void> {
  await call("PUT", `/models/${modelId}/session-affinity`, affinity);
  const { items } = await call<{ items: { config_version: number }[] }>("GET", "/audit?limit=1");
  const version = items[0]?.config_version ?? Number.POSITIVE_INFINITY;
  await until(async () =>
    (await Promise.all([first, second].map(live))).every((state) => state.config_version >= version),
  );
}

const live = async (gateway: GatewayProcess) =>
  (await (await gateway.manage("GET", "/fairshare/live", undefined, TOKEN)).json()) as FairshareLive;

const held = async () =>
  (await Promise.all([first, second].map(live))).map((state) => state.pools.find((pool) => pool.model === MODEL)?.held);

/** One step of the agent's session at a gateway, from its sending to the end of its answer. */
async function step(gateway: GatewayProcess): Promise<void> {
  const response = await gateway.chat(agent, { session_id: session, user: session });
  expect(response.status).toBe(200);
  await response.text();
}

/** A call of another tenant that has nothing to do with the session; tells how long it took. */
async function stranger(gateway: GatewayProcess): Promise<number> {
  const startMs = performance.now();
  const response = await gateway.chat(other, { user: "stranger" });
  expect(response.status).toBe(200);
  await response.text();
  return performance.now() - startMs;
}

const untilHeld = () => until(async () => (await held()).every((count) => count === 1));

/** Two steps, the second on another gateway: its slot stays held, and both gateways know. */
async function leaveHold(): Promise<void> {
  await step(first);
  await step(second);
  await untilHeld();
}

/** Counts of the metric over both gateways. */
async function events(): Promise<Record<string, number>> {
  const pages = await Promise.all(
    [first, second].map(async ({ run }) => (await fetch(`${run.metrics}/metrics`)).text()),
  );
  const counts: Record<string, number> = {};
  for (const page of pages) {
    for (const [, event = "", count] of page.matchAll(/obleth_fairshare_affinity_total\{event="(\w+)"\} (\d+)/g)) {
      counts[event] = (counts[event] ?? 0) + Number(count);
    }
  }
  return counts;
}

describe("two gateways that favour sessions", () => {
  it("give the next step its held slot on whichever gateway it reaches, past others who wait on both", async () => {
    onTestFailed(() => console.log([first, second].map((one) => one.output).join("\n---\n")));
    await favour({ enabled: true, hold_ms: 30_000, max_held_percent: 100, max_bypass_secs: 60 });
    await leaveHold();
    const waiting = [stranger(first), stranger(second)];
    await until(async () => (await live(first)).queued === 2);
    const before = backend.users.length;
    for (const gateway of [first, second, second, first]) {
      await step(gateway);
      await untilHeld();
    }
    expect(backend.users.slice(before)).toEqual(Array(4).fill(session));
    expect((await live(first)).queued).toBe(2);
    await call("PUT", `/models/${modelId}/session-affinity`, { enabled: false });
    await Promise.all(waiting);
  });

  it("offer a hold on at the moment it runs out, to a request that waits at the other gateway", async () => {
    await favour({ enabled: true, hold_ms: 2_000, max_held_percent: 100 });
    await step(first);
    await step(second);
    const tookMs = await stranger(first);
    expect(tookMs).toBeGreaterThan(1_000);
    expect(tookMs).toBeLessThan(2_000 + SLACK_MS);
  });

  it.each([
    ["affinity is turned off", () => call("PUT", `/models/${modelId}/session-affinity`, { enabled: false })],
    ["the model spreads over several endpoints", () => spread()],
  ])("free a hold at once when %s", async (_what, change) => {
    await favour({ enabled: true, hold_ms: 60_000, max_held_percent: 100, max_bypass_secs: 60 });
    await leaveHold();
    const waiting = stranger(second);
    await until(async () => (await live(second)).queued === 1);
    await change();
    expect(await waiting).toBeLessThan(10_000);
    await until(async () => (await held()).every((count) => count === 0));
    await call("PATCH", `/models/${modelId}`, { endpoint_selection: "failover" });
  });

  it("end the hold of a session whose key is revoked at its time, and refuse its next step for its own reason", async () => {
    await favour({ enabled: true, hold_ms: 2_000, max_held_percent: 100 });
    const { id } = await call<{ id: string }>("POST", "/tenants", { name: "leavers" });
    const made = await call<{ secret: string; key: { id: string } }>("POST", `/tenants/${id}/keys`, { name: "main" });
    const [kept, leaver] = [agent, made.secret];
    agent = leaver;
    await leaveHold();
    agent = kept;
    await call("PATCH", `/keys/${made.key.id}`, { disabled: true });
    expect(await stranger(first)).toBeLessThan(2_000 + SLACK_MS);
    await until(async () => (await second.chat(leaver, { session_id: session })).status === 403);
  });

  it("count what became of every hold, in the metric and in the history of the model", async () => {
    await until(async () => (await held()).every((count) => count === 0));
    const { hold = 0, redeem = 0, expire = 0, release = 0 } = await events();
    expect(hold).toBeGreaterThanOrEqual(9);
    expect(redeem).toBeGreaterThanOrEqual(4);
    expect(expire).toBeGreaterThanOrEqual(2);
    expect(release).toBeGreaterThanOrEqual(3);
    expect(redeem + expire + release).toBe(hold);
    await until(async () => {
      const histories = await Promise.all(
        [first, second].map(async (gateway) => {
          const answer = await gateway.manage("GET", `/fairshare/history?model=${MODEL}`, undefined, TOKEN);
          return (await answer.json()) as FairshareHistory;
        }),
      );
      const points = histories.flatMap((history) => history.points);
      const sum = (of: "hold" | "redeem" | "expire") =>
        points.reduce((total, point) => total + (point.affinity?.[of] ?? 0), 0);
      return sum("hold") === hold && sum("redeem") === redeem && sum("expire") === expire;
    });
  });
});

/** A second endpoint, and requests in turn to both: a session would not reach the same one twice. */
async function spread(): Promise<void> {
  await call("PATCH", `/models/${modelId}`, { endpoint_selection: "load_balance" });
  await call("POST", `/models/${modelId}/endpoints`, { name: "another", api_base: `${backend.url}/v1` });
}
