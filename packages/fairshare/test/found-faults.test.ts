/** Faults that random histories once found, each as the shortest story that shows it. Their seeds are in `sim/seeds.ts`. */
import { expect, it } from "vitest";
import { groupId, poolId, tenantId } from "../src/ids";
import type { TenantPolicy } from "../src/policy";
import { EngineRun } from "./engine-run";

const AFFINITY = { holdMs: 3000, maxHeldPercent: 100, maxBypassMs: 5000 };

function heavyIn(group: string): TenantPolicy {
  return {
    id: tenantId("heavy"),
    group: { id: groupId(group), weight: 100 },
    weight: 700,
    boostFactor: 1,
    maxInFlight: null,
  };
}

it("lets an older request start before the one that lifts its tenant's cap", () => {
  const run = new EngineRun();
  run.pool("m", { size: 4 });
  run.ask({ tenant: "a", cap: 1 });
  const older = run.ask({ tenant: "a", cap: 1 });
  const lifting = run.ask({ tenant: "a", cap: 2 });
  expect([run.running.has(older), run.running.has(lifting)]).toEqual([true, false]);
});

it("lifts nobody for a request that a full queue refuses", () => {
  const run = new EngineRun({ maxQueuePerPool: 1, algorithm: "weighted" });
  run.pool("m", { size: 1 });
  run.ask({ tenant: "a", cost: 900 });
  const busy = run.ask({ tenant: "b" });
  run.cancel(busy);
  run.ask({ tenant: "a", cost: 900 });
  const refused = run.ask({ tenant: "b" });
  expect(run.refused.get(refused)).toBe("queue_full");
  expect(run.poolPicture().tenants.map((tenant) => tenant.tenantId)).toEqual(["a"]);
});

it("puts a group level with the others when a tenant brings it waiting requests", () => {
  const run = new EngineRun();
  run.pool("m", { size: 1 });
  run.ask({ tenant: "old", group: "quiet" });
  run.finish(1);
  for (let i = 0; i < 20; i++) run.ask({ tenant: "busy", group: "loud", cost: 1000 });
  for (let i = 0; i < 10; i++) run.finish(run.runningOf({ tenant: "busy" }));
  run.ask({ tenant: "mover", group: "loud" });
  const tenant = {
    id: tenantId("mover"),
    group: { id: groupId("quiet"), weight: 100 },
    weight: 100,
    boostFactor: 1,
    maxInFlight: null,
  };
  run.send({ kind: "policy_changed", pool: poolId("m"), tenant });
  const [loud, quiet] = ["loud", "quiet"].map((group) => run.groupPicture(group).shareScore);
  expect(quiet).toBeGreaterThanOrEqual(loud ?? 0);
});

it("knows a tenant that came from another group for one under its share", () => {
  const run = new EngineRun();
  run.pool("m", { size: 5 });
  run.askTimes(6, { tenant: "heavy", group: "old", weight: 700, cost: 1000 });
  run.finish(run.runningOf({ tenant: "heavy" }));
  run.send({ kind: "policy_changed", pool: poolId("m"), tenant: heavyIn("new") });
  run.askTimes(3, { tenant: "light", group: "new", weight: 300 });
  run.askTimes(3, { tenant: "heavy", group: "new", weight: 700 });
  // 5 slots over 3 and 7: 1.5 and 3.5, and the odd one goes to the light one, which is further behind.
  for (let i = 0; i < 3; i++) run.finish(run.runningOf({ tenant: "heavy" }));
  expect(run.latestTenants(3)).toEqual(["light", "light", "heavy"]);
});

it("lets the lower of two scores go first when its tenant came from another group", () => {
  const run = new EngineRun();
  run.pool("m", { size: 5 });
  run.askTimes(6, { tenant: "mover", group: "old", cost: 1 });
  for (let id = 1; id <= 6; id++) run.finish(id);
  run.pool("m", { size: 5, hasServers: false, queueWithoutServers: true });
  run.askTimes(3, { tenant: "native", group: "new" });
  run.askTimes(3, { tenant: "mover", group: "new", cost: 1 });
  run.pool("m", { size: 5 });
  // Equal weights share 5 as 3 and 2, the odd one to the lower score, and nobody is kept out of a first slot.
  expect(run.latestTenants(5)).toEqual(["native", "mover", "mover", "mover", "native"]);
});

it("takes no held slot past a request that has waited too long and that the same arrival lets run", () => {
  const run = new EngineRun();
  run.pool("m", { size: 2, affinity: AFFINITY });
  const first = run.ask({ tenant: "a", key: "k", session: "s", cap: 1 });
  run.finish(first);
  const second = run.ask({ tenant: "a", key: "k", session: "s", cap: 1 });
  run.finish(second);
  expect(run.poolPicture().held).toBe(1);
  const waiting = run.ask({ tenant: "a", key: "k", cap: 1 });
  run.pool("m", { size: 2, affinity: { ...AFFINITY, maxBypassMs: 1000 } });
  run.wait(1500);
  const step = run.ask({ tenant: "a", key: "k", session: "s", cap: 2 });
  expect([run.running.has(waiting), run.granted.at(-1) === step, run.poolPicture().held]).toEqual([true, true, 0]);
  expect(run.granted.indexOf(waiting)).toBeLessThan(run.granted.indexOf(step));
});
