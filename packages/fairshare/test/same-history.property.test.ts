/**
 * One history told in two ways: limits given as a part or as a number, a policy brought by a request or by a notice, a
 * change that is taken back before anybody could act on it. The decisions must be the same, grant by grant.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EngineEvent } from "../src/events";
import { poolId } from "../src/ids";
import type { KeyPolicy, TenantPolicy } from "../src/policy";
import { splitLimit } from "../src/shares";
import type { EngineConfig } from "../src/state";
import { type Ask, EngineRun } from "./engine-run";
import { plainTenant } from "./sim/open-loop";
import { Rng } from "./sim/rng";
import { Simulator } from "./sim/simulator";
import { EngineSystem } from "./sim/systems";
import { randomWorld, WEIGHTS, type World } from "./sim/workload";

const seeds = fc.integer({ min: 1, max: 2 ** 31 });

/** What one event of the history becomes. */
type Telling = (event: EngineEvent) => readonly EngineEvent[];

/** Every grant and refusal of the seed's history as `tell` tells it, administrator's changes and caps included. */
function decisionsOf(seed: number, tell: Telling, config: (world: World) => Partial<EngineConfig>): string[] {
  const rng = new Rng(seed);
  const world = randomWorld(rng, {});
  const engine = new EngineSystem({
    algorithm: world.algorithm,
    maxQueuePerPool: world.maxQueuePerPool,
    ...config(world),
  });
  const log: string[] = [];
  const system = {
    step: (event: EngineEvent, nowMs: number) => tell(event).flatMap((told) => engine.step(told, nowMs)),
    read: () => [],
  };
  const watch = (_event: EngineEvent, nowMs: number, effects: readonly object[]) => {
    for (const effect of effects) log.push(`${nowMs} ${JSON.stringify(effect)}`);
  };
  new Simulator({ rng: new Rng(seed + 1), world, system, watch }).run(500);
  return log;
}

const plainly: Telling = (event) => [event];
const asItIs = (world: World) => ({ defaultPoolSize: 4, ceiling: world.ceiling });

/** The event with every limit in it replaced by its part. */
function inParts(event: EngineEvent, divisor: number): EngineEvent {
  const part = (cap: number | null) => (cap === null ? null : splitLimit(cap, divisor));
  const ofTenant = (tenant: TenantPolicy) => ({ ...tenant, maxInFlight: part(tenant.maxInFlight) });
  const ofKey = (key: KeyPolicy) => ({ ...key, maxInFlight: part(key.maxInFlight) });
  switch (event.kind) {
    case "arrive":
      return { ...event, tenant: ofTenant(event.tenant), key: ofKey(event.key) };
    case "policy_changed":
      return {
        ...event,
        ...(event.tenant === undefined ? {} : { tenant: ofTenant(event.tenant) }),
        ...(event.key === undefined ? {} : { key: { ...event.key, policy: ofKey(event.key.policy) } }),
      };
    case "pool_changed":
      return { ...event, size: splitLimit(event.size, divisor) };
    case "limits_changed":
      return { ...event, ceiling: splitLimit(event.ceiling, divisor) };
    default:
      return event;
  }
}

/** Sends `first` before everything else. */
function after(first: EngineEvent, tell: Telling): Telling {
  let hasBegun = false;
  return (event) => {
    const told = tell(event);
    if (hasBegun) return told;
    hasBegun = true;
    return [first, ...told];
  };
}

describe("the same history", () => {
  it("with a part of every limit is the history of an engine that was given those parts", () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 2, max: 4 }), (seed, divisor) => {
        const { ceiling } = randomWorld(new Rng(seed), {});
        const split: Telling = (event) => [event.kind === "limits_changed" ? { ...event, divisor } : event];
        const divided = after({ kind: "limits_changed", ceiling, slots: "local", divisor }, split);
        const small = (world: World) => ({
          defaultPoolSize: splitLimit(4, divisor),
          ceiling: splitLimit(world.ceiling, divisor),
        });
        const expected = decisionsOf(seed, (event) => [inParts(event, divisor)], small);
        expect(decisionsOf(seed, divided, asItIs)).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });

  it("is not changed by limits that are cut and put back before anybody could act on them", () => {
    let cuts = 0;
    const cutAndPutBack = (world: World): Telling => {
      const sizes = new Map<string, EngineEvent>();
      let ceiling = world.ceiling;
      return (event) => {
        if (event.kind === "pool_changed" && event.routed) sizes.set(event.pool, event);
        else if (event.kind === "pool_changed") sizes.delete(event.pool);
        if (event.kind === "limits_changed") ceiling = event.ceiling;
        if (event.kind !== "cancel") return [event];
        cuts += 1;
        const cut = [...sizes.values()].map((size) => ({ ...size, size: 1, hasServers: false }) as EngineEvent);
        const limits = { kind: "limits_changed" as const, slots: "local" as const };
        return [
          ...cut,
          { ...limits, ceiling: 1, divisor: 3 },
          { ...limits, ceiling, divisor: 1 },
          ...sizes.values(),
          event,
        ];
      };
    };
    fc.assert(
      fc.property(seeds, (seed) => {
        const world = randomWorld(new Rng(seed), {});
        // A pool that is cut goes behind the others in the turns under a ceiling.
        fc.pre(world.pools.length === 1);
        expect(decisionsOf(seed, cutAndPutBack(world), asItIs)).toEqual(decisionsOf(seed, plainly, asItIs));
      }),
      { numRuns: 100 },
    );
    expect(cuts).toBeGreaterThan(1000);
  });

  it("goes on alike whether a notice brings a newer policy or a request that leaves at once", () => {
    fc.assert(
      fc.property(seeds, fc.constantFrom("hierarchical" as const, "weighted" as const), (seed, algorithm) => {
        expect(grantsUnder(seed, algorithm, "request")).toEqual(grantsUnder(seed, algorithm, "notice"));
      }),
      { numRuns: 100 },
    );
  });
});

/** Turns of a full pool; everybody has more than that waiting. */
const TURNS = 60;

/** Whom a full pool's slots go to while weights, boosts and groups' weights change, brought by the one or the other. */
function grantsUnder(seed: number, algorithm: "hierarchical" | "weighted", messenger: "request" | "notice"): string[] {
  const rng = new Rng(seed);
  const run = new EngineRun({ algorithm, defaultPoolSize: rng.int(1, 5) });
  const people = Array.from({ length: rng.int(2, 5) }, (_, i) => ({ tenant: `t${i}`, group: `g${i % 2}` }));
  const ask = (person: Ask) => run.ask({ ...person, cost: rng.pick([10, 100, 1000]) });
  const brought = new Map(people.map(({ tenant }): [string, Ask] => [tenant, {}]));
  for (let i = 0; i < TURNS + 5; i++) for (const person of people) ask(person);
  for (let turn = 0; turn < TURNS; turn++) {
    const { tenant, group } = rng.pick(people);
    const newer = { weight: rng.pick(WEIGHTS), boost: rng.pick([1, 2, 0.5]), groupWeight: rng.pick(WEIGHTS) };
    for (const each of people) {
      if (each.group === group)
        brought.set(each.tenant, { ...brought.get(each.tenant), groupWeight: newer.groupWeight });
    }
    brought.set(tenant, newer);
    if (messenger === "request") run.cancel(run.ask({ tenant, group, ...newer }));
    else run.send({ kind: "policy_changed", pool: poolId("m"), tenant: policyOf({ tenant, group, ...newer }) });
    const over = rng.pick([...run.running].map((id) => run.asks.get(id)?.tenant ?? ""));
    run.finish(run.runningOf({ tenant: over }));
    const next = rng.pick(people);
    ask({ ...next, ...brought.get(next.tenant) });
  }
  return run.latestTenants(run.granted.length);
}

function policyOf(ask: { tenant: string; group: string; weight: number; boost: number; groupWeight: number }) {
  const { tenant, group, groupWeight, weight, boost } = ask;
  return { ...plainTenant(tenant, { group, groupWeight, weight }), boostFactor: boost };
}
