/** The order in which waiting tenants of a pool would be picked as things stand, for display. */
import { shareInForce } from "./line";
import { updateSplit } from "./line-split";
import { type Ranked, ranksBefore } from "./rank-heap";
import type { EngineState, Pool, Tenant } from "./state";

/**
 * Places from 1 of every tenant that waits: first those whose only request is being claimed, then those under their
 * share, in groups under theirs, then those that could borrow, then those held back by a cap; by score inside each.
 * Placing everybody by the present counts leaves out that each admission changes them. O(tenants log tenants).
 */
export function positionsIn(state: EngineState, pool: Pool, usable: number): Map<Tenant, number> {
  const isWeighted = state.config.algorithm === "weighted";
  const waiting: { tenant: Tenant; tier: number }[] = [];
  if (!isWeighted) updateSplit(pool.groupLine, usable);
  for (const group of pool.groups.values()) {
    if (group.queued === 0 && group.claiming === 0) continue;
    const part = shareInForce(pool.groupLine, group);
    const hasRoom = group.taken < part;
    if (!isWeighted) updateSplit(group.line, part);
    for (const tenant of group.line.active.items) {
      if (tenant.queued === 0 && tenant.claiming === 0) continue;
      const isUnder = isWeighted || (hasRoom && tenant.taken < shareInForce(group.line, tenant));
      waiting.push({ tenant, tier: tenant.queued === 0 ? -1 : tenant.heap === null ? 2 : isUnder ? 0 : 1 });
    }
  }
  waiting.sort((a, b) => {
    if (a.tier !== b.tier) return a.tier - b.tier;
    if (!isWeighted && a.tenant.group !== b.tenant.group) return order(a.tenant.group, b.tenant.group);
    return a.tenant === b.tenant ? 0 : order(a.tenant, b.tenant);
  });
  return new Map(waiting.map(({ tenant }, index) => [tenant, index + 1]));
}

/** The order of picks, for sorting. */
function order(a: Ranked, b: Ranked): number {
  return ranksBefore(a, b) ? -1 : 1;
}
