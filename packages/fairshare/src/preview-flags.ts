/**
 * What somebody should look at before saving a draft. A flag is about a change for the worse or one without effect, and
 * only about what the draft changes: what was so before it was accepted then.
 */
import type { PartChange, PreviewFlag, PreviewInput, TenantChange } from "./preview-data";
import type { DraftTenant } from "./preview-draft";
import type { Divided } from "./preview-split";
import type { PoolSnapshot } from "./snapshot";

/** What a flag may depend on: both splits, and what the user changed. */
interface FlagInput {
  readonly pool: PoolSnapshot;
  readonly input: PreviewInput;
  readonly before: Divided;
  readonly after: Divided;
  readonly tenants: readonly TenantChange[];
  readonly groups: readonly PartChange[];
  readonly hasWork: boolean;
}

/** Every flag of one pool, most serious first. */
export function flagsOf(given: FlagInput): PreviewFlag[] {
  return [
    ...sizeFlags(given),
    ...capFlags(given),
    ...shareFlags(given),
    ...effectFlags(given),
    ...(isListCut(given.pool) ? [{ flag: "list_cut" } as const] : []),
    ...(given.hasWork ? [] : [{ flag: "no_work" } as const]),
  ];
}

/** What is odd about a new size. A ceiling that was too low already is only named when the draft makes it worse. */
function sizeFlags({ pool, input, before, after }: FlagInput): PreviewFlag[] {
  const flags: PreviewFlag[] = [];
  const change = input.changes.findLast((each) => each.kind === "pool_size" && each.id === pool.pool);
  if (change === undefined || change.kind !== "pool_size") return flags;
  const inUse = pool.inFlight + pool.held;
  if (after.draft.size < inUse && after.draft.size < before.draft.size) {
    flags.push({ flag: "size_under_use", size: after.draft.size, inUse });
  }
  const sizes = new Map(input.engine.pools.map((each): [string, number] => [each.pool, each.configuredSize]));
  const sumBefore = total([...sizes.values()]);
  for (const each of input.changes) if (each.kind === "pool_size" && sizes.has(each.id)) sizes.set(each.id, each.value);
  const sum = total([...sizes.values()]);
  if (sum > input.engine.configuredCeiling && sum > sumBefore) {
    flags.push({ flag: "pools_over_ceiling", sum, ceiling: input.engine.configuredCeiling });
  }
  return flags;
}

/** Only caps the draft changes are judged: the others were accepted before. */
function capFlags({ input, before, after }: FlagInput): PreviewFlag[] {
  const flags: PreviewFlag[] = [];
  const check = (level: "tenant" | "key", entry: { id: string; cap: number | null; inUse: number }, share: number) => {
    if (entry.cap === null) return;
    if (entry.cap < entry.inUse) {
      flags.push({ flag: "cap_under_use", level, id: entry.id, cap: entry.cap, inUse: entry.inUse });
    }
    if (entry.cap < share) flags.push({ flag: "cap_under_share", level, id: entry.id, cap: entry.cap, share });
  };
  after.draft.tenants.forEach((tenant, t) => {
    const old = before.draft.tenants[t];
    const isEdited = input.changes.some(
      (change) => change.id === tenant.id && (change.kind === "tenant_cap" || change.kind === "tenant_model_cap"),
    );
    if (isEdited || old?.cap !== tenant.cap) check("tenant", tenant, after.busy.tenants.get(tenant.id) ?? 0);
    tenant.keys.forEach((key, k) => {
      if (old?.keys[k]?.cap !== key.cap) check("key", key, after.busy.keys.get(key.id) ?? 0);
    });
  });
  return flags;
}

/** Who ends with one slot or none of its own. */
function shareFlags({ before, after, tenants, groups, input }: FlagInput): PreviewFlag[] {
  const flags: PreviewFlag[] = [];
  const wasBelow = new Set(belowShare(before));
  for (const id of belowShare(after)) if (!wasBelow.has(id)) flags.push({ flag: "crosses_below_share", id });
  const isDownToOne = (part: PartChange) => part.slots.before > 1 && part.slots.after <= 1;
  if (input.engine.algorithm === "hierarchical") {
    for (const group of groups) {
      const isLeft = !after.busy.groups.has(group.id);
      if (isDownToOne(group) && !isLeft) flags.push({ flag: "share_down_to_one", level: "group", id: group.id });
    }
  }
  for (const tenant of tenants) {
    if (isDownToOne(tenant)) flags.push({ flag: "share_down_to_one", level: "tenant", id: tenant.id });
  }
  return flags;
}

/** Tenants that wait below their share while another has more than its own; the `belowShare` of snapshots. */
function belowShare({ draft, busy }: Divided): string[] {
  const share = (tenant: DraftTenant) => busy.tenants.get(tenant.id) ?? 0;
  const above = draft.tenants.filter((tenant) => tenant.inUse > share(tenant));
  return draft.tenants
    .filter((tenant) => tenant.queued > 0 && tenant.inUse < share(tenant))
    .filter((tenant) => above.some((other) => other !== tenant))
    .map((tenant) => tenant.id);
}

/** Changes that change nothing, and why; and a pool too small for its takers. One reason is enough. */
function effectFlags({ input, before, after, tenants, groups }: FlagInput): PreviewFlag[] {
  const flags: PreviewFlag[] = [];
  const { active } = after;
  if (input.engine.algorithm === "hierarchical") {
    for (const change of input.changes) {
      if (change.kind !== "tenant_weight" && change.kind !== "boost") continue;
      const group = active.find((each) => each.tenants.some((tenant) => tenant.id === change.id));
      if (group?.tenants.length === 1) flags.push({ flag: "alone_in_group", id: change.id, group: group.id });
    }
  }
  const parts: readonly PartChange[] = [...tenants, ...groups];
  const hasWeightChange = parts.some((part) => part.weight.before !== part.weight.after);
  const isSame = parts.every((part) => part.slots.before === part.slots.after);
  const isResized = before.draft.usable !== after.draft.usable;
  if (hasWeightChange && isSame && !isResized && flags.length === 0) flags.push({ flag: "no_change_rounding" });
  const takers = input.engine.algorithm === "weighted" ? after.draft.tenants.length : active.length;
  if (takers > after.draft.usable) {
    flags.push({ flag: "takers_outnumber_slots", slots: after.draft.usable, takers });
  }
  return flags;
}

/** The snapshot lists fewer tenants than its totals count, as views of large fleets do. */
function isListCut(pool: PoolSnapshot): boolean {
  return total(pool.tenants.map((tenant) => tenant.inFlight + tenant.queued)) < pool.inFlight + pool.queued;
}

/** The sum; 0 of nothing. */
function total(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
