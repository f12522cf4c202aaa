/** Builds consistent snapshots from a few counts, so that tests of explanations and previews read as situations. */
import { type GroupId, groupId, keyId, poolId, tenantId } from "../src/ids";
import { effectiveWeight } from "../src/policy";
import { splitPool } from "../src/shares";
import type { EngineSnapshot, KeySnapshot, PoolSnapshot, TenantSnapshot } from "../src/snapshot";

export interface KeySpec {
  readonly id: string;
  readonly weight?: number;
  readonly cap?: number | null;
  readonly inFlight?: number;
  readonly queued?: number;
  readonly held?: number;
  readonly jumps?: number;
}

export interface TenantSpec {
  readonly id: string;
  readonly group?: string;
  readonly weight?: number;
  readonly boostFactor?: number;
  readonly cap?: number | null;
  readonly inFlight?: number;
  readonly queued?: number;
  readonly held?: number;
  readonly score?: number;
  readonly aboveShareMs?: number | null;
  readonly oldestWaitMs?: number | null;
  /** Left out: one key with all the tenant's work. */
  readonly keys?: readonly KeySpec[];
}

export interface PoolSpec {
  readonly pool?: string;
  readonly size: number;
  readonly configuredSize?: number;
  readonly usable?: number;
  readonly admissionWeight?: number;
  readonly finishes5m?: number;
  readonly holdLeftMs?: number;
  readonly groupWeights?: Readonly<Record<string, number>>;
  readonly tenants: readonly TenantSpec[];
}

const sumOf = (list: readonly number[]) => list.reduce((a, b) => a + b, 0);

export function buildPool(spec: PoolSpec): PoolSnapshot {
  const usable = spec.usable ?? spec.size;
  const admissionWeight = spec.admissionWeight ?? 100;
  const names = [...new Set(spec.tenants.map((tenant) => tenant.group ?? "default"))];
  const groupsOf = names.map((name) => {
    const weight = spec.groupWeights?.[name] ?? 100;
    const tenants = spec.tenants.filter((tenant) => (tenant.group ?? "default") === name);
    const served = sumOf(tenants.map((tenant) => tenant.score ?? 0));
    const members = tenants.map((tenant) => ({
      id: tenant.id,
      weight: effective(tenant, name, weight, admissionWeight),
      score: tenant.score ?? 0,
    }));
    return { id: name, weight, score: served / weight, members, tenants };
  });
  const split = splitPool(usable, groupsOf);
  const groupWeight = sumOf(groupsOf.map((group) => group.weight));
  const tenants: TenantSnapshot[] = groupsOf.flatMap((group, g) =>
    group.tenants.map((tenant, t) => {
      const slotShare = split.members[g]?.[t] ?? 0;
      const inner = sumOf(group.members.map((member) => member.weight));
      const own = group.members[t]?.weight ?? 1;
      const inUse = (tenant.inFlight ?? 0) + (tenant.held ?? 0);
      const weightShare = (group.weight / groupWeight) * (own / inner);
      const cap = tenant.cap ?? null;
      return {
        tenantId: tenantId(tenant.id),
        group: groupId(group.id),
        weight: tenant.weight ?? 100,
        boostFactor: tenant.boostFactor ?? 1,
        effectiveWeight: own,
        maxInFlight: cap,
        slotShare,
        inFlight: tenant.inFlight ?? 0,
        queued: tenant.queued ?? 0,
        held: tenant.held ?? 0,
        borrowed: Math.max(0, inUse - slotShare),
        servedTokens: (tenant.score ?? 0) * own,
        shareScore: tenant.score ?? 0,
        weightShare,
        expectedSlots: weightShare * usable,
        oldestWaitMs: tenant.oldestWaitMs ?? ((tenant.queued ?? 0) > 0 ? 5000 : null),
        belowShare: false,
        atCap: cap !== null && inUse >= cap,
        position: null,
        aboveShareMs: tenant.aboveShareMs ?? null,
      };
    }),
  );
  const placed = tenants
    .filter((tenant) => tenant.queued > 0)
    .sort((a, b) => Number(a.borrowed > 0) - Number(b.borrowed > 0) || a.shareScore - b.shareScore);
  const withPlaces = tenants.map((tenant) => ({
    ...tenant,
    position: placed.includes(tenant) ? placed.indexOf(tenant) + 1 : null,
    belowShare:
      tenant.queued > 0 &&
      tenant.inFlight + tenant.held < tenant.slotShare &&
      tenants.some((other) => other !== tenant && other.borrowed > 0),
  }));
  const keys: KeySnapshot[] = spec.tenants.flatMap((tenant) => keysOf(tenant));
  return {
    pool: poolId(spec.pool ?? "llama"),
    size: spec.size,
    configuredSize: spec.configuredSize ?? spec.size,
    usable,
    admissionWeight,
    oldestWaitMs: null,
    virtualTime: 0,
    holdLeftMs: spec.holdLeftMs ?? null,
    finishes5m: spec.finishes5m ?? 0,
    inFlight: sumOf(tenants.map((tenant) => tenant.inFlight)),
    queued: sumOf(tenants.map((tenant) => tenant.queued)),
    held: sumOf(tenants.map((tenant) => tenant.held)),
    borrowed: sumOf(tenants.map((tenant) => tenant.borrowed)),
    groups: groupsOf.map((group, g) => {
      const mine = tenants.filter((tenant) => tenant.group === (group.id as GroupId));
      const slotCap = split.groups[g] ?? 0;
      const inUse = sumOf(mine.map((tenant) => tenant.inFlight + tenant.held));
      return {
        name: groupId(group.id),
        weight: group.weight,
        slotCap,
        inFlight: sumOf(mine.map((tenant) => tenant.inFlight)),
        queued: sumOf(mine.map((tenant) => tenant.queued)),
        held: sumOf(mine.map((tenant) => tenant.held)),
        borrowed: Math.max(0, inUse - slotCap),
        servedTokens: 0,
        shareScore: group.score,
        weightShare: group.weight / groupWeight,
        expectedSlots: (group.weight / groupWeight) * usable,
      };
    }),
    tenants: withPlaces,
    keys,
  };
}

export function buildEngine(
  pools: readonly PoolSnapshot[],
  options: { ceiling?: number; algorithm?: EngineSnapshot["algorithm"] } = {},
): EngineSnapshot {
  const inFlight = sumOf(pools.map((pool) => pool.inFlight));
  const held = sumOf(pools.map((pool) => pool.held));
  const ceiling = options.ceiling ?? 4096;
  return {
    algorithm: options.algorithm ?? "hierarchical",
    ceiling,
    configuredCeiling: ceiling,
    isCeilingReached: inFlight + held >= ceiling,
    inFlight,
    queued: sumOf(pools.map((pool) => pool.queued)),
    held,
    borrowed: sumOf(pools.map((pool) => pool.borrowed)),
    pools,
  };
}

function effective(tenant: TenantSpec, group: string, weight: number, admissionWeight: number): number {
  const policy = {
    id: tenantId(tenant.id),
    group: { id: groupId(group), weight },
    weight: tenant.weight ?? 100,
    boostFactor: tenant.boostFactor ?? 1,
    maxInFlight: tenant.cap ?? null,
  };
  return effectiveWeight(policy, admissionWeight);
}

function keysOf(tenant: TenantSpec): KeySnapshot[] {
  const whole: KeySpec = {
    id: `${tenant.id}-key`,
    inFlight: tenant.inFlight ?? 0,
    queued: tenant.queued ?? 0,
    held: tenant.held ?? 0,
  };
  const specs = tenant.keys ?? [whole];
  const total = sumOf(specs.map((key) => key.weight ?? 100));
  return specs.map((key) => {
    const cap = key.cap ?? null;
    return {
      keyId: keyId(key.id),
      tenantId: tenantId(tenant.id),
      weight: key.weight ?? 100,
      maxInFlight: cap,
      inFlight: key.inFlight ?? 0,
      queued: key.queued ?? 0,
      held: key.held ?? 0,
      servedTokens: 0,
      shareScore: 0,
      weightShare: (key.weight ?? 100) / total,
      expectedSlots: 0,
      oldestWaitMs: null,
      atCap: cap !== null && (key.inFlight ?? 0) + (key.held ?? 0) >= cap,
      jumps: key.jumps ?? 0,
    };
  });
}
