/**
 * A seeded discrete-event simulation of a system on virtual time: arrivals, service, clients that leave, timeouts,
 * resizes, changes of weights, caps, groups and policies, echoes of what is over. One number replays a whole history.
 */
import type { EngineEvent } from "../../src/events";
import { poolId, waiterId } from "../../src/ids";
import { Agenda } from "./agenda";
import type { Rng } from "./rng";
import type { System, SystemEffect } from "./systems";
import { randomChange, randomCost, type World, type WorldTenant } from "./workload";

/** Sees every event with what it led to, in order. */
export type Watcher = (event: EngineEvent, nowMs: number, effects: readonly SystemEffect[]) => void;

export class Simulator {
  readonly #rng: Rng;
  readonly #world: World;
  readonly #system: System;
  readonly #watch: Watcher;
  readonly #agenda = new Agenda<() => void>();
  #nextId = 1;
  #nowMs = 0;
  #events = 0;
  #isStopped = false;

  constructor(given: { rng: Rng; world: World; system: System; watch: Watcher }) {
    this.#rng = given.rng;
    this.#world = given.world;
    this.#system = given.system;
    this.#watch = given.watch;
  }

  get events(): number {
    return this.#events;
  }

  /** Ends the run after the present event; for a watcher that has seen enough. */
  stop(): void {
    this.#isStopped = true;
  }

  run(eventCount: number): void {
    for (const { id, size } of this.#world.pools) {
      this.#send({
        kind: "pool_changed",
        pool: poolId(id),
        size,
        admissionWeight: 100,
        affinity: null,
        routed: true,
        hasServers: true,
        queueWithoutServers: false,
      });
    }
    for (const tenant of this.#world.tenants) if (tenant.pools.length > 0) this.#planArrival(tenant, 0);
    if (this.#world.changeGapMs !== null) this.#planChange(this.#world.changeGapMs);
    while (this.#events < eventCount && !this.#isStopped) {
      const next = this.#agenda.take();
      if (next === undefined) return;
      this.#nowMs = next.atMs;
      next.item();
    }
  }

  #planArrival(tenant: WorldTenant, afterMs: number): void {
    this.#after(afterMs, () => {
      for (let i = this.#rng.int(1, tenant.burst); i > 0 && !this.#isStopped; i--) this.#arrive(tenant);
      const isSpellOver = tenant.spellMs > 0 && this.#rng.chance(tenant.meanGapMs / tenant.spellMs);
      const pauseMs = isSpellOver ? this.#rng.exponential(tenant.spellMs) : 0;
      // Rarely a pause long enough for a pool to be dropped.
      const longPauseMs = isSpellOver && this.#rng.chance(0.01) ? 700_000 : 0;
      this.#planArrival(tenant, this.#rng.exponential(tenant.meanGapMs * tenant.burst) + pauseMs + longPauseMs);
    });
  }

  #arrive(tenant: WorldTenant): void {
    const id = this.#nextId;
    this.#nextId += 1;
    this.#send({
      kind: "arrive",
      waiterId: waiterId(id),
      pool: poolId(this.#rng.pick(tenant.pools)),
      tenant: tenant.policy,
      key: this.#rng.pick(tenant.keys),
      costTokens: randomCost(this.#rng, tenant),
      session: null,
      timeoutMs: this.#world.timeoutMs,
    });
    if (this.#rng.chance(this.#world.cancelChance)) {
      this.#after(this.#rng.exponential(this.#world.meanRunMs), () => this.#cancel(id));
    }
  }

  #planChange(meanGapMs: number): void {
    this.#after(this.#rng.exponential(meanGapMs), () => {
      this.#send(randomChange(this.#rng, this.#world));
      this.#planChange(meanGapMs);
    });
  }

  #finish(id: number): void {
    this.#send({ kind: "finish", waiterId: waiterId(id), actualTokens: null });
    if (!this.#rng.chance(this.#world.echoChance)) return;
    if (this.#rng.chance(0.5)) this.#send({ kind: "finish", waiterId: waiterId(id), actualTokens: 7 });
    else this.#cancel(id);
  }

  #cancel(id: number): void {
    this.#send({ kind: "cancel", waiterId: waiterId(id) });
  }

  #send(event: EngineEvent): void {
    if (this.#isStopped) return;
    this.#events += 1;
    const effects = this.#system.step(event, this.#nowMs);
    this.#watch(event, this.#nowMs, effects);
    for (const effect of effects) {
      if (effect.kind !== "grant") continue;
      const { waiterId: id } = effect;
      this.#after(this.#rng.exponential(this.#world.meanRunMs), () => this.#finish(id));
      if (this.#rng.chance(this.#world.echoChance)) this.#after(0, () => this.#cancel(id));
    }
    if (this.#world.timeoutMs !== null && event.kind === "arrive") {
      this.#after(this.#world.timeoutMs, () => this.#send({ kind: "wake" }));
    }
  }

  #after(delayMs: number, run: () => void): void {
    this.#agenda.add(this.#nowMs + Math.round(delayMs), run);
  }
}
