/** Limits of a fleet from the very first call: a hundred at once, half at each of two gateways that know nothing yet. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Cluster, FairshareLive } from "@obleth/contract";
import { createTestDatabase, type TestDatabase } from "@obleth/db/testing";
import { afterAll, beforeAll, expect, it, onTestFailed } from "vitest";
import { GatewayProcess, removeBundle, until } from "./testing/gateway-process";
import { HeldBackend } from "./testing/held-backend";
import { flushKeys } from "./testing/shared-store";

const TOKEN = "t".repeat(40);
const REDIS = process.env.TEST_REDIS_URL ?? "";
const CALLS = 100;
/** Tries of a trial that a change of mode disturbed. */
const MAX_TRIES = 8;
/** What the backend reports for a call. */
const USED = 4;
/** Two calls use it up, and one that still holds its estimate beside one that was booked does as well. */
const LIMITS = { max_in_flight: 1, budget_tokens: 2 * USED, budget_period: "lifetime" };

let folder: string;
let database: TestDatabase;
let backend: HeldBackend;
let gateways: GatewayProcess[] = [];
let tenantId: string;
let keys = 0;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "obleth-first-calls-"));
  [backend, database] = await Promise.all([HeldBackend.start(), createTestDatabase({ migrated: false })]);
  await startBoth();
  await call("POST", "/models", { name: "sim-chat", max_in_flight: 8, api_base: `${backend.url}/v1` });
  ({ id: tenantId } = await call<{ id: string }>("POST", "/tenants", { name: "newcomer" }));
}, 120_000);

afterAll(async () => {
  backend.letGo();
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  backend.stop();
  removeBundle();
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
}, 60_000);

async function startBoth(): Promise<void> {
  const env = {
    OBLETH_DATABASE_URL: database.url,
    OBLETH_REDIS_URL: REDIS,
    OBLETH_REDIS_PREFIX: path.basename(folder),
    OBLETH_ADMIN_TOKEN: TOKEN,
    OBLETH_SESSION_SECRET: "s".repeat(40),
    OBLETH_ENCRYPTION_KEY: "e".repeat(40),
    OBLETH_FAIRSHARE_REPLICA_HEARTBEAT_SECS: "1",
    OBLETH_FAIRSHARE_REPLICA_TTL_SECS: "3",
    OBLETH_FAIL_OPEN: "false",
    OBLETH_SHUTDOWN_GRACE_SECS: "1",
  };
  gateways = await Promise.all([0, 1].map(() => GatewayProcess.start(path.join(folder, "data"), env)));
  await untilShared();
}

/** The live state as each shows it. */
async function states(): Promise<FairshareLive[]> {
  const answers = await Promise.all(gateways.map((one) => one.manage("GET", "/fairshare/live", undefined, TOKEN)));
  return (await Promise.all(answers.map((answer) => answer.json()))) as FairshareLive[];
}

async function untilShared(): Promise<void> {
  await until(async () => (await states()).every(({ mode, replicas }) => mode === "shared" && replicas === 2));
}

async function call<Answer>(method: string, route: string, body?: object): Promise<Answer> {
  const response = await gateways[0]?.manage(method, route, body, TOKEN);
  if (response?.ok !== true) throw new Error(`${method} ${route}: ${response?.status} ${await response?.text()}`);
  return (await response.json()) as Answer;
}

async function newKey(limits: object): Promise<{ secret: string; id: string }> {
  const { secret, key } = await call<{ secret: string; key: { id: string } }>("POST", `/tenants/${tenantId}/keys`, {
    name: `key ${++keys}`,
    ...limits,
  });
  return { secret, id: key.id };
}

interface Seen {
  /** Most calls that the backend had at once. */
  readonly most: number;
  readonly calls: number;
  readonly answers: readonly (readonly [status: number | undefined, code: string | undefined])[];
}

/** All at once; the backend answers one that it holds only after it has looked whether there is another. */
async function firstCalls(secret: string): Promise<Seen> {
  backend.isOpen = false;
  const before = backend.calls;
  let most = 0;
  let left = CALLS;
  const body = { max_tokens: 1, messages: [{ role: "user", content: "Hello" }] };
  const answers = Promise.all(
    Array.from({ length: CALLS }, async (_, i) => {
      const response = await gateways[i % 2]?.chat(secret, body);
      const answer = (await response?.json()) as { error?: { code: string } };
      left--;
      return [response?.status, answer.error?.code] as const;
    }),
  );
  await until(() => {
    most = Math.max(most, backend.held.length);
    backend.letGo();
    return left === 0;
  });
  return { most, calls: backend.calls - before, answers: await answers };
}

/**
 * What first calls with a new secret come to while both gateways share their slots. On a machine that stands still for
 * longer than a gateway waits for Redis it falls back to its part of a limit; such a try is made again.
 */
async function expectLimits(newSecret: () => Promise<string>): Promise<void> {
  onTestFailed(() => console.log(gateways.map(({ output }) => output).join("\n---\n")));
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const secret = await newSecret();
    const modes = await modeChanges();
    const { most, calls, answers } = await firstCalls(secret);
    if ((await modeChanges()).some((count, i) => count !== modes[i])) continue;
    expect([most, calls]).toEqual([1, 2]);
    expect(answers.filter(([status]) => status === 200)).toHaveLength(2);
    const refused = answers.filter(([status]) => status !== 200);
    expect(refused).toEqual(Array(CALLS - 2).fill([403, "term_budget_exhausted"]));
    return;
  }
  throw new Error(`in each of ${MAX_TRIES} tries a gateway lost touch with Redis`);
}

it("hold for a key that was just made", async () => {
  await expectLimits(async () => (await newKey(LIMITS)).secret);
});

it("hold for limits that were just set", async () => {
  await expectLimits(async () => {
    const { secret, id } = await newKey({});
    backend.isOpen = true;
    for (const gateway of gateways) expect((await gateway.chat(secret)).status).toBe(200);
    await call("PATCH", `/keys/${id}`, LIMITS);
    // They have a second to hear of it, which other tests hold them to; here every call comes after that.
    const audit = await call<{ items: { config_version: number }[] }>("GET", "/audit?limit=1");
    const version = audit.items[0]?.config_version ?? Number.NaN;
    await until(async () => (await states()).every(({ config_version }) => config_version >= version));
    return secret;
  });
});

it("hold after both gateways were started anew", async () => {
  await expectLimits(async () => {
    const { secret } = await newKey(LIMITS);
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await startBoth();
    return secret;
  });
});

it("hold after Redis was flushed: each gateway keeps its part until both have put back what they hold", async () => {
  const { secret } = await newKey(LIMITS);
  const modes = await modeChanges();
  await flushKeys(REDIS, path.basename(folder));
  const { most, calls } = await firstCalls(secret);
  // A part of a cap of one is one. The budget is in Redis, begins at nothing and counts at once.
  expect(most).toBeLessThanOrEqual(gateways.length);
  expect(calls).toBeLessThanOrEqual(2);
  await until(async () => (await modeChanges()).every((count, i) => count > (modes[i] ?? 0)));
  await untilShared();
  await expectLimits(async () => (await newKey(LIMITS)).secret);
});

/** How often each has changed its mode so far. */
async function modeChanges(): Promise<number[]> {
  const answers = await Promise.all(gateways.map((one) => one.manage("GET", "/cluster", undefined, TOKEN)));
  const pages = (await Promise.all(answers.map((answer) => answer.json()))) as Cluster[];
  return pages.map((page) => page.mode_changes.length);
}
