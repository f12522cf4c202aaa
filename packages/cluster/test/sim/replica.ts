/**
 * One gateway as far as slots are concerned: a first-come first-served scheduler, small enough to be obviously right. It
 * decides locally under the split, or claims one slot per pick when slots are shared.
 */
import type { Clock } from "@obleth/clock";
import type { ClaimOutcome } from "@obleth/fairshare";
import { type PoolId, type SessionId, splitLimit } from "@obleth/fairshare";
import type { ModeState } from "../../src/membership/mode";
import type { ClusterSlots, SlotsHost } from "../../src/slots/cluster-slots";
import { Holdings, limitFields } from "../../src/slots/slot-fields";
import type { SlotOwner } from "../../src/slots/slot-store";
import type { Backend } from "./backend";

export interface Limits {
  readonly poolSize: number;
  readonly ceiling: number;
  readonly tenantCap: number | null;
  readonly keyCap: number | null;
}

export interface SimRequest {
  readonly owner: SlotOwner;
  readonly serviceMs: number;
  readonly session: SessionId | null;
}

interface Waiter {
  readonly request: SimRequest;
  readonly arrivedMs: number;
  state: "queued" | "claiming" | "running" | "done";
  hasLeft: boolean;
  onStart?: () => void;
  sinceLastFinishMs: number | null;
}

export interface ReplicaOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly slots: ClusterSlots;
  readonly backend: Backend;
  readonly limits: Limits;
  readonly holdMs?: number;
  readonly maxHeld?: number;
  readonly maxJumps?: number;
  /** Wait after which nothing passes a request, ms; the engine's replicas only. */
  readonly maxBypassMs?: number;
}

/** Claims open at once in one pool. */
const OPEN_CLAIMS = 4;

export class Replica {
  readonly #options: ReplicaOptions;
  readonly modes: { readonly atMs: number; readonly state: ModeState }[] = [];
  #line: Waiter[] = [];
  readonly #running = new Set<Waiter>();
  readonly #blocked = new Set<PoolId | null>();
  #state: ModeState = { mode: "local", replicas: 1, divisor: 1 };
  isDecided = false;
  #isDead = false;
  redeemed = 0;
  unavailable = 0;

  /** What the slots are told to ask and to tell. */
  readonly host: SlotsHost = {
    holdings: () => this.#holdings(),
    onMode: (state) => this.#onMode(state),
    retry: (pool) => {
      if (pool === null) this.#blocked.clear();
      else this.#blocked.delete(pool);
      this.#pump();
    },
  };

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  /** It is known how limits hold: requests may be admitted. */
  decided(): void {
    this.isDecided = true;
    this.#pump();
  }

  get mode(): string {
    return this.#state.mode;
  }

  get name(): string {
    return this.#options.name;
  }

  get running(): number {
    return this.#running.size;
  }

  get queued(): number {
    return this.#line.filter((waiter) => waiter.state !== "done").length;
  }

  /** A request arrives. `leave` on what is returned: its client goes away while it waits. */
  arrive(request: SimRequest, onStart?: () => void): { leave(): void } {
    const waiter: Waiter = {
      request,
      arrivedMs: this.#options.clock.monotonicMs(),
      state: "queued",
      hasLeft: false,
      sinceLastFinishMs: null,
    };
    if (onStart !== undefined) waiter.onStart = onStart;
    this.#line.push(waiter);
    this.#pump();
    return {
      leave: () => {
        waiter.hasLeft = true;
        if (waiter.state === "queued") this.#line = this.#line.filter((other) => other !== waiter);
      },
    };
  }

  /** `kill -9`: nothing more is decided, what it ran is gone from the backend. */
  crash(): void {
    this.#isDead = true;
    for (const waiter of this.#running) this.#options.backend.finish(waiter.request.owner);
    this.#running.clear();
    this.#line = [];
  }

  /** Takes nothing more; `done` runs once nothing runs any more. */
  drain(done: () => void): void {
    this.#line = [];
    const tryLater = () => {
      if (this.#running.size > 0) this.#options.clock.setTimer(10, tryLater);
      else done();
    };
    tryLater();
  }

  #onMode(state: ModeState): void {
    if (this.#isDead) return;
    this.#state = state;
    this.modes.push({ atMs: this.#options.clock.monotonicMs(), state });
    this.#blocked.clear();
    this.#pump();
  }

  #pump(): void {
    if (this.#isDead || !this.isDecided) return;
    for (const waiter of [...this.#line]) {
      if (waiter.state !== "queued") continue;
      if (this.#state.mode === "shared") this.#claim(waiter);
      else if (this.#hasLocalRoom(waiter.request.owner)) this.#start(waiter);
    }
  }

  #claim(waiter: Waiter): void {
    const { owner, session } = waiter.request;
    const { limits, clock } = this.#options;
    const open = this.#line.filter(({ state, request }) => state === "claiming" && request.owner.pool === owner.pool);
    if (open.length >= OPEN_CLAIMS || this.#blocked.has(owner.pool) || this.#blocked.has(null)) return;
    waiter.state = "claiming";
    const sinceArrivalMs = clock.monotonicMs() - waiter.arrivedMs;
    const waiting = this.#line.filter(({ state, request }) => state === "queued" && request.owner.pool === owner.pool);
    const room = limits.poolSize - this.#running.size - open.length - 1;
    const othersWaiting = Math.max(0, Math.min(waiting.length, room, OPEN_CLAIMS - 1));
    const claim = {
      ...owner,
      ...limits,
      session,
      sinceArrivalMs,
      isForHoldOnly: false,
      isStarving: false,
      othersWaiting,
    };
    this.#options.slots.claim(claim, (outcome, sinceLastFinishMs) => this.#settled(waiter, outcome, sinceLastFinishMs));
  }

  #settled(waiter: Waiter, outcome: ClaimOutcome, sinceLastFinishMs: number | null): void {
    if (this.#isDead) return;
    if (waiter.state !== "claiming") throw new Error("a claim was settled twice");
    waiter.sinceLastFinishMs = sinceLastFinishMs;
    if (outcome === "granted" || outcome === "redeemed") {
      if (outcome === "redeemed") this.redeemed++;
      if (waiter.hasLeft) {
        this.#options.slots.release(waiter.request.owner);
        waiter.state = "done";
        this.#line = this.#line.filter((other) => other !== waiter);
      } else {
        this.#start(waiter);
      }
    } else {
      if (outcome === "unavailable") this.unavailable++;
      waiter.state = waiter.hasLeft ? "done" : "queued";
      if (waiter.hasLeft) this.#line = this.#line.filter((other) => other !== waiter);
      // Tenant and key denials block the pool here as well: this scheduler knows no finer.
      if (outcome !== "unavailable") this.#blocked.add(outcome === "ceiling" ? null : waiter.request.owner.pool);
    }
    this.#pump();
  }

  #start(waiter: Waiter): void {
    const { backend, clock } = this.#options;
    waiter.state = "running";
    this.#line = this.#line.filter((other) => other !== waiter);
    this.#running.add(waiter);
    backend.start(waiter.request.owner);
    waiter.onStart?.();
    clock.setTimer(waiter.request.serviceMs, () => this.#finish(waiter));
  }

  #finish(waiter: Waiter): void {
    if (!this.#running.delete(waiter)) return;
    const { owner, session } = waiter.request;
    const { backend, clock, holdMs = 0, maxHeld = 0, maxJumps = 8 } = this.#options;
    backend.finish(owner);
    if (session === null || this.#state.mode !== "shared") {
      this.#options.slots.release(owner);
    } else {
      const sinceArrivalMs = clock.monotonicMs() - waiter.arrivedMs;
      const { sinceLastFinishMs } = waiter;
      const keepMs = holdMs + 120_000;
      this.#options.slots.hold({
        ...owner,
        session,
        sinceArrivalMs,
        sinceLastFinishMs,
        holdMs,
        keepMs,
        maxHeld,
        maxJumps,
      });
    }
    this.#blocked.delete(owner.pool);
    this.#blocked.delete(null);
    this.#pump();
  }

  #holdings(): Holdings {
    const holdings = new Holdings();
    for (const waiter of this.#running) holdings.add(waiter.request.owner, 1);
    return holdings;
  }

  #hasLocalRoom(owner: SlotOwner): boolean {
    const counts = this.#holdings().counts;
    const { ceiling, poolSize, tenantCap, keyCap } = this.#options.limits;
    const sizes = [ceiling, poolSize, tenantCap ?? Number.POSITIVE_INFINITY, keyCap ?? Number.POSITIVE_INFINITY];
    return limitFields(owner).every((limit, i) => {
      const size = sizes[i] ?? Number.POSITIVE_INFINITY;
      return (counts.get(limit) ?? 0) < (Number.isFinite(size) ? splitLimit(size, this.#state.divisor) : size);
    });
  }
}
