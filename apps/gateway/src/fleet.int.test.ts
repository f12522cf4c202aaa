/** Two gateways on one Postgres and one Redis, as processes: limits, configuration and the live state of a fleet. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { FairshareLive } from "@obleth/contract";
import { connect } from "@obleth/db";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFailed } from "vitest";
import { GatewayProcess, removeBundle, until } from "./testing/gateway-process";
import { HeldBackend } from "./testing/held-backend";

const TOKEN = "t".repeat(40);
const NAME = `t_${randomBytes(8).toString("hex")}`;
const server = process.env.TEST_PG_URL ?? "";
const redis = process.env.TEST_REDIS_URL ?? "";

let folder: string;
let backend: HeldBackend;
let gateways: [GatewayProcess, GatewayProcess];
let secret: string;
let keyId: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "obleth-fleet-"));
  backend = await HeldBackend.start();
  const admin = connect(server, { max: 1 });
  await admin.unsafe(`create database "${NAME}"`);
  await admin.end();
  const both = [startOne(), startOne()];
  const [first, second] = await Promise.all(both);
  if (first === undefined || second === undefined) throw new Error("two gateways were asked for");
  gateways = [first, second];
  await prepare(first);
}, 120_000);

afterEach(() => {
  backend.letGo();
  backend.isOpen = true;
});

afterAll(async () => {
  backend.letGo();
  await Promise.all(gateways.map((gateway) => gateway.stop()));
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
  });
}

/** One model of 4 slots, one tenant, one key. */
async function prepare(gateway: GatewayProcess): Promise<void> {
  const model = { name: "sim-chat", max_in_flight: 4, api_base: `${backend.url}/v1` };
  expect((await gateway.manage("POST", "/models", model, TOKEN)).status).toBe(201);
  const tenant = (await (await gateway.manage("POST", "/tenants", { name: "chatbot" }, TOKEN)).json()) as {
    id: string;
  };
  const made = await gateway.manage("POST", `/tenants/${tenant.id}/keys`, { name: "main" }, TOKEN);
  const answer = (await made.json()) as { secret: string; key: { id: string } };
  secret = answer.secret;
  keyId = answer.key.id;
}

const live = async (gateway: GatewayProcess) =>
  (await (await gateway.manage("GET", "/fairshare/live", undefined, TOKEN)).json()) as FairshareLive;

describe("two gateways", () => {
  it("started together on an empty database migrate once and join each other", async () => {
    onTestFailed(() => console.log(gateways.map((one) => one.output).join("\n---\n")));
    const applied = gateways.map((one) => /"applied":(\d+)/.exec(one.output)?.[1]);
    expect(applied.filter((count) => count !== "0")).toHaveLength(1);
    await until(async () => (await Promise.all(gateways.map(live))).every((state) => state.mode === "shared"));
    const [a, b] = await Promise.all(gateways.map(live));
    expect([a?.replicas, b?.replicas]).toEqual([2, 2]);
  });

  it("hold a pool's size together and both show the whole fleet", async () => {
    onTestFailed(() => console.log(gateways.map((one) => one.output).join("\n---\n")));
    backend.isOpen = false;
    const before = backend.calls;
    const calls = [0, 0, 0, 0, 0, 1, 1, 1].map((index) => (gateways[index] as GatewayProcess).chat(secret));
    await until(() => backend.held.length === 4);
    await until(async () => {
      const states = await Promise.all(gateways.map(live));
      return states.every((state) => state.scope === "cluster" && state.in_flight === 4 && state.queued === 4);
    });
    const [a, b] = await Promise.all(gateways.map(live));
    expect(backend.calls - before).toBe(4);
    for (const state of [a, b]) {
      expect(state).toMatchObject({ replicas_reporting: 2, scope_reason: null });
      expect(state?.pools[0]).toMatchObject({ in_flight: 4, queued: 4, cluster_in_flight: 4, cap: 4 });
      expect(state?.pools[0]?.tenants?.[0]).toMatchObject({ name: "chatbot", in_flight: 4, queued: 4, slot_share: 4 });
    }
    expect((a?.replica_in_flight ?? 0) + (b?.replica_in_flight ?? 0)).toBe(4);
    expect((a?.replica_queued ?? 0) + (b?.replica_queued ?? 0)).toBe(4);
    backend.isOpen = true;
    backend.letGo();
    expect((await Promise.all(calls)).map((response) => response.status)).toEqual(Array(8).fill(200));
  });

  it("list each other on the cluster page, with settings that agree", async () => {
    const [first, second] = gateways;
    await until(async () => {
      const page = (await (await first.manage("GET", "/cluster", undefined, TOKEN)).json()) as {
        replicas: { instance: string; version: string | null }[];
      };
      return page.replicas.length === 2 && page.replicas.every((row) => row.version !== null);
    });
    const settings = (await (await second.manage("GET", "/cluster/settings", undefined, TOKEN)).json()) as {
      settings: { agreed: boolean; values: unknown[] }[];
    };
    const differing = settings.settings.filter((one) => !one.agreed).map((one) => JSON.stringify(one));
    expect(differing).toEqual([]);
    expect(settings.settings.every((one) => one.values.length === 2)).toBe(true);
  });

  it("use a change made at either within a second: disabled, enabled, rotated, deleted", async () => {
    const [first, second] = gateways;
    expect((await second.chat(secret)).status).toBe(200);
    const patch = (body: object) => first.manage("PATCH", `/keys/${keyId}`, body, TOKEN);
    expect((await patch({ disabled: true })).status).toBe(200);
    expect(await msUntil(async () => (await second.chat(secret)).status === 403)).toBeLessThan(1_000);
    await patch({ disabled: false });
    expect(await msUntil(async () => (await second.chat(secret)).status === 200)).toBeLessThan(1_000);
    const rotated = await first.manage("POST", `/keys/${keyId}/rotate`, { overlap_secs: 0 }, TOKEN);
    const { secret: newSecret } = (await rotated.json()) as { secret: string };
    expect(await msUntil(async () => (await second.chat(secret)).status === 401)).toBeLessThan(1_000);
    expect((await second.chat(newSecret)).status).toBe(200);
    secret = newSecret;
  });

  it("accept a new key everywhere although its secret was refused a moment before", async () => {
    const [first, second] = gateways;
    const unknown = `sk_${"0".repeat(48)}`;
    expect((await second.chat(unknown)).status).toBe(401);
    const tenants = (await (await first.manage("GET", "/tenants", undefined, TOKEN)).json()) as {
      items: { id: string }[];
    };
    const made = await first.manage("POST", `/tenants/${tenants.items[0]?.id}/keys`, { name: "new" }, TOKEN);
    const answer = (await made.json()) as { secret: string };
    expect((await second.chat(answer.secret)).status).toBe(200);
  });

  it("hold a cap from the very first calls of a key that no cache knows", async () => {
    const [first] = gateways;
    const tenants = (await (await first.manage("GET", "/tenants", undefined, TOKEN)).json()) as {
      items: { id: string }[];
    };
    const body = { name: "capped", max_in_flight: 1 };
    const made = await first.manage("POST", `/tenants/${tenants.items[0]?.id}/keys`, body, TOKEN);
    const { secret: capped } = (await made.json()) as { secret: string };
    backend.isOpen = false;
    const calls = Array.from({ length: 30 }, (_, i) => (gateways[i % 2] as GatewayProcess).chat(capped));
    await until(async () => {
      const [a, b] = await Promise.all(gateways.map(live));
      return a?.in_flight === 1 && a.queued === 29 && b?.in_flight === 1;
    });
    expect(backend.held).toHaveLength(1);
    backend.isOpen = true;
    backend.letGo();
    expect((await Promise.all(calls)).every((response) => response.status === 200)).toBe(true);
  });

  it("give the slots of one that was killed back within its expiry and a heartbeat", async () => {
    onTestFailed(() => console.log(gateways.map((one) => one.output).join("\n---\n")));
    const [first, second] = gateways;
    backend.isOpen = false;
    const lost = Array.from({ length: 4 }, () => first.chat(secret).catch(() => undefined));
    await until(() => backend.held.length === 4);
    const waiting = second.chat(secret);
    first.signal("SIGKILL");
    await first.ended();
    await Promise.all(lost);
    backend.held.length = 0;
    backend.isOpen = true;
    const startMs = performance.now();
    expect((await waiting).status).toBe(200);
    expect(performance.now() - startMs).toBeLessThan(6_000);
    await until(async () => (await live(second)).mode === "local");
  });
});

async function msUntil(isDone: () => Promise<boolean>): Promise<number> {
  const startMs = performance.now();
  await until(isDone);
  return performance.now() - startMs;
}
