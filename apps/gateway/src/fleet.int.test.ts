/** Two gateways on one Postgres and one Redis, as processes: limits, configuration and the live state of a fleet. */
import type { Cluster, ClusterSettings, FairshareLive } from "@obleth/contract";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFailed } from "vitest";
import { until } from "./testing/gateway-process";
import type { HeldBackend } from "./testing/held-backend";
import { TwoGateways } from "./testing/two-gateways";

let gateways: TwoGateways;
let backend: HeldBackend;
let secret: string;
let keyId: string;
let tenantId: string;

/** One model of 4 slots, one tenant, one key. */
beforeAll(async () => {
  gateways = await TwoGateways.start();
  backend = gateways.backend;
  await gateways.call("POST", "/models", { name: "sim-chat", max_in_flight: 4, api_base: `${backend.url}/v1` });
  ({ secret, keyId, tenantId } = await gateways.newKey("chatbot"));
}, 120_000);

afterEach(() => {
  backend.letGo();
  backend.isOpen = true;
});

afterAll(() => gateways.stop(), 60_000);

describe("two gateways", () => {
  it("started together on an empty database migrate once and join each other", async () => {
    onTestFailed(() => console.log(gateways.output));
    const applied = gateways.both.map((one) => /"applied":(\d+)/.exec(one.output)?.[1]);
    expect(applied.filter((count) => count !== "0")).toHaveLength(1);
    await gateways.untilShared();
    expect((await gateways.states()).map((state) => state.replicas)).toEqual([2, 2]);
  });

  it("hold a pool's size together and both show the whole fleet", async () => {
    onTestFailed(() => console.log(gateways.output));
    backend.isOpen = false;
    const before = backend.calls;
    const calls = [0, 0, 0, 0, 0, 1, 1, 1].map((second) => (second ? gateways.second : gateways.first).chat(secret));
    await until(() => backend.held.length === 4);
    await until(async () => {
      const states = await gateways.states();
      return states.every((state) => state.scope === "cluster" && state.in_flight === 4 && state.queued === 4);
    });
    const [a, b] = await gateways.states();
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
    await until(async () => {
      const page = await gateways.call<Cluster>("GET", "/cluster");
      return page.replicas.length === 2 && page.replicas.every((row) => row.version !== null);
    });
    const settings = await gateways.call<ClusterSettings>("GET", "/cluster/settings", undefined, gateways.second);
    const differing = settings.settings.filter((one) => !one.agreed).map((one) => JSON.stringify(one));
    expect(differing).toEqual([]);
    expect(settings.settings.every((one) => one.values.length === 2)).toBe(true);
  });

  it("use a change made at either within a second: disabled, enabled, rotated, deleted", async () => {
    const { second } = gateways;
    expect((await second.chat(secret)).status).toBe(200);
    const withinMs = 1_000 + (await gateways.allowanceMs());
    const patch = (body: object) => gateways.call("PATCH", `/keys/${keyId}`, body);
    await patch({ disabled: true });
    expect(await msUntil(async () => (await second.chat(secret)).status === 403)).toBeLessThan(withinMs);
    await patch({ disabled: false });
    expect(await msUntil(async () => (await second.chat(secret)).status === 200)).toBeLessThan(withinMs);
    const rotation = { overlap_secs: 0 };
    const rotated = await gateways.call<{ secret: string }>("POST", `/keys/${keyId}/rotate`, rotation);
    expect(await msUntil(async () => (await second.chat(secret)).status === 401)).toBeLessThan(withinMs);
    expect((await second.chat(rotated.secret)).status).toBe(200);
    secret = rotated.secret;
  });

  it("accept a new key everywhere although its secret was refused a moment before", async () => {
    const { second } = gateways;
    const unknown = `sk_${"0".repeat(48)}`;
    expect((await second.chat(unknown)).status).toBe(401);
    const made = await gateways.call<{ secret: string }>("POST", `/tenants/${tenantId}/keys`, { name: "new" });
    expect((await second.chat(made.secret)).status).toBe(200);
  });

  it("hold a cap from the very first calls of a key that no cache knows", async () => {
    const body = { name: "capped", max_in_flight: 1 };
    const made = await gateways.call<{ secret: string }>("POST", `/tenants/${tenantId}/keys`, body);
    backend.isOpen = false;
    const calls = Array.from({ length: 30 }, (_, i) => (i % 2 ? gateways.second : gateways.first).chat(made.secret));
    await until(async () => {
      const [a, b] = await gateways.states();
      return a?.in_flight === 1 && a.queued === 29 && b?.in_flight === 1;
    });
    expect(backend.held).toHaveLength(1);
    backend.isOpen = true;
    backend.letGo();
    expect((await Promise.all(calls)).every((response) => response.status === 200)).toBe(true);
  });

  it("show who waits at one that has stopped publishing for as long as its picture counts, and then that it is missing", async () => {
    onTestFailed(() => console.log(gateways.output));
    const { first, second } = gateways;
    const denied = await gateways.newKey("denied");
    backend.isOpen = false;
    const calls = Array.from({ length: 4 }, () => first.chat(secret));
    await until(() => backend.held.length === 4);
    calls.push(second.chat(denied.secret));
    const isListed = ({ pools }: FairshareLive) =>
      pools[0]?.tenants?.some(({ name, queued }) => name === "denied" && queued === 1) === true;
    await until(async () => isListed(await gateways.live(first)));
    second.signal("SIGSTOP");
    const stoppedMs = performance.now();
    await until(async () => {
      const silentMs = performance.now() - stoppedMs;
      const live = await gateways.live(first);
      if (live.mode !== "shared" || live.replicas_reporting < live.replicas) return true;
      expect(isListed(live)).toBe(true);
      // The state is made once for all who ask within a moment.
      expect(live.state_age_ms).toBeGreaterThan(silentMs - 500);
      return false;
    });
    second.signal("SIGCONT");
    await until(async () => (await gateways.states()).every((live) => live.replicas_reporting === 2 && isListed(live)));
    backend.isOpen = true;
    backend.letGo();
    expect((await Promise.all(calls)).map((response) => response.status)).toEqual(Array(5).fill(200));
  });

  it("give the slots of one that was killed back within its expiry and a heartbeat", async () => {
    onTestFailed(() => console.log(gateways.output));
    const { first, second } = gateways;
    backend.isOpen = false;
    const lost = Array.from({ length: 4 }, () => first.chat(secret).catch(() => undefined));
    await until(() => backend.held.length === 4);
    const waiting = second.chat(secret);
    const allowanceMs = await gateways.allowanceMs();
    first.signal("SIGKILL");
    await first.ended();
    await Promise.all(lost);
    backend.held.length = 0;
    backend.isOpen = true;
    const startMs = performance.now();
    expect((await waiting).status).toBe(200);
    expect(performance.now() - startMs).toBeLessThan(3_000 + Math.max(3_000, allowanceMs));
    await until(async () => (await gateways.live(second)).mode === "local");
  });
});

async function msUntil(isDone: () => Promise<boolean>): Promise<number> {
  const startMs = performance.now();
  await until(isDone);
  return performance.now() - startMs;
}
