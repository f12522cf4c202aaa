/** Several replicas, one store, one backend, one virtual clock, one seed. */
import { type Clock, VirtualClock } from "@obleth/clock";
import { keyId, poolId, tenantId } from "@obleth/fairshare";
import { SharedSlots, type SharedSlotsSettings } from "../../src/slots/shared-slots";
import type { SlotOwner } from "../../src/slots/slot-store";
import { Backend } from "./backend";
import { EngineReplica } from "./engine-replica";
import { type Limits, Replica, type ReplicaOptions, type SimRequest } from "./replica";
import { type Link, StoreServer } from "./store-server";

export const SETTINGS: SharedSlotsSettings = {
  sharedSlots: true,
  replicaAware: true,
  heartbeatMs: 1000,
  ttlMs: 3000,
  responseTimeoutMs: 250,
};

export interface FleetOptions {
  readonly seed?: number;
  readonly limits?: Partial<Limits>;
  readonly settings?: Partial<SharedSlotsSettings>;
  /** One way, ms. */
  readonly latencyMs?: (rng: () => number) => number;
  /** How far the wall clock of each replica is off, ms: ahead and behind in turn. */
  readonly skewMs?: number;
  /** The product's engine schedules instead of the small first-come first-served one. */
  readonly withEngine?: boolean;
  readonly affinity?: Pick<ReplicaOptions, "holdMs" | "maxHeld" | "maxJumps" | "maxBypassMs">;
}

interface Repair {
  readonly reclaimedSlots: number;
  readonly ownDrift: number;
  readonly totalDrift: number;
}

/** A replica with its real `SharedSlots` on a link to the stand-in store. */
export interface SimReplica
  extends Pick<Replica, "name" | "mode" | "modes" | "running" | "queued" | "isDecided" | "arrive"> {
  readonly slots: SharedSlots;
  readonly link: Link;
  readonly repairs: readonly Repair[];
  /** Killed, or on its way out: takes no more requests. */
  readonly isGone: boolean;
  /** Requests that died with it. */
  readonly lost: number;
  /** Claims that were answered `unavailable`; counted by the small scheduler only. */
  readonly unavailable: number;
  /** `kill -9`: nothing more is decided or sent, what it ran is gone from the backend. */
  crash(): void;
  /** Waits until nothing runs, then leaves. */
  shutDown(): void;
}

export class Fleet {
  readonly clock = new VirtualClock();
  readonly backend = new Backend();
  readonly server = new StoreServer(this.clock);
  readonly replicas: SimReplica[] = [];
  readonly links: Link[] = [];
  readonly rng: () => number;
  readonly limits: Limits;
  readonly #options: FleetOptions;
  /** How often each slot call ended how, such as `claim granted`, over all replicas. */
  readonly calls = new Map<string, number>();
  /** Some replica's heartbeat found something to repair. */
  onRepair: (repair: Repair) => void = () => undefined;
  #started = 0;

  constructor(options: FleetOptions = {}) {
    this.#options = options;
    this.rng = seeded(options.seed ?? 1);
    this.limits = { poolSize: 20, ceiling: 4096, tenantCap: null, keyCap: null, ...options.limits };
  }

  /** Starts one replica; time does not pass. */
  add(): SimReplica {
    const latencyMs = this.#options.latencyMs ?? (() => 0.5);
    const link = this.server.link(() => latencyMs(this.rng));
    const name = `replica-${++this.#started}`;
    const repairs: Repair[] = [];
    const ownClock = skewed(this.clock, (this.#options.skewMs ?? 0) * (this.#started % 2 === 0 ? 1 : -1));
    const slots = new SharedSlots({
      store: link,
      clock: ownClock,
      rng: this.rng,
      instance: name,
      settings: { ...SETTINGS, ...this.#options.settings },
      defer: (run) => void this.clock.setTimer(0, run),
      reconnect: () => link.reset(),
      listener: {
        onCall: (call, result) => {
          const what = `${call} ${result}`;
          this.calls.set(what, (this.calls.get(what) ?? 0) + 1);
        },
        onRepair: (repair) => {
          repairs.push(repair);
          this.onRepair(repair);
        },
      },
    });
    const { backend, limits } = this;
    const options = { name, clock: ownClock, slots, backend, limits, ...this.#options.affinity };
    const scheduler = this.#options.withEngine === true ? new EngineReplica(options) : new Replica(options);
    const replica = asSimReplica(scheduler, { slots, link, repairs });
    link.subscriber = slots;
    slots.start(scheduler.host, () => scheduler.decided());
    this.links.push(link);
    this.replicas.push(replica);
    return replica;
  }

  /** Starts `count` replicas and lets them find each other. */
  start(count: number): SimReplica[] {
    const started = Array.from({ length: count }, () => this.add());
    this.clock.advance(2500);
    return started;
  }

  get modes(): string[] {
    return this.replicas.map((replica) => replica.mode);
  }

  /** Advances until `holds` is true, at most `limitMs`; answers how long it took, or Infinity. */
  until(holds: () => boolean, limitMs: number): number {
    const startMs = this.clock.monotonicMs();
    while (!holds()) {
      if (this.clock.monotonicMs() - startMs >= limitMs) return Number.POSITIVE_INFINITY;
      this.clock.advance(1);
    }
    return this.clock.monotonicMs() - startMs;
  }
}

/** The same clock on the wall of somebody whose time is off. */
function skewed(clock: VirtualClock, byMs: number): Clock {
  return {
    monotonicMs: () => clock.monotonicMs(),
    wallMs: () => clock.wallMs() + byMs,
    setTimer: (delayMs, fire) => clock.setTimer(delayMs, fire),
  };
}

function asSimReplica(
  scheduler: Replica | EngineReplica,
  parts: { slots: SharedSlots; link: Link; repairs: readonly Repair[] },
): SimReplica {
  const { slots, link, repairs } = parts;
  let isGone = false;
  let lost = 0;
  const goes = () => {
    isGone = true;
    lost = scheduler.queued;
  };
  return {
    slots,
    link,
    repairs,
    name: scheduler.name,
    modes: scheduler.modes,
    get mode() {
      return scheduler.mode;
    },
    get running() {
      return scheduler.running;
    },
    get queued() {
      return scheduler.queued;
    },
    get isDecided() {
      return scheduler.isDecided;
    },
    get isGone() {
      return isGone;
    },
    get lost() {
      return lost;
    },
    get unavailable() {
      return scheduler instanceof Replica ? scheduler.unavailable : 0;
    },
    arrive: (request, onStart) => scheduler.arrive(request, onStart),
    crash() {
      goes();
      scheduler.crash();
      link.cut = "requests";
      link.subscriber = undefined;
    },
    shutDown() {
      goes();
      scheduler.drain(() => slots.leave(() => undefined));
    },
  };
}

export function owner(pool = "chat", tenant = "acme", key = `${tenant}-key`): SlotOwner {
  return { pool: poolId(pool), tenantId: tenantId(tenant), keyId: keyId(key) };
}

export function request(serviceMs: number, who: SlotOwner = owner()): SimRequest {
  return { owner: who, serviceMs, session: null };
}

/** Uniform in [0, 1): mulberry32, the same numbers for the same seed everywhere. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
