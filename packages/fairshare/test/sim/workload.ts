/**
 * Random worlds and what happens in them, all from one seed: who there is, how they send, how long requests run, when
 * clients leave, and what administrators change. Times are whole milliseconds, so that many things fall together.
 */
import type { EngineEvent } from "../../src/events";
import { groupId, keyId, poolId, tenantId } from "../../src/ids";
import type { GroupPolicy, KeyPolicy, TenantPolicy } from "../../src/policy";
import type { Rng } from "./rng";

/** Weights that divide the oracle's unit of scores, alone and scaled by the factors below. */
export const WEIGHTS = [1, 2, 3, 5, 7, 10, 50, 100, 500] as const;
const BOOSTS = [1, 1, 1, 2, 0.5] as const;
const PERCENTS = [100, 100, 50, 200, 25] as const;
const COSTS = [0, 1, 3, 10, 100, 100, 250, 2500] as const;

export interface WorldTenant {
  policy: TenantPolicy;
  keys: KeyPolicy[];
  /** Pools it sends to. */
  readonly pools: readonly string[];
  readonly meanGapMs: number;
  /** 0 sends always; else the mean length of its busy and quiet spells. */
  readonly spellMs: number;
  readonly burst: number;
  readonly costs: readonly number[];
}

export interface World {
  readonly algorithm: "hierarchical" | "weighted";
  readonly pools: readonly { readonly id: string; readonly size: number }[];
  readonly ceiling: number;
  readonly maxQueuePerPool: number;
  readonly tenants: readonly WorldTenant[];
  readonly groups: readonly string[];
  readonly meanRunMs: number;
  readonly timeoutMs: number | null;
  readonly cancelChance: number;
  /** Mean gap between an administrator's changes; null for none. */
  readonly changeGapMs: number | null;
  /** Chance that a finish is reported twice, or a leave is reported for a running request. */
  readonly echoChance: number;
}

export interface WorldOptions {
  readonly algorithm?: World["algorithm"];
  /** No administrator, no caps, no ceiling: what the load alone does. */
  readonly isPlain?: boolean;
}

export function randomWorld(rng: Rng, options: WorldOptions = {}): World {
  const isPlain = options.isPlain ?? false;
  const poolCount = rng.pick([1, 1, 1, 2, 3]);
  const pools = Array.from({ length: poolCount }, (_, i) => ({ id: `pool-${i}`, size: rng.int(1, 6) }));
  const groups = ["chat", "api", "batch"].slice(0, rng.int(1, 3));
  const groupPolicies = groups.map((id): GroupPolicy => ({ id: groupId(id), weight: rng.pick(WEIGHTS) }));
  const sum = pools.reduce((total, pool) => total + pool.size, 0);
  const meanRunMs = rng.int(2, 30);
  const tenantCount = rng.int(2, 6);
  const load = rng.pick([0.5, 1, 2, 5]);
  const tenants = Array.from({ length: tenantCount }, (_, i): WorldTenant => {
    const group = rng.pick(groupPolicies);
    const id = i === 0 && rng.chance(0.1) ? "__proto__" : `t${i}`;
    return {
      policy: {
        id: tenantId(id),
        group,
        weight: rng.pick(WEIGHTS),
        boostFactor: isPlain ? 1 : rng.pick(BOOSTS),
        maxInFlight: !isPlain && rng.chance(0.2) ? rng.int(1, 3) : null,
      },
      keys: Array.from({ length: rng.int(1, 3) }, (_none, k) => ({
        id: keyId(`${id}-k${k}`),
        weight: rng.pick(WEIGHTS),
        maxInFlight: !isPlain && rng.chance(0.15) ? rng.int(1, 2) : null,
      })),
      pools: pools.filter(() => rng.chance(0.7)).map((pool) => pool.id),
      meanGapMs: Math.max(1, (meanRunMs * tenantCount) / (load * sum)),
      spellMs: rng.pick([0, 0, 50, 300]),
      burst: rng.pick([1, 1, 2, 6]),
      costs: rng.chance(0.5) ? COSTS : [rng.pick(COSTS)],
    };
  });
  return {
    algorithm: options.algorithm ?? rng.pick(["hierarchical", "hierarchical", "weighted"]),
    pools,
    groups,
    ceiling: !isPlain && rng.chance(0.35) ? rng.int(1, sum + 1) : 4096,
    maxQueuePerPool: !isPlain && rng.chance(0.1) ? rng.int(1, 8) : 0,
    tenants,
    meanRunMs,
    timeoutMs: !isPlain && rng.chance(0.5) ? rng.int(5, 200) : null,
    cancelChance: rng.pick([0, 0.05, 0.3]),
    changeGapMs: !isPlain && rng.chance(0.5) ? rng.int(10, 100) : null,
    echoChance: rng.pick([0, 0.1]),
  };
}

/** One thing an administrator does, applied to the world as well, so that later requests carry the new policy. */
export function randomChange(rng: Rng, world: World): EngineEvent {
  const pool = rng.pick(world.pools);
  const kind = rng.int(0, world.ceiling < 4096 ? 6 : 5);
  const tenant = rng.pick(world.tenants);
  switch (kind) {
    case 0:
    case 1:
      tenant.policy = { ...tenant.policy, weight: rng.pick(WEIGHTS), boostFactor: rng.pick(BOOSTS) };
      return { kind: "policy_changed", pool: poolId(pool.id), tenant: tenant.policy };
    case 2:
      tenant.policy = { ...tenant.policy, maxInFlight: rng.chance(0.5) ? rng.int(1, 3) : null };
      return { kind: "policy_changed", pool: poolId(pool.id), tenant: tenant.policy };
    case 3: {
      const at = rng.int(0, tenant.keys.length - 1);
      const old = tenant.keys[at];
      if (old === undefined) throw new Error("a tenant has a key");
      const policy = { ...old, weight: rng.pick(WEIGHTS), maxInFlight: rng.chance(0.3) ? rng.int(1, 2) : null };
      tenant.keys[at] = policy;
      return { kind: "policy_changed", pool: poolId(pool.id), key: { tenantId: tenant.policy.id, policy } };
    }
    case 4: {
      const id = rng.chance(0.3) ? groupId(rng.pick(world.groups)) : tenant.policy.group.id;
      const group = { id, weight: rng.pick(WEIGHTS) };
      for (const each of world.tenants) if (each.policy.group.id === id) each.policy = { ...each.policy, group };
      tenant.policy = { ...tenant.policy, group };
      return { kind: "policy_changed", pool: poolId(pool.id), group, tenant: tenant.policy };
    }
    case 5:
      return {
        kind: "pool_changed",
        pool: poolId(pool.id),
        size: rng.int(1, 6),
        admissionWeight: rng.pick(PERCENTS),
        affinity: null,
        routed: !rng.chance(0.05),
        hasServers: !rng.chance(0.1),
        queueWithoutServers: rng.chance(0.5),
      };
    default: {
      const ceiling = rng.int(1, 8);
      return { kind: "limits_changed", ceiling, slots: "local", divisor: 1 };
    }
  }
}

export function randomCost(rng: Rng, tenant: WorldTenant): number {
  return rng.pick(tenant.costs);
}
