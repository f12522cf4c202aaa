/** Session affinity over two gateways on one Redis, as processes: held slots, their end, what is shown, changes of settings. */
import type { FairshareHistory } from "@obleth/contract";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFailed } from "vitest";
import { type GatewayProcess, until } from "./testing/gateway-process";
import { TwoGateways } from "./testing/two-gateways";

const MODEL = "sim-chat";
const HOLD_MS = 2_000;
/** From the answer to a change until another gateway goes by it, ms. */
const CHANGED_MS = 1_000;
/** For trials that may have to be made several times. */
const TRIES_MS = 300_000;

type Counts = Record<string, number>;

let gateways: TwoGateways;
let first: GatewayProcess;
let second: GatewayProcess;
let modelId: string;
/** The agent's key, and one of another tenant. */
let agent: string;
let other: string;
let sessions = 0;
let session: string;
/** Calls of strangers that may still wait. */
let strangers: Promise<number>[] = [];
/** What the trials that count have counted. */
const judged: Counts = {};

beforeAll(async () => {
  gateways = await TwoGateways.start();
  [first, second] = gateways.both;
  const model = { name: MODEL, max_in_flight: 1, api_base: `${gateways.backend.url}/v1` };
  modelId = (await gateways.call<{ id: string }>("POST", "/models", model)).id;
  [agent, other] = (await Promise.all([gateways.newKey("agents"), gateways.newKey("chatbot")])).map(
    ({ secret }) => secret,
  ) as [string, string];
  await gateways.untilShared();
}, 120_000);

afterEach(() => settle());

afterAll(() => gateways.stop(), 60_000);

/** Ends what a trial has begun: nothing runs, waits or is held afterwards. */
async function settle(): Promise<void> {
  await gateways.call("PATCH", `/models/${modelId}`, { endpoint_selection: "failover" });
  await favour({ enabled: false });
  await Promise.allSettled(strangers);
  strangers = [];
  await until(async () =>
    (await gateways.states()).every((state) => state.in_flight + state.queued + state.held === 0),
  );
}

/** A story with a session of its own, told while slots are shared. What became of its holds is counted. */
async function judge(story: () => Promise<void>): Promise<void> {
  onTestFailed(() => console.log(gateways.output));
  let counted: Counts = {};
  const trial = async () => {
    sessions += 1;
    session = `session-${sessions}`;
    const before = await events();
    await story();
    await settle();
    const after = await events();
    counted = Object.fromEntries(Object.entries(after).map(([event, count]) => [event, count - (before[event] ?? 0)]));
  };
  await gateways.whileShared(trial, settle);
  for (const [event, count] of Object.entries(counted)) judged[event] = (judged[event] ?? 0) + count;
}

/** Sets the model's affinity at the first gateway and waits until both go by it. */
async function favour(affinity: Readonly<Record<string, boolean | number>>): Promise<void> {
  await gateways.call("PUT", `/models/${modelId}/session-affinity`, affinity);
  const { items } = await gateways.call<{ items: { config_version: number }[] }>("GET", "/audit?limit=1");
  const version = items[0]?.config_version ?? Number.POSITIVE_INFINITY;
  await until(async () => (await gateways.states()).every((state) => state.config_version >= version));
}

const held = async () =>
  (await gateways.states()).map((state) => state.pools.find((pool) => pool.model === MODEL)?.held);

/** One step of the agent's session at a gateway, from its sending to the end of its answer. */
async function step(gateway: GatewayProcess): Promise<void> {
  const response = await gateway.chat(agent, { session_id: session, user: session });
  expect(response.status).toBe(200);
  await response.text();
}

/** A call of another tenant that has nothing to do with the session; tells how long it took, ms. */
function stranger(gateway: GatewayProcess): Promise<number> {
  const startMs = performance.now();
  const call = gateway.chat(other, { user: "stranger" }).then(async (response) => {
    expect(response.status).toBe(200);
    await response.text();
    return performance.now() - startMs;
  });
  strangers.push(call);
  return call;
}

const untilHeld = () => gateways.until(async () => (await held()).every((count) => count === 1));

/** Two steps, the second on another gateway: its slot stays held, and both gateways know. */
async function leaveHold(): Promise<void> {
  await step(first);
  await step(second);
  await untilHeld();
}

/** Counts of the metric over both gateways. */
async function events(): Promise<Counts> {
  const pages = await Promise.all(gateways.both.map(async ({ run }) => (await fetch(`${run.metrics}/metrics`)).text()));
  const counts: Counts = {};
  for (const page of pages) {
    for (const [, event = "", count] of page.matchAll(/obleth_fairshare_affinity_total\{event="(\w+)"\} (\d+)/g)) {
      counts[event] = (counts[event] ?? 0) + Number(count);
    }
  }
  return counts;
}

describe("two gateways that favour sessions", () => {
  it("give the next step its held slot on whichever gateway it reaches, past others who wait on both", {
    timeout: TRIES_MS,
  }, async () => {
    await judge(async () => {
      await favour({ enabled: true, hold_ms: 20_000, max_held_percent: 100, max_bypass_secs: 60 });
      await leaveHold();
      for (const gateway of gateways.both) void stranger(gateway);
      await gateways.until(async () => (await gateways.live(first)).queued === 2);
      const { users } = gateways.backend;
      const before = users.length;
      for (const gateway of [first, second, second, first]) {
        await step(gateway);
        await untilHeld();
      }
      expect(users.slice(before)).toEqual(Array(4).fill(session));
      expect((await gateways.live(first)).queued).toBe(2);
    });
  });

  it("offer a hold on when it runs out, to a request that waits at the other gateway", {
    timeout: TRIES_MS,
  }, async () => {
    await judge(async () => {
      await favour({ enabled: true, hold_ms: HOLD_MS, max_held_percent: 100 });
      await step(first);
      await step(second);
      const tookMs = await stranger(first);
      expect(tookMs).toBeGreaterThan(HOLD_MS / 2);
      expect(tookMs).toBeLessThan(HOLD_MS + (await gateways.allowanceMs()));
    });
  });

  it.each([
    ["affinity is turned off", () => gateways.call("PUT", `/models/${modelId}/session-affinity`, { enabled: false })],
    ["the model spreads over several endpoints", () => spread()],
  ])("free a hold at once when %s", { timeout: TRIES_MS }, async (_what, change) => {
    await judge(async () => {
      await favour({ enabled: true, hold_ms: 30_000, max_held_percent: 100, max_bypass_secs: 60 });
      await leaveHold();
      const waiting = stranger(second);
      const startedMs = performance.now();
      await gateways.until(async () => (await gateways.live(second)).queued === 1);
      const waitedMs = performance.now() - startedMs;
      await change();
      expect(await waiting).toBeLessThan(waitedMs + CHANGED_MS + (await gateways.allowanceMs()));
      await gateways.until(async () => (await held()).every((count) => count === 0));
    });
  });

  it("end the hold of a session whose key is revoked at its time, and refuse its next step for its own reason", {
    timeout: TRIES_MS,
  }, async () => {
    const kept = agent;
    await judge(async () => {
      await favour({ enabled: true, hold_ms: HOLD_MS, max_held_percent: 100 });
      const { secret, keyId } = await gateways.newKey(`leavers of ${session}`);
      agent = secret;
      await leaveHold().finally(() => {
        agent = kept;
      });
      await gateways.call("PATCH", `/keys/${keyId}`, { disabled: true });
      expect(await stranger(first)).toBeLessThan(HOLD_MS + (await gateways.allowanceMs()));
      await gateways.until(async () => (await second.chat(secret, { session_id: session })).status === 403);
    });
  });

  it("count what became of every hold, in the metric and in the history of the model", async () => {
    const { hold = 0, redeem = 0, expire = 0, release = 0 } = judged;
    expect(hold).toBeGreaterThanOrEqual(9);
    expect(redeem).toBeGreaterThanOrEqual(4);
    expect(expire).toBeGreaterThanOrEqual(2);
    expect(release).toBeGreaterThanOrEqual(3);
    expect(redeem + expire + release).toBe(hold);
    await until(async () => {
      const all = await events();
      const path = `/fairshare/history?model=${MODEL}`;
      const histories = await Promise.all(
        gateways.both.map((gateway) => gateways.call<FairshareHistory>("GET", path, undefined, gateway)),
      );
      const points = histories.flatMap((history) => history.points);
      const sum = (of: "hold" | "redeem" | "expire") =>
        points.reduce((total, point) => total + (point.affinity?.[of] ?? 0), 0);
      return (["hold", "redeem", "expire"] as const).every((of) => sum(of) === (all[of] ?? 0));
    });
  });
});

/** A second endpoint, and requests in turn to both: a session would not reach the same one twice. */
async function spread(): Promise<void> {
  await gateways.call("PATCH", `/models/${modelId}`, { endpoint_selection: "load_balance" });
  const another = { name: `another for ${session}`, api_base: `${gateways.backend.url}/v1` };
  await gateways.call("POST", `/models/${modelId}/endpoints`, another);
}
