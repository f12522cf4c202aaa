/**
 * Several engines over one table of shared slots, on virtual time: claims that travel and come back late, refusals,
 * answers that say nothing, announcements that get lost, clients that leave while a claim is on its way. One seed.
 */
import type { Effect } from "../../src/effects";
import type { EngineEvent } from "../../src/events";
import { poolId, waiterId } from "../../src/ids";
import { createEngine, step } from "../../src/index";
import { checkInvariants } from "../../src/invariants";
import type { KeyPolicy, TenantPolicy } from "../../src/policy";
import type { EngineState } from "../../src/state";
import { Agenda } from "./agenda";
import { plainKey, plainTenant } from "./open-loop";
import type { Rng } from "./rng";

const POOL = poolId("pool");
type Claim = Extract<Effect, { kind: "claim" }>;

interface Holding {
  readonly engine: number;
  readonly tenant: string;
  readonly key: string;
}

export interface FleetResult {
  /** What went wrong; empty when nothing did. */
  readonly faults: readonly string[];
  readonly admitted: number;
  readonly refusedClaims: number;
  readonly lateDepartures: number;
  readonly leftWaiting: number;
  readonly leftSlots: number;
}

export function runFleet(rng: Rng, eventCount: number): FleetResult {
  const fleet = new Fleet(rng);
  fleet.run(eventCount);
  return fleet.result();
}

class Fleet {
  readonly #rng: Rng;
  readonly #agenda = new Agenda<() => void>();
  readonly #engines: EngineState[];
  readonly #size: number;
  readonly #ceiling: number;
  readonly #people: readonly { tenant: TenantPolicy; key: KeyPolicy }[];
  /** The shared books: who has which slot. */
  readonly #table = new Map<string, Holding>();
  /** Requests with a slot at a gateway, and those that wait there. */
  readonly #running = new Map<string, { engine: number; id: number }>();
  readonly #waiting = new Map<string, { engine: number; id: number }>();
  readonly #faults: string[] = [];
  readonly #lossChance: number;
  #nowMs = 0;
  #latestId = 0;
  #admitted = 0;
  #refusedClaims = 0;
  #lateDepartures = 0;
  #isDraining = false;

  constructor(rng: Rng) {
    this.#rng = rng;
    this.#size = rng.int(1, 6);
    this.#ceiling = rng.chance(0.3) ? rng.int(1, this.#size) : 4096;
    this.#lossChance = rng.pick([0, 0.05]);
    this.#people = Array.from({ length: rng.int(2, 5) }, (_, i) => ({
      tenant: {
        ...plainTenant(`t${i}`, { group: `g${i % 2}`, weight: rng.pick([1, 3, 100]) }),
        maxInFlight: rng.chance(0.3) ? rng.int(1, 2) : null,
      },
      key: { ...plainKey(`k${i}`), maxInFlight: rng.chance(0.2) ? 1 : null },
    }));
    const algorithm = rng.pick(["hierarchical", "weighted"] as const);
    this.#engines = Array.from({ length: rng.int(2, 3) }, () =>
      createEngine({ algorithm, maxOpenClaims: rng.int(1, 4) }),
    );
  }

  run(eventCount: number): void {
    this.#engines.forEach((_, engine) => {
      this.#send(engine, {
        kind: "limits_changed",
        ceiling: this.#ceiling,
        slots: "shared",
        divisor: 1,
      });
      this.#send(engine, {
        kind: "pool_changed",
        pool: POOL,
        size: this.#size,
        admissionWeight: 100,
        affinity: null,
        routed: true,
        hasServers: true,
        queueWithoutServers: false,
      });
      this.#after(0, () => this.#arrive(engine));
      this.#after(200, () => this.#remind(engine));
    });
    for (let i = 0; i < eventCount && this.#faults.length === 0; i++) this.#next();
    this.#isDraining = true;
    for (let i = 0; i < 100_000 && this.#agenda.size > 0 && this.#hasWork() && this.#faults.length === 0; i++)
      this.#next();
  }

  result(): FleetResult {
    return {
      faults: this.#faults,
      admitted: this.#admitted,
      refusedClaims: this.#refusedClaims,
      lateDepartures: this.#lateDepartures,
      leftWaiting: this.#waiting.size,
      leftSlots: this.#table.size,
    };
  }

  #hasWork(): boolean {
    return this.#waiting.size > 0 || this.#running.size > 0 || this.#table.size > 0;
  }

  #next(): void {
    const next = this.#agenda.take();
    if (next === undefined) return;
    this.#nowMs = next.atMs;
    next.item();
    if (this.#table.size > Math.min(this.#size, this.#ceiling))
      this.#faults.push("more slots are booked than there are");
    if (this.#running.size > this.#table.size) this.#faults.push("more requests run than slots are booked");
  }

  #arrive(engine: number): void {
    if (this.#isDraining) return;
    this.#latestId += 1;
    const id = this.#latestId;
    const person = this.#rng.pick(this.#people);
    this.#waiting.set(nameOf(engine, id), { engine, id });
    this.#send(engine, {
      kind: "arrive",
      waiterId: waiterId(id),
      pool: POOL,
      tenant: person.tenant,
      key: person.key,
      costTokens: this.#rng.pick([1, 10, 100]),
      session: null,
      timeoutMs: null,
    });
    if (this.#rng.chance(0.15)) this.#after(this.#rng.int(0, 30), () => this.#leave(engine, id));
    this.#after(this.#rng.exponential(12), () => this.#arrive(engine));
  }

  #leave(engine: number, id: number): void {
    if (!this.#waiting.delete(nameOf(engine, id))) return;
    this.#send(engine, { kind: "cancel", waiterId: waiterId(id) });
  }

  /** The retry behind announcements, which may be lost. */
  #remind(engine: number): void {
    this.#send(engine, { kind: "retry", pool: null });
    this.#after(this.#rng.int(100, 250), () => this.#remind(engine));
  }

  #send(engine: number, event: EngineEvent): void {
    const state = this.#engines[engine];
    if (state === undefined) return;
    const effects = step(state, event, this.#nowMs).map((effect) => ({ ...effect }));
    checkInvariants(state);
    for (const effect of effects) this.#perform(engine, effect);
  }

  #perform(engine: number, effect: Effect): void {
    switch (effect.kind) {
      case "claim":
        this.#after(this.#rng.int(0, 8), () => this.#decide(engine, effect));
        break;
      case "release":
        this.#after(this.#rng.int(0, 8), () => this.#release(engine, effect.waiterId));
        break;
      case "grant": {
        const name = nameOf(engine, effect.waiterId);
        if (!this.#waiting.delete(name)) this.#faults.push(`${name} was granted and does not wait`);
        if (!this.#table.has(name)) this.#faults.push(`${name} was granted without a slot`);
        this.#running.set(name, { engine, id: effect.waiterId });
        this.#admitted += 1;
        this.#after(this.#rng.exponential(15), () => this.#finish(engine, effect.waiterId));
        break;
      }
      default:
        break;
    }
  }

  #finish(engine: number, id: number): void {
    this.#running.delete(nameOf(engine, id));
    this.#send(engine, { kind: "finish", waiterId: waiterId(id), actualTokens: null });
  }

  /** The books decide at one moment; the answer travels. An answer that is lost is `unavailable`, and nothing is booked. */
  #decide(engine: number, claim: Claim): void {
    const name = nameOf(engine, claim.waiterId);
    const held = [...this.#table.values()];
    const isLost = this.#rng.chance(this.#lossChance);
    const outcome = isLost
      ? "unavailable"
      : held.length >= this.#ceiling
        ? "ceiling"
        : held.length >= claim.poolSize
          ? "pool"
          : held.filter((each) => each.tenant === claim.tenantId).length >=
              (claim.tenantCap ?? Number.POSITIVE_INFINITY)
            ? "tenant"
            : held.filter((each) => each.key === claim.keyId).length >= (claim.keyCap ?? Number.POSITIVE_INFINITY)
              ? "key"
              : "granted";
    if (outcome === "granted") this.#table.set(name, { engine, tenant: claim.tenantId, key: claim.keyId });
    else this.#refusedClaims += 1;
    this.#after(this.#rng.int(0, 8), () => {
      if (outcome === "granted" && !this.#waiting.has(name)) this.#lateDepartures += 1;
      this.#send(engine, { kind: "claim_settled", waiterId: claim.waiterId, outcome, sinceLastFinishMs: null });
      if (this.#rng.chance(0.02)) {
        this.#send(engine, {
          kind: "claim_settled",
          waiterId: claim.waiterId,
          outcome: "granted",
          sinceLastFinishMs: null,
        });
      }
    });
  }

  #release(engine: number, id: number): void {
    if (!this.#table.delete(nameOf(engine, id))) this.#faults.push(`${nameOf(engine, id)} gave back a slot it had not`);
    this.#engines.forEach((_, other) => {
      const isAnnounced = other !== engine && !this.#rng.chance(this.#lossChance);
      if (isAnnounced) this.#after(this.#rng.int(1, 5), () => this.#send(other, { kind: "retry", pool: POOL }));
    });
  }

  #after(delayMs: number, run: () => void): void {
    this.#agenda.add(this.#nowMs + Math.round(delayMs), run);
  }
}

function nameOf(engine: number, id: number): string {
  return `${engine}:${id}`;
}
