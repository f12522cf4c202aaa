/** What becomes of requests, accounts and pools over a long time: nothing starves, nothing stays behind. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { waiterId } from "../src/ids";
import { plainKey, plainTenant, sizeOf } from "./sim/open-loop";
import { Rng } from "./sim/rng";
import { Simulator } from "./sim/simulator";
import { EngineSystem, type SystemEffect } from "./sim/systems";
import { randomWorld } from "./sim/workload";

const seeds = fc.integer({ min: 1, max: 2 ** 31 });
const algorithms = ["hierarchical", "weighted"] as const;

/** A system and who runs and waits in it, by hand. */
class Hand {
  readonly system: EngineSystem;
  readonly running = new Set<number>();
  nowMs = 0;
  #latestId = 0;

  constructor(config: ConstructorParameters<typeof EngineSystem>[0]) {
    this.system = new EngineSystem(config);
  }

  send(event: Parameters<EngineSystem["step"]>[0]): readonly SystemEffect[] {
    const effects = this.system.step(event, this.nowMs);
    for (const effect of effects) if (effect.kind === "grant") this.running.add(effect.waiterId);
    return effects;
  }

  ask(tenant: string, given: { weight?: number; cost?: number; group?: string; cap?: number | null } = {}): number {
    const { weight = 100, cost = 100, group = "g", cap = null } = given;
    this.#latestId += 1;
    this.send({
      kind: "arrive",
      waiterId: waiterId(this.#latestId),
      pool: "m" as never,
      tenant: { ...plainTenant(tenant, { weight, group }), maxInFlight: cap },
      key: plainKey(`${tenant}-k`),
      costTokens: cost,
      session: null,
      timeoutMs: null,
    });
    return this.#latestId;
  }

  finish(id: number): readonly SystemEffect[] {
    this.running.delete(id);
    return this.send({ kind: "finish", waiterId: waiterId(id), actualTokens: null });
  }

  pool() {
    return this.system.snapshot(this.nowMs).pools.find((each) => each.pool === "m");
  }
}

describe("nothing starves", () => {
  it("E15 with runs that end, every request that nobody cancelled is admitted", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const rng = new Rng(seed);
        const world = { ...randomWorld(rng), timeoutMs: null, maxQueuePerPool: 0, changeGapMs: null };
        const system = new EngineSystem({ algorithm: world.algorithm, ceiling: world.ceiling });
        const running = new Set<number>();
        const waiting = new Set<number>();
        let nowMs = 0;
        const note = (effects: readonly SystemEffect[]) => {
          for (const { waiterId: id } of effects) {
            waiting.delete(id);
            running.add(id);
          }
        };
        const watch = (event: Parameters<EngineSystem["step"]>[0], at: number, effects: readonly SystemEffect[]) => {
          nowMs = at;
          if (event.kind === "arrive") waiting.add(event.waiterId);
          if (event.kind === "cancel") waiting.delete(event.waiterId);
          if (event.kind === "finish") running.delete(event.waiterId);
          note(effects);
        };
        new Simulator({ rng, world, system, watch }).run(600);
        while (running.size > 0) {
          const id = rng.pick([...running]);
          running.delete(id);
          note(system.step({ kind: "finish", waiterId: waiterId(id), actualTokens: null }, nowMs));
        }
        expect([...waiting]).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it.each(algorithms)(
    "E15 %s: a light group keeps being served beside one of ten thousand times its weight",
    (mode) => {
      const hand = new Hand({ algorithm: mode });
      hand.send(sizeOf("m", 1));
      for (let i = 0; i < 2; i++) hand.ask("light", { weight: 1, group: "light" });
      let waits = 0;
      let longest = 0;
      let served = 0;
      for (let round = 0; round < 400; round++) {
        for (let i = 0; i < 3; i++) hand.ask("heavy", { weight: 10_000, group: "heavy" });
        const [id] = hand.running;
        if (id === undefined) throw new Error("a slot is free");
        hand.finish(id);
        const isLight =
          hand.pool()?.tenants.some((tenant) => tenant.tenantId === "light" && tenant.inFlight > 0) ?? false;
        if (isLight) {
          hand.ask("light", { weight: 1, group: "light" });
          served += 1;
        }
        waits = isLight ? 0 : waits + 1;
        longest = Math.max(longest, waits);
      }
      expect(served).toBeGreaterThan(0);
      expect(longest).toBeLessThan(400);
    },
  );

  it("E22 twelve groups on eight slots all run within one round", () => {
    const hand = new Hand({ algorithm: "hierarchical" });
    hand.send(sizeOf("m", 8));
    const ids = Array.from({ length: 12 }, (_, i) => hand.ask(`t${i}`, { group: `g${i}` }));
    for (const id of ids.slice(0, 8)) hand.finish(id);
    expect([...hand.running].sort((a, b) => a - b)).toEqual(ids.slice(8));
  });
});

describe("weights and scores", () => {
  it("E35 a weight carried by a request counts from the next decision and moves no score by itself", () => {
    fc.assert(
      fc.property(fc.constantFrom(...algorithms), fc.integer({ min: 1, max: 1000 }), (algorithm, weight) => {
        const hand = new Hand({ algorithm });
        hand.send(sizeOf("m", 1));
        const [first] = [hand.ask("a"), hand.ask("a"), hand.ask("b"), hand.ask("b")];
        const scoreOf = () => hand.pool()?.tenants.find((tenant) => tenant.tenantId === "a")?.shareScore;
        const before = scoreOf();
        hand.ask("a", { weight });
        expect(scoreOf()).toBe(before);
        expect(hand.pool()?.tenants.find((tenant) => tenant.tenantId === "a")?.effectiveWeight).toBe(weight);
        hand.finish(first ?? 0);
        expect(scoreOf()).toBe(before);
      }),
      { numRuns: 50 },
    );
  });

  it.each(algorithms)(
    "E24 %s: a million-fold weight advances with one-token requests, and a rebase keeps the order",
    (mode) => {
      for (const startLevel of [0, 2 ** 52 - 10, 1e15]) {
        const hand = new Hand({ algorithm: mode, startLevel });
        hand.send(sizeOf("m", 1));
        const turns: string[] = [];
        for (let i = 0; i < 3; i++) for (const id of ["big", "small"]) ask(hand, id);
        for (let round = 0; round < 2000; round++) {
          const [id] = hand.running;
          if (id === undefined) throw new Error("nothing runs");
          hand.finish(id);
          const owner = hand.pool()?.tenants.find((tenant) => tenant.inFlight > 0)?.tenantId ?? "";
          turns.push(owner);
          ask(hand, owner);
        }
        const scores = hand.pool()?.tenants.map((tenant) => tenant.shareScore) ?? [];
        for (const score of scores) expect(Number.isFinite(score)).toBe(true);
        expect(turns.filter((owner) => owner === "big").length).toBeGreaterThan(1990);
      }

      function ask(hand: Hand, id: string): void {
        const weight = id === "big" ? 1_000_000 : 1;
        hand.ask(id, { weight, cost: 1 });
      }
    },
  );
});

describe("nothing stays behind", () => {
  it("E40 a pool goes after ten quiet minutes with its counters, and never with work in it", () => {
    const hand = new Hand({ algorithm: "hierarchical" });
    const first = hand.ask("t");
    hand.nowMs = 3_600_000;
    hand.send({ kind: "wake" });
    expect(hand.pool()?.inFlight).toBe(1);
    hand.finish(first);
    hand.nowMs += 599_999;
    hand.send({ kind: "wake" });
    expect(hand.system.state.pools.size).toBe(1);
    hand.nowMs += 1;
    hand.send({ kind: "wake" });
    expect(hand.system.state.pools.size).toBe(0);
    hand.ask("t");
    expect(hand.pool()?.tenants.map((tenant) => tenant.servedTokens)).toEqual([100]);
  });

  it("E40 a pool whose model is no longer routed goes as soon as its work is done", () => {
    const hand = new Hand({ algorithm: "hierarchical" });
    const id = hand.ask("t");
    const gone = sizeOf("m", 4);
    if (gone.kind !== "pool_changed") throw new Error("a size is a pool change");
    hand.send({ ...gone, routed: false });
    expect(hand.system.state.pools.size).toBe(1);
    hand.finish(id);
    hand.send({ kind: "wake" });
    expect(hand.system.state.pools.size).toBe(0);
  });

  it.each(algorithms)(
    "E43 %s: memory follows the tenants, not their requests, and only debts are remembered",
    (mode) => {
      const hand = new Hand({ algorithm: mode });
      hand.send(sizeOf("m", 2));
      for (let i = 0; i < 20_000; i++) {
        hand.ask(`t${i % 90}`, { group: `g${i % 3}`, cost: 1 + (i % 50) });
        const [oldest] = hand.running;
        if (i % 4 !== 0 && oldest !== undefined) hand.finish(oldest);
      }
      while (hand.running.size > 0) for (const id of hand.running) hand.finish(id);
      const pool = hand.system.state.pools.get("m" as never);
      expect(hand.system.state.waiters.size).toBe(0);
      expect(pool?.tenants.size ?? 0).toBeLessThanOrEqual(90);
      expect(hand.pool()?.tenants).toEqual([]);
    },
  );

  it.each(algorithms)("E43 %s: ten thousand tenants that only waited leave nothing", (mode) => {
    const hand = new Hand({ algorithm: mode });
    hand.send(sizeOf("m", 1));
    hand.ask("holder", { group: "g0" });
    for (let i = 0; i < 10_000; i++) {
      const id = hand.ask(`t${i}`, { group: `g${i % 7}` });
      hand.send({ kind: "cancel", waiterId: waiterId(id) });
    }
    const pool = hand.system.state.pools.get("m" as never);
    expect(pool?.tenants.size).toBe(1);
    expect(pool?.groups.size).toBe(1);
  });

  it("E43 a thousand cancelled waiters leave no waiter and no deadline", () => {
    const hand = new Hand({ algorithm: "weighted" });
    hand.send(sizeOf("m", 1));
    const ids = Array.from({ length: 1000 }, (_, i) => hand.ask(`t${i % 40}`));
    for (const id of ids) hand.send({ kind: "cancel", waiterId: waiterId(id) });
    expect(hand.system.state.waiters.size).toBe(1);
    expect(hand.system.state.queued).toBe(0);
    expect(hand.pool()?.tenants.filter((tenant) => tenant.queued > 0)).toEqual([]);
  });
});
