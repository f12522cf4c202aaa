/** One gateway with the product's own engine between its requests and the shared slots. Drives it as the gateway does. */
import type { Timer } from "@obleth/clock";
import {
  createEngine,
  type Effect,
  type EngineEvent,
  groupId,
  type KeyPolicy,
  type PoolId,
  snapshot,
  step,
  type TenantPolicy,
  type WaiterId,
  waiterId,
} from "@obleth/fairshare";
import type { ModeState } from "../../src/membership/mode";
import type { SlotsHost } from "../../src/slots/cluster-slots";
import { Holdings } from "../../src/slots/slot-fields";
import type { SlotOwner } from "../../src/slots/slot-store";
import type { ReplicaOptions, SimRequest } from "./replica";

const POOLS = ["chat", "embed"];

export class EngineReplica {
  readonly #options: ReplicaOptions;
  readonly #engine;
  readonly #requests = new Map<
    WaiterId,
    { readonly request: SimRequest; readonly onStart: (() => void) | undefined }
  >();
  readonly #runningOwners = new Map<WaiterId, SlotOwner>();
  readonly #pending: EngineEvent[] = [];
  readonly modes: { readonly atMs: number; readonly state: ModeState }[] = [];
  #state: ModeState = { mode: "local", replicas: 1, divisor: 1 };
  #latestId = 0;
  #isBusy = false;
  #isDead = false;
  #wake: Timer | undefined;
  isDecided = false;

  readonly host: SlotsHost = {
    holdings: () => this.#holdings(),
    onMode: (state) => {
      if (this.#isDead) return;
      this.#state = state;
      this.modes.push({ atMs: this.#options.clock.monotonicMs(), state });
      this.#setLimits();
    },
    retry: (pool) => {
      if (!this.#isDead) this.#feed({ kind: "retry", pool });
    },
  };

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#engine = createEngine({ warmMs: 60_000, maxJumps: options.maxJumps ?? 8 });
    this.#setPools();
    this.#setLimits();
  }

  get name(): string {
    return this.#options.name;
  }

  get mode(): string {
    return this.#state.mode;
  }

  get running(): number {
    return this.#runningOwners.size;
  }

  get queued(): number {
    return this.#requests.size - this.#runningOwners.size;
  }

  /** It is known how limits hold. The engine has been told already. */
  decided(): void {
    this.isDecided = true;
  }

  arrive(request: SimRequest, onStart?: () => void): { leave(): void } {
    this.#latestId += 1;
    const id = waiterId(this.#latestId);
    this.#requests.set(id, { request, onStart });
    const { pool } = request.owner;
    const { tenant, key } = this.#policies(request.owner);
    const { session } = request;
    this.#feed({ kind: "arrive", waiterId: id, pool, tenant, key, costTokens: 100, session, timeoutMs: null });
    return {
      leave: () => {
        if (this.#runningOwners.has(id)) return;
        this.#requests.delete(id);
        this.#feed({ kind: "cancel", waiterId: id });
      },
    };
  }

  crash(): void {
    this.#isDead = true;
    this.#wake?.cancel();
    for (const owner of this.#runningOwners.values()) this.#options.backend.finish(owner);
    this.#runningOwners.clear();
    this.#requests.clear();
  }

  /** Takes nothing more; `done` runs once nothing runs any more. */
  drain(done: () => void): void {
    for (const id of [...this.#requests.keys()]) {
      if (this.#runningOwners.has(id)) continue;
      this.#requests.delete(id);
      this.#feed({ kind: "cancel", waiterId: id });
    }
    const tryLater = () => {
      if (this.#runningOwners.size > 0) this.#options.clock.setTimer(10, tryLater);
      else done();
    };
    tryLater();
  }

  #feed(event: EngineEvent): void {
    this.#pending.push(event);
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) {
      const effects = step(this.#engine, next, this.#options.clock.monotonicMs());
      for (const effect of effects) this.#perform(effect);
    }
    this.#isBusy = false;
  }

  #perform(effect: Effect): void {
    const { slots, clock } = this.#options;
    switch (effect.kind) {
      case "grant":
        this.#start(effect.waiterId);
        break;
      case "claim": {
        // The record is the engine's again after this step.
        const { waiterId: id } = effect;
        slots.claim(effect, (outcome, sinceLastFinishMs) => {
          if (!this.#isDead) this.#feed({ kind: "claim_settled", waiterId: id, outcome, sinceLastFinishMs });
        });
        break;
      }
      case "release":
        slots.release(effect);
        break;
      case "hold":
        slots.hold(effect);
        break;
      case "drop_holds":
        slots.dropHolds(effect.pool);
        break;
      case "wake_at":
        this.#wake?.cancel();
        this.#wake = clock.setTimer(Math.max(0, effect.atMs - clock.monotonicMs()), () => this.#feed({ kind: "wake" }));
        break;
      case "refuse":
        throw new Error(`nothing is refused here: ${effect.reason}`);
    }
  }

  #start(id: WaiterId): void {
    const entry = this.#requests.get(id);
    if (entry === undefined) {
      this.#pending.push({ kind: "finish", waiterId: id, actualTokens: null });
      return;
    }
    const { request, onStart } = entry;
    this.#runningOwners.set(id, request.owner);
    this.#options.backend.start(request.owner);
    onStart?.();
    this.#options.clock.setTimer(request.serviceMs, () => {
      if (!this.#runningOwners.delete(id)) return;
      this.#requests.delete(id);
      this.#options.backend.finish(request.owner);
      this.#feed({ kind: "finish", waiterId: id, actualTokens: null });
    });
  }

  #setPools(): void {
    const { poolSize } = this.#options.limits;
    const { holdMs = 0, maxHeld = 0, maxBypassMs = 30_000 } = this.#options;
    const maxHeldPercent = Math.floor((100 * maxHeld) / poolSize);
    for (const pool of POOLS) {
      this.#feed({
        kind: "pool_changed",
        pool: pool as PoolId,
        size: poolSize,
        admissionWeight: 100,
        affinity: holdMs > 0 ? { holdMs, maxHeldPercent, maxBypassMs } : null,
        routed: true,
        hasServers: true,
        queueWithoutServers: false,
      });
    }
  }

  #setLimits(): void {
    const { mode, divisor } = this.#state;
    const { ceiling } = this.#options.limits;
    this.#feed({
      kind: "limits_changed",
      ceiling,
      slots: mode === "shared" ? "shared" : "local",
      divisor,
    });
  }

  #policies(owner: SlotOwner): { tenant: TenantPolicy; key: KeyPolicy } {
    const { tenantCap, keyCap } = this.#options.limits;
    const group = { id: groupId("group"), weight: 100 };
    return {
      tenant: { id: owner.tenantId, group, weight: 100, boostFactor: 1, maxInFlight: tenantCap },
      key: { id: owner.keyId, weight: 100, maxInFlight: keyCap },
    };
  }

  #holdings(): Holdings {
    const holdings = new Holdings();
    for (const { pool, keys } of snapshot(this.#engine, this.#options.clock.monotonicMs()).pools) {
      for (const { tenantId, keyId, inFlight, held } of keys) holdings.add({ pool, tenantId, keyId }, inFlight + held);
    }
    return holdings;
  }
}
