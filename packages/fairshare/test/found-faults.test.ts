/** Faults that random histories once found, each as the shortest story that shows it. Their seeds are in `sim/seeds.ts`. */
import { expect, it } from "vitest";
import { groupId, poolId, tenantId } from "../src/ids";
import { EngineRun } from "./engine-run";

const AFFINITY = { holdMs: 3000, maxHeldPercent: 100, maxBypassMs: 5000 };

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
