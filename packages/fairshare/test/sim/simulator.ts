/**
 * A seeded discrete-event simulation of a system on virtual time: arrivals, service, clients that leave, timeouts,
 * resizes, changes of weights, caps, groups and policies, echoes of what is over. One number replays a whole history.
 */
import type { EngineEvent } from "../../src/events";
import { poolId, waiterId } from "../../src/ids";
import type { Rng } from "./rng";
import type { System, SystemEffect } from "./systems";
import { randomChange, randomCost, type World, type WorldTenant } from "./workload";

/** Sees every event with what it led to, in order. */
export type Watcher = (event: EngineEvent, nowMs: number, effects: readonly SystemEffect[]) => void;

interface Planned {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

export class Simulator {
  readonly #rng: Rng;
  readonly #world: World;
  readonly #system: System;
  readonly #watch: Watcher;
  readonly #plan: Planned[] = [];
  #order = 0;
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
        configuredSize: size,
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
      const next = this.#takeNext();
      if (next === undefined) return;
      this.#nowMs = next.atMs;
      next.run();
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
    this.#order += 1;
    const entry = { atMs: this.#nowMs + Math.round(delayMs), order: this.#order, run };
    let at = this.#plan.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = this.#plan[parent];
      if (above === undefined || isBefore(above, entry)) break;
      this.#plan[at] = above;
      at = parent;
    }
    this.#plan[at] = entry;
  }

  #takeNext(): Planned | undefined {
    const top = this.#plan[0];
    const last = this.#plan.pop();
    if (last === undefined || this.#plan.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const left = this.#plan[child];
      if (left === undefined) break;
      const right = this.#plan[child + 1];
      if (right !== undefined && isBefore(right, left)) child += 1;
      const least = this.#plan[child];
      if (least === undefined || isBefore(last, least)) break;
      this.#plan[at] = least;
      at = child;
    }
    this.#plan[at] = last;
    return top;
  }
}

function isBefore(a: Planned, b: Planned): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
