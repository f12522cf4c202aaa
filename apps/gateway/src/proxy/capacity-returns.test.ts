/** Room that comes back while many wait is given out slot by slot, never to everybody who saw it come. */
import { poolId, tenantId } from "@obleth/fairshare";
import { describe, expect, it } from "vitest";
import type { KeyRecord } from "../policy-cache/records";
import { endpoint, key, model, type Rig, tenant, until } from "./testing/rig";
import type { Script } from "./testing/scripted-upstream";
import { completion, json } from "./testing/scripts";
import { backend, gatewayWith } from "./testing/set-up";

const SIZE = 2;
const TENANTS = 5;
const EACH = 12;

const pool = (rig: Rig, over: { size?: number; hasServers?: boolean }): void =>
  rig.scheduler.setPool({
    kind: "pool_changed",
    pool: poolId("m"),
    size: SIZE,
    admissionWeight: 100,
    affinity: null,
    routed: true,
    hasServers: true,
    queueWithoutServers: true,
    ...over,
  });

/** Nothing passes, then everything may: from what, and by which change. `before` slots are taken meanwhile. */
const returns: [string, { before: number; close: (rig: Rig) => void; open: (rig: Rig) => void }][] = [
  [
    "its servers are back",
    { before: 0, close: (rig) => pool(rig, { hasServers: false }), open: (rig) => pool(rig, {}) },
  ],
  ["its pool grows", { before: 1, close: (rig) => pool(rig, { size: 1 }), open: (rig) => pool(rig, {}) }],
  [
    "the ceiling is raised",
    {
      before: 1,
      close: (rig) => rig.scheduler.setLimits({ slots: "local", divisor: 1, ceiling: 1 }),
      open: (rig) => rig.scheduler.setLimits({ slots: "local", divisor: 1, ceiling: 100 }),
    },
  ],
  [
    "another gateway has left",
    {
      before: 1,
      close: (rig) => rig.scheduler.setLimits({ slots: "local", divisor: 2, ceiling: 100 }),
      open: (rig) => rig.scheduler.setLimits({ slots: "local", divisor: 1, ceiling: 100 }),
    },
  ],
];

function keysOfTenants(): Map<string, KeyRecord> {
  const keys = new Map<string, KeyRecord>();
  for (let i = 0; i < TENANTS; i++) keys.set(`sk_tenant${i}`, key({ tenant: tenant({ id: tenantId(`t${i}`) }) }));
  return keys;
}

describe("when room comes back because", () => {
  it.each(returns)(
    "%s, those who wait go through as it holds and in fair order",
    async (_name, { before, close, open }) => {
      let isHeld = true;
      const held: Script = async (answer) => {
        while (isHeld && !answer.isGone) await answer.pause(2);
        await answer.pause(2);
        await json(completion("ok"))(answer);
      };
      const upstream = await backend(held);
      const rig = await gatewayWith({
        models: [model([endpoint(upstream.base)], { maxInFlight: SIZE, queueWithoutServers: true })],
        keys: keysOfTenants(),
      });
      close(rig);
      const answers: Promise<Response>[] = [];
      for (let i = 0; i < TENANTS * EACH; i++) {
        const headers = { authorization: `Bearer sk_tenant${i % TENANTS}` };
        answers.push(rig.chat({ max_tokens: 1 }, { headers }));
      }
      await until(() => rig.listener.activeCount === TENANTS * EACH);
      expect([rig.inFlight, upstream.open]).toEqual([before, before]);
      open(rig);
      open(rig);
      await until(() => upstream.open === SIZE);
      isHeld = false;
      expect((await Promise.all(answers)).every((answer) => answer.status === 200)).toBe(true);
      await until(() => rig.records.length === TENANTS * EACH);
      expect(upstream.highWater).toBe(SIZE);
      const half = rig.records.slice(0, (TENANTS * EACH) / 2).map((record) => record.tenantId);
      const counts = [...keysOfTenants().values()].map(({ tenant: { id } }) => half.filter((one) => one === id).length);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(SIZE);
      expect(rig.inFlight).toBe(0);
    },
  );
});
