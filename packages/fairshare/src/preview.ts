/**
 * What a draft of changes would do to the slots of live pools: who gains, who gives, before and after, and how long it
 * takes. Computed by the scheduler's own split on a snapshot; donors and gainers are the difference of two splits,
 * never a proportion. Pure, and writes nothing.
 */
import type { KeyChange, Mover, PartChange, PoolPreview, Preview, PreviewInput, TenantChange } from "./preview-data";
import { changedDraft, draftOf } from "./preview-draft";
import { flagsOf } from "./preview-flags";
import { type Divided, divide, type Parts, weightOf } from "./preview-split";
import { nextStepsOf } from "./preview-steps";
import { FINISH_WINDOW_MS, MIN_FINISHES_FOR_PACE, type PoolSnapshot } from "./snapshot";

export * from "./preview-data";
export * from "./words-preview";

/**
 * Previews the draft in every pool it touches; with `pool` set, in that pool alone, touched or not. Never throws: what
 * cannot be changed is left as it is, so a caller that wants to refuse it checks before. For each pool two splits, and
 * a search of O(log weights) splits for each changed weight.
 */
export function previewChanges(input: PreviewInput): Preview {
  const pools: PoolPreview[] = [];
  for (const pool of input.engine.pools) {
    if (input.pool !== undefined && input.pool !== pool.pool) continue;
    const preview = previewPool(pool, input);
    if (preview !== null) pools.push(preview);
  }
  return {
    algorithm: input.engine.algorithm,
    pools,
    movedSlots: pools.reduce((sum, pool) => sum + pool.moved, 0),
    movedPools: pools.filter((pool) => pool.moved > 0).length,
  };
}

/**
 * Null when the draft does not touch the pool and the pool was not asked for. A pool without any work is previewed as
 * if every tenant had some: the split of nobody would say nothing.
 */
function previewPool(pool: PoolSnapshot, input: PreviewInput): PoolPreview | null {
  const hasWork = pool.inFlight + pool.queued + pool.held > 0;
  const withIdle = input.assume === "all" || !hasWork;
  const base = draftOf(pool, input.directory, withIdle);
  const { draft, isTouched } = changedDraft(base, pool, input);
  if (!isTouched && input.pool === undefined) return null;
  const { algorithm } = input.engine;
  const before = divide(base, algorithm);
  const after = divide(draft, algorithm);
  const tenants = tenantChanges(before, after);
  const groups = groupChanges(before, after);
  // Against where demand settles, not against the shares: who may go on borrowing need not finish anything.
  const toFinish = hasWork
    ? tenants.reduce((sum, tenant) => sum + Math.max(0, tenant.inUse - tenant.settled.after), 0)
    : 0;
  const { donors, gainers } = moversOf(tenants);
  const groupMovers = algorithm === "weighted" ? { donors: [], gainers: [] } : moversOf(groups);
  return {
    pool: pool.pool,
    size: { before: base.size, after: draft.size },
    usable: { before: base.usable, after: draft.usable },
    groups,
    tenants,
    keys: keyChanges(before, after),
    groupDonors: groupMovers.donors,
    groupGainers: groupMovers.gainers,
    donors,
    gainers,
    moved: hasWork ? Math.max(slotsOf(donors), slotsOf(gainers)) : 0,
    toFinish,
    finishEstimateMs: estimateMs(pool, tenants, toFinish),
    flags: flagsOf({ pool, input, before, after, tenants, groups, hasWork }),
    nextSteps: nextStepsOf({ after, changes: input.changes, algorithm }),
  };
}

/** One group's, tenant's or key's slots under both splits. */
function partChange(
  level: keyof Parts,
  given: { id: string; weight: PartChange["weight"]; before: Divided; after: Divided; inUse: number; queued: number },
): PartChange {
  const { id, weight, before, after, inUse, queued } = given;
  const slots = inBoth(before.busy[level], after.busy[level], id);
  const fairShare = inBoth(before.fair[level], after.fair[level], id);
  const settled = inBoth(before.settled[level], after.settled[level], id);
  return { id, weight, slots, fairShare, settled, inUse, queued };
}

/** A number before and after; who is not in a split has 0 there. */
function inBoth(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>, id: string) {
  return { before: before.get(id) ?? 0, after: after.get(id) ?? 0 };
}

/** Every tenant before and after, in the order of the draft. */
function tenantChanges(before: Divided, after: Divided): TenantChange[] {
  return before.draft.tenants.map((old, index) => {
    const tenant = after.draft.tenants[index] ?? old;
    const { id, inUse, queued } = old;
    const weight = { before: weightOf(before.draft, old), after: weightOf(after.draft, tenant) };
    const part = partChange("tenants", { id, weight, before, after, inUse, queued });
    return Object.assign(part, { group: { before: old.group, after: tenant.group } });
  });
}

/** Every group that is active before or after; a change may empty one and fill another. */
function groupChanges(before: Divided, after: Divided): PartChange[] {
  const ids = new Set([...before.active, ...after.active].map((group) => group.id));
  return [...ids].map((id) => {
    const members = before.draft.tenants.filter((tenant) => tenant.group === id);
    const inUse = members.reduce((sum, tenant) => sum + tenant.inUse, 0);
    const queued = members.reduce((sum, tenant) => sum + tenant.queued, 0);
    const weightIn = (side: Divided) => side.draft.groups.get(id)?.weight ?? 0;
    const weight = { before: weightIn(before), after: weightIn(after) };
    return partChange("groups", { id, weight, before, after, inUse, queued });
  });
}

/** Every key before and after. */
function keyChanges(before: Divided, after: Divided): KeyChange[] {
  const changes: KeyChange[] = [];
  before.draft.tenants.forEach((tenant, t) => {
    tenant.keys.forEach((key, k) => {
      const { id, tenantId, inUse, queued } = key;
      const weight = { before: key.weight, after: after.draft.tenants[t]?.keys[k]?.weight ?? key.weight };
      changes.push(Object.assign(partChange("keys", { id, weight, before, after, inUse, queued }), { tenantId }));
    });
  });
  return changes;
}

/**
 * Who gains and who gives, most first. Differences of whole slots, so the two sides sum to the same unless the pool's
 * size changes.
 */
function moversOf(parts: readonly PartChange[]): { donors: Mover[]; gainers: Mover[] } {
  const moves = parts.map((part) => ({ id: part.id, slots: part.slots.after - part.slots.before }));
  const bySlots = (a: Mover, b: Mover) => b.slots - a.slots || (a.id < b.id ? -1 : 1);
  return {
    donors: moves
      .filter((move) => move.slots < 0)
      .map((move) => ({ id: move.id, slots: -move.slots }))
      .sort(bySlots),
    gainers: moves.filter((move) => move.slots > 0).sort(bySlots),
  };
}

/** Slots that moved on one side. */
function slotsOf(movers: readonly Mover[]): number {
  return movers.reduce((sum, mover) => sum + mover.slots, 0);
}

/**
 * How long `toFinish` requests take, ms. Only those of tenants above where they settle count, and they are taken to
 * finish at the pool's pace in proportion to the slots they have, as if all requests were equally long.
 */
function estimateMs(pool: PoolSnapshot, tenants: readonly TenantChange[], toFinish: number): number | null {
  if (toFinish === 0) return 0;
  if (pool.finishes5m < MIN_FINISHES_FOR_PACE) return null;
  const all = tenants.reduce((sum, tenant) => sum + tenant.inUse, 0);
  const holding = tenants
    .filter((tenant) => tenant.inUse > tenant.settled.after)
    .reduce((sum, tenant) => sum + tenant.inUse, 0);
  const finishesPerMs = (pool.finishes5m / FINISH_WINDOW_MS) * (holding / all);
  return Math.round(toFinish / finishesPerMs);
}
