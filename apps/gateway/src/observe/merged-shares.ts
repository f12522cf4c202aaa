/**
 * Shares of a merged picture: the engine's own split over the union of groups and tenants with work, and what follows
 * from it: who borrows, who is below its share, and who would be picked next.
 */
import type { EngineSnapshot, GroupSnapshot, KeySnapshot, TenantSnapshot } from "@obleth/fairshare";
import { splitPool, splitSlots } from "@obleth/fairshare/shares";

export interface Split {
  readonly slots: ReadonlyMap<string, number>;
  readonly weightShares: ReadonlyMap<string, number>;
}

const groupKey = (name: string) => `g:${name}`;
const tenantKey = (id: string) => `t:${id}`;

/** The engine's split, over everybody who has work anywhere. */
export function splitOver(input: {
  usable: number;
  groups: readonly GroupSnapshot[];
  tenants: readonly TenantSnapshot[];
  algorithm: EngineSnapshot["algorithm"];
}): Split {
  const { usable, groups, tenants, algorithm } = input;
  const membersOf = grouped(tenants, (tenant) => tenant.group);
  const claimant = (tenant: TenantSnapshot) => ({
    id: tenant.tenantId,
    weight: tenant.effectiveWeight,
    score: tenant.shareScore,
  });
  const slots = new Map<string, number>();
  const weightShares = new Map<string, number>();
  const isWeighted = algorithm === "weighted";
  const weightOf = (group: GroupSnapshot) =>
    isWeighted ? sumOf(membersOf.get(group.name) ?? [], (tenant) => tenant.effectiveWeight) : group.weight;
  const total = Math.max(1, sumOf(groups, weightOf));
  if (isWeighted) {
    const parts = splitSlots(usable, tenants.map(claimant));
    for (const [index, tenant] of tenants.entries()) slots.set(tenantKey(tenant.tenantId), parts[index] ?? 0);
    for (const group of groups) {
      const inside = membersOf.get(group.name) ?? [];
      slots.set(
        groupKey(group.name),
        sumOf(inside, (tenant) => slots.get(tenantKey(tenant.tenantId)) ?? 0),
      );
    }
  } else {
    const claimants = groups.map((group) => ({
      id: group.name,
      weight: group.weight,
      score: group.shareScore,
      members: (membersOf.get(group.name) ?? []).map(claimant),
    }));
    const split = splitPool(usable, claimants);
    for (const [index, group] of claimants.entries()) {
      slots.set(groupKey(group.id), split.groups[index] ?? 0);
      const inside = split.members[index] ?? [];
      for (const [place, member] of group.members.entries()) slots.set(tenantKey(member.id), inside[place] ?? 0);
    }
  }
  for (const group of groups) {
    const part = weightOf(group) / total;
    weightShares.set(groupKey(group.name), part);
    const inside = membersOf.get(group.name) ?? [];
    const insideTotal = Math.max(
      1,
      sumOf(inside, (tenant) => tenant.effectiveWeight),
    );
    for (const tenant of inside) {
      weightShares.set(tenantKey(tenant.tenantId), (part * tenant.effectiveWeight) / insideTotal);
    }
  }
  return { slots, weightShares };
}

/** Shares, what is borrowed, who is below, and the order among those who wait. */
export function standing(input: {
  groups: readonly GroupSnapshot[];
  tenants: readonly TenantSnapshot[];
  keys: readonly KeySnapshot[];
  split: Split;
  usable: number;
  algorithm: EngineSnapshot["algorithm"];
}): { groups: GroupSnapshot[]; tenants: TenantSnapshot[]; keys: KeySnapshot[] } {
  const { split, usable } = input;
  const groups = input.groups.map((group) => {
    const slotCap = split.slots.get(groupKey(group.name)) ?? 0;
    const weightShare = split.weightShares.get(groupKey(group.name)) ?? 0;
    const borrowed = aboveShare(group, slotCap);
    return { ...group, slotCap, weightShare, expectedSlots: weightShare * usable, borrowed };
  });
  const shared = input.tenants.map((tenant) => {
    const slotShare = split.slots.get(tenantKey(tenant.tenantId)) ?? 0;
    const weightShare = split.weightShares.get(tenantKey(tenant.tenantId)) ?? 0;
    const borrowed = aboveShare(tenant, slotShare);
    const aboveShareMs = borrowed > 0 ? (tenant.aboveShareMs ?? 0) : null;
    return { ...tenant, slotShare, weightShare, expectedSlots: weightShare * usable, borrowed, aboveShareMs };
  });
  const isSomebodyAbove = shared.some((tenant) => tenant.borrowed > 0);
  const positions = positionsOf({ groups, tenants: shared, algorithm: input.algorithm });
  const tenants = shared.map((tenant) => ({
    ...tenant,
    belowShare: tenant.queued > 0 && tenant.inFlight + tenant.held < tenant.slotShare && isSomebodyAbove,
    position: positions.get(tenant.tenantId) ?? null,
  }));
  return { groups, tenants, keys: keyStanding(input.keys, tenants) };
}

/** As the scheduler would pick: under the share, then able to borrow, then capped; by group and then own score. */
function positionsOf(input: {
  groups: readonly GroupSnapshot[];
  tenants: readonly TenantSnapshot[];
  algorithm: EngineSnapshot["algorithm"];
}): ReadonlyMap<string, number> {
  const groupOf = new Map(input.groups.map((group) => [group.name, group]));
  const isWeighted = input.algorithm === "weighted";
  const ranked = input.tenants
    .filter((tenant) => tenant.queued > 0)
    .map((tenant) => {
      const group = groupOf.get(tenant.group);
      const hasGroupRoom = group === undefined || inUseOf(group) < Math.max(1, group.slotCap);
      const isUnder = isWeighted || (hasGroupRoom && inUseOf(tenant) < Math.max(1, tenant.slotShare));
      const groupScore = isWeighted ? 0 : (group?.shareScore ?? 0);
      return { id: tenant.tenantId, tier: tenant.atCap ? 2 : isUnder ? 0 : 1, groupScore, score: tenant.shareScore };
    })
    .sort((a, b) => a.tier - b.tier || a.groupScore - b.groupScore || a.score - b.score || (a.id < b.id ? -1 : 1));
  return new Map(ranked.map(({ id }, index) => [id, index + 1]));
}

function keyStanding(keys: readonly KeySnapshot[], tenants: readonly TenantSnapshot[]): KeySnapshot[] {
  const weights = new Map<string, number>();
  for (const key of keys) weights.set(key.tenantId, (weights.get(key.tenantId) ?? 0) + key.weight);
  const shares = new Map(tenants.map((tenant) => [tenant.tenantId, tenant.slotShare]));
  return keys.map((key) => {
    const weightShare = key.weight / Math.max(1, weights.get(key.tenantId) ?? 0);
    return { ...key, weightShare, expectedSlots: (shares.get(key.tenantId) ?? 0) * weightShare };
  });
}

/** Slots above shares in a pool: of each group its own, or its tenants' together when that is more. */
export function borrowedIn(pool: { groups: readonly GroupSnapshot[]; tenants: readonly TenantSnapshot[] }): number {
  const inside = new Map<string, number>();
  for (const tenant of pool.tenants) inside.set(tenant.group, (inside.get(tenant.group) ?? 0) + tenant.borrowed);
  return sumOf(pool.groups, (group) => Math.max(group.borrowed, inside.get(group.name) ?? 0));
}

function aboveShare(counts: { inFlight: number; held: number }, share: number): number {
  return Math.max(0, inUseOf(counts) - Math.max(1, share));
}

export function inUseOf({ inFlight, held }: { inFlight: number; held: number }): number {
  return inFlight + held;
}

export function sumOf<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}

/** Items by a key, in the order in which keys first appear. */
export function grouped<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, [Item, ...Item[]]> {
  const groups = new Map<Key, [Item, ...Item[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
