/** The plain ways to choose who goes next, to put beside the engine. One pool; the same door, the same slots. */
import type { EngineEvent } from "../../src/events";
import type { Stepper } from "../sim/open-loop";
import type { SystemEffect } from "../sim/systems";

interface Waiting {
  readonly waiterId: number;
  readonly tenant: string;
  readonly weight: number;
  readonly costTokens: number;
  readonly arrivedMs: number;
}

/** Picks one of those that wait; they are in the order of their arrival. */
export type Pick = (waiting: readonly Waiting[], served: ReadonlyMap<string, number>) => Waiting | undefined;

export class PlainScheduler implements Stepper {
  readonly #pick: Pick;
  readonly #waiting: Waiting[] = [];
  readonly #served = new Map<string, number>();
  #size = 1;
  #running = 0;

  constructor(pick: Pick) {
    this.#pick = pick;
  }

  step(event: EngineEvent, nowMs: number): readonly SystemEffect[] {
    if (event.kind === "pool_changed") this.#size = event.size;
    if (event.kind === "finish") this.#running -= 1;
    if (event.kind === "arrive") {
      const { waiterId, tenant, costTokens } = event;
      this.#waiting.push({ waiterId, tenant: tenant.id, weight: tenant.weight, costTokens, arrivedMs: nowMs });
    }
    const effects: SystemEffect[] = [];
    while (this.#running < this.#size) {
      const next = this.#pick(this.#waiting, this.#served);
      if (next === undefined) break;
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#running += 1;
      this.#served.set(next.tenant, (this.#served.get(next.tenant) ?? 0) + next.costTokens / next.weight);
      const waitMs = nowMs - next.arrivedMs;
      const outcome = event.kind === "arrive" && event.waiterId === next.waiterId ? "fast" : "queued";
      effects.push({ kind: "grant", waiterId: next.waiterId, outcome, waitMs });
    }
    return effects;
  }
}

/** First come, first served. */
export function fifo(): Stepper {
  return new PlainScheduler((waiting) => waiting[0]);
}

/** Tenants in turn, one request each, whatever it costs. */
export function roundRobin(): Stepper {
  let turn = 0;
  const latest = new Map<string, number>();
  return new PlainScheduler((waiting) => {
    let next: Waiting | undefined;
    for (const each of waiting) {
      if (next === undefined || (latest.get(each.tenant) ?? 0) < (latest.get(next.tenant) ?? 0)) next = each;
    }
    turn += 1;
    if (next !== undefined) latest.set(next.tenant, turn);
    return next;
  });
}

/** Whoever was served least for its weight since the beginning; who was away gets all of it back. */
export function leastServed(): Stepper {
  return new PlainScheduler((waiting, served) => {
    let next: Waiting | undefined;
    for (const each of waiting) {
      if (next === undefined || (served.get(each.tenant) ?? 0) < (served.get(next.tenant) ?? 0)) next = each;
    }
    return next;
  });
}
