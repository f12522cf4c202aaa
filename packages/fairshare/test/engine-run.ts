/** Drives one engine by hand in tests: numbers requests, moves time, and remembers who runs and who was refused. */
import type { Effect } from "../src/effects";
import { createEngine, step } from "../src/engine";
import type { AffinitySettings, EngineEvent, PoolChanged } from "../src/events";
import { groupId, keyId, poolId, sessionId, tenantId, waiterId } from "../src/ids";
import { checkInvariants } from "../src/invariants";
import type { EngineSnapshot, GroupSnapshot, PoolSnapshot, TenantSnapshot } from "../src/snapshot";
import type { EngineConfig, EngineState } from "../src/state";
import { snapshot } from "../src/take-snapshot";

/** A request; everything has a plain default. A tenant's default group carries its own name's first part. */
export interface Ask {
  readonly pool?: string;
  readonly tenant?: string;
  readonly group?: string;
  readonly key?: string;
  readonly weight?: number;
  readonly boost?: number;
  readonly groupWeight?: number;
  readonly keyWeight?: number;
  readonly cap?: number | null;
  readonly keyCap?: number | null;
  readonly cost?: number;
  readonly session?: string | null;
  readonly timeoutMs?: number | null;
  readonly tag?: string;
}

export type PoolAsk = Partial<Omit<PoolChanged, "kind" | "pool" | "affinity">> & {
  readonly affinity?: AffinitySettings | null;
};

export class EngineRun {
  readonly state: EngineState;
  nowMs = 0;
  /** Ids of granted requests in the order of their grants. */
  readonly granted: number[] = [];
  readonly running = new Set<number>();
  readonly refused = new Map<number, string>();
  /** What each request asked for. */
  readonly asks = new Map<number, Ask>();
  effects: Effect[] = [];
  #latestId = 0;

  constructor(config: Partial<EngineConfig> = {}) {
    this.state = createEngine(config);
  }

  /** Applies an event and checks every invariant afterwards. */
  send(event: EngineEvent): Effect[] {
    this.effects = step(this.state, event, this.nowMs).map((effect) => ({ ...effect }));
    for (const effect of this.effects) {
      if (effect.kind === "grant") {
        this.granted.push(effect.waiterId);
        this.running.add(effect.waiterId);
      } else if (effect.kind === "refuse") {
        this.refused.set(effect.waiterId, effect.reason);
      }
    }
    checkInvariants(this.state);
    return this.effects;
  }

  /** Sends a request; returns its number. */
  ask(ask: Ask = {}): number {
    this.#latestId += 1;
    const id = this.#latestId;
    this.asks.set(id, ask);
    const tenant = ask.tenant ?? "t";
    this.send({
      kind: "arrive",
      waiterId: waiterId(id),
      pool: poolId(ask.pool ?? "m"),
      tenant: {
        id: tenantId(tenant),
        group: { id: groupId(ask.group ?? tenant), weight: ask.groupWeight ?? 100 },
        weight: ask.weight ?? 100,
        boostFactor: ask.boost ?? 1,
        maxInFlight: ask.cap ?? null,
      },
      key: { id: keyId(ask.key ?? `${tenant}-key`), weight: ask.keyWeight ?? 100, maxInFlight: ask.keyCap ?? null },
      costTokens: ask.cost ?? 100,
      session: ask.session === undefined || ask.session === null ? null : sessionId(ask.session),
      timeoutMs: ask.timeoutMs ?? null,
      tag: ask.tag,
    });
    return id;
  }

  /** Sends the same request several times. */
  askTimes(times: number, ask: Ask = {}): number[] {
    return Array.from({ length: times }, () => this.ask(ask));
  }

  finish(id: number, actualTokens: number | null = null): Effect[] {
    this.running.delete(id);
    return this.send({ kind: "finish", waiterId: waiterId(id), actualTokens });
  }

  cancel(id: number): Effect[] {
    return this.send({ kind: "cancel", waiterId: waiterId(id) });
  }

  /** Moves time and wakes the engine, as its timer would. */
  wait(ms: number): Effect[] {
    this.nowMs += ms;
    return this.send({ kind: "wake" });
  }

  pool(id: string, ask: PoolAsk = {}): Effect[] {
    const size = ask.size ?? 4;
    return this.send({
      kind: "pool_changed",
      pool: poolId(id),
      size,
      admissionWeight: 100,
      routed: true,
      hasServers: true,
      queueWithoutServers: false,
      ...ask,
      affinity: ask.affinity ?? null,
    });
  }

  /** The first running request that matches; fails when there is none. */
  runningOf(ask: Ask): number {
    for (const id of this.running) {
      const asked = this.asks.get(id) ?? {};
      if (Object.entries(ask).every(([field, value]) => asked[field as keyof Ask] === value)) return id;
    }
    throw new Error(`nothing of ${JSON.stringify(ask)} runs`);
  }

  /** How the latest answer to a request reads. */
  outcomeOf(id: number): string {
    for (const effect of this.effects) {
      if (effect.kind === "grant" && effect.waiterId === id) return effect.outcome;
      if (effect.kind === "refuse" && effect.waiterId === id) return effect.reason;
    }
    return this.running.has(id) ? "running" : "waiting";
  }

  snapshot(): EngineSnapshot {
    return snapshot(this.state, this.nowMs);
  }

  poolPicture(id = "m"): PoolSnapshot {
    const pool = this.snapshot().pools.find((each) => each.pool === id);
    if (pool === undefined) throw new Error(`no pool ${id}`);
    return pool;
  }

  tenantPicture(tenant: string, pool = "m"): TenantSnapshot {
    const found = this.poolPicture(pool).tenants.find((each) => each.tenantId === tenant);
    if (found === undefined) throw new Error(`no tenant ${tenant}`);
    return found;
  }

  groupPicture(group: string, pool = "m"): GroupSnapshot {
    const found = this.poolPicture(pool).groups.find((each) => each.name === group);
    if (found === undefined) throw new Error(`no group ${group}`);
    return found;
  }

  /** Whom the latest `count` grants went to. */
  latestTenants(count: number): string[] {
    return this.granted.slice(-count).map((id) => this.asks.get(id)?.tenant ?? "t");
  }
}
