/** What a simulation drives: the engine, or the oracle in its place with a fault planted in it. */
import type { EngineConfig, EngineEvent, EngineSnapshot } from "../../src/index";
import { createEngine, snapshot, step } from "../../src/index";
import { checkInvariants } from "../../src/invariants";
import { Oracle } from "../oracle";
import { type OracleConfig, SCORE_UNIT } from "../oracle-state";
import type { OracleWorld } from "../oracle-world";

export type SystemEffect =
  | { readonly kind: "grant"; readonly waiterId: number; readonly outcome: "fast" | "queued"; readonly waitMs: number }
  | { readonly kind: "refuse"; readonly waiterId: number; readonly reason: string; readonly waitMs: number };

/** One account as a system reports it. */
export interface Reading {
  readonly pool: string;
  readonly level: "pool" | "group" | "tenant" | "key";
  /** Id within the pool; a key's is its tenant's and its own. */
  readonly id: string;
  readonly inFlight: number;
  readonly queued: number;
  /** Tokens per weight; for the pool the lowest of a waiting tenant, else the virtual time. */
  readonly score: number;
  /** Whole slots; null for keys. */
  readonly share: number | null;
}

export interface System {
  step(event: EngineEvent, nowMs: number): readonly SystemEffect[];
  read(nowMs: number): Reading[];
}

export class EngineSystem implements System {
  readonly state;

  constructor(config: Partial<EngineConfig>) {
    this.state = createEngine({ ...config, decisionLimit: 64 });
  }

  step(event: EngineEvent, nowMs: number): readonly SystemEffect[] {
    const effects: SystemEffect[] = [];
    for (const effect of step(this.state, event, nowMs)) {
      if (effect.kind === "grant" || effect.kind === "refuse") effects.push({ ...effect });
    }
    return effects;
  }

  snapshot(nowMs: number): EngineSnapshot {
    return snapshot(this.state, nowMs);
  }

  /** Also recounts everything from scratch. */
  read(nowMs: number): Reading[] {
    checkInvariants(this.state);
    return this.snapshot(nowMs).pools.flatMap((pool): Reading[] => [
      {
        pool: pool.pool,
        level: "pool",
        id: "",
        inFlight: pool.inFlight,
        queued: pool.queued,
        score: pool.virtualTime,
        share: pool.usable,
      },
      ...pool.groups.map(
        (group): Reading => ({
          pool: pool.pool,
          level: "group",
          id: group.name,
          inFlight: group.inFlight,
          queued: group.queued,
          score: group.shareScore,
          share: group.slotCap,
        }),
      ),
      ...pool.tenants.map(
        (tenant): Reading => ({
          pool: pool.pool,
          level: "tenant",
          id: tenant.tenantId,
          inFlight: tenant.inFlight,
          queued: tenant.queued,
          score: tenant.shareScore,
          share: tenant.slotShare,
        }),
      ),
      ...pool.keys.map(
        (key): Reading => ({
          pool: pool.pool,
          level: "key",
          id: `${key.tenantId}/${key.keyId}`,
          inFlight: key.inFlight,
          queued: key.queued,
          score: key.shareScore,
          share: null,
        }),
      ),
    ]);
  }
}

export class OracleSystem implements System {
  readonly oracle: Oracle;

  constructor(config: OracleConfig) {
    this.oracle = new Oracle(config);
  }

  step(event: EngineEvent, nowMs: number): readonly SystemEffect[] {
    return this.oracle.apply(event, nowMs);
  }

  read(): Reading[] {
    return readOracle(this.oracle.world);
  }
}

/** What an oracle holds to be true now; quiet accounts are left out. */
export function readOracle(oracle: OracleWorld): Reading[] {
  const readings: Reading[] = [];
  for (const pool of oracle.pools.values()) {
    const shares = oracle.shares(pool);
    const at = { pool: pool.id };
    const add = (reading: Omit<Reading, "pool">) => {
      if (reading.level === "pool" || reading.inFlight + reading.queued > 0) readings.push({ ...at, ...reading });
    };
    const score = oracle.levelOf(pool) / SCORE_UNIT;
    const whole = { inFlight: oracle.taken(at), queued: oracle.queued(at), score, share: oracle.usable(pool.id) };
    add({ level: "pool", id: "", ...whole });
    for (const group of pool.groups.values()) {
      const of = { group };
      add({
        level: "group",
        id: group.id,
        inFlight: oracle.taken(of),
        queued: oracle.queued(of),
        score: group.score / SCORE_UNIT,
        share: shares.groups.get(group.id) ?? 0,
      });
    }
    for (const tenant of pool.tenants.values()) {
      const counts = { inFlight: oracle.taken({ tenant }), queued: oracle.queued({ tenant }) };
      const share = shares.tenants.get(tenant.id) ?? 0;
      add({ level: "tenant", id: tenant.id, ...counts, score: tenant.score / SCORE_UNIT, share });
      for (const key of tenant.keys.values()) {
        const id = `${tenant.id}/${key.id}`;
        const inFlight = oracle.taken({ key });
        add({ level: "key", id, inFlight, queued: oracle.queued({ key }), score: key.score / SCORE_UNIT, share: null });
      }
    }
  }
  return readings;
}
