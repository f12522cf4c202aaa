/**
 * Who gets the next free slot of a pool.
 *
 * `hierarchical`: among tenants that could run and are under their share, in groups under theirs, the group with the
 * lowest group score, then its tenant with the lowest score. When there is none the slot is lent, in the same order
 * among all that could run. `weighted`: the tenant with the lowest score, whatever its share. Then, in both, the
 * tenant's key with the lowest score, and that key's oldest request.
 *
 * Whoever has no slot yet is under its share, as a share never counts as less than one; of those that have some only
 * the members of `multi` can be under theirs. So a pick looks at the tops of two heaps and at fewer members than there
 * are slots.
 */
import { firstInLine, shareInForce } from "./line";
import { updateSplit } from "./line-split";
import { ranksBefore } from "./rank-heap";
import type { EngineState, Group, Pool, Tenant } from "./state";

/** Whose turn it is in a pool, and by what right. */
export interface Pick {
  /** It has a key that could run: `nextKey`. */
  readonly tenant: Tenant;
  /** Nobody under its share could run, so the slot goes to somebody who borrows it. */
  readonly isLent: boolean;
}

/** The tenant a free slot of this pool goes to, over `usable` slots; undefined when none could run. */
export function pickTenant(state: EngineState, pool: Pool, usable: number): Pick | undefined {
  if (state.config.algorithm === "weighted") return pickByScore(pool);
  const due = pickUnderShare(pool, usable);
  if (due !== undefined) return { tenant: due, isLent: false };
  const group = firstInLine(pool.groupLine);
  const tenant = group === undefined ? undefined : firstInLine(group.line);
  return tenant === undefined ? undefined : { tenant, isLent: true };
}

/** The group's first tenant that could run and is under its share of the group's part; undefined when none is. */
export function firstUnderShare(group: Group): Tenant | undefined {
  const { line } = group;
  updateSplit(line, shareInForce(group.pool.groupLine, group));
  // Without a slot it is under its share whatever that is, so only the first of those can be next.
  let first = line.idle.top();
  for (const tenant of line.multi) {
    if (tenant.heap === null || tenant.taken >= tenant.share) continue;
    if (first === undefined || ranksBefore(tenant, first)) first = tenant;
  }
  return first;
}

/**
 * The tenant whose turn it is among those under their share in groups under theirs; undefined when there is none, so
 * that the slot is lent. A group that is first but has no tenant under its share must not hide the next one, so each
 * rival group that goes before the best so far is asked for its tenant. O(groups with a share of two or more).
 */
function pickUnderShare(pool: Pool, usable: number): Tenant | undefined {
  const line = pool.groupLine;
  updateSplit(line, usable);
  let group = line.idle.top();
  let tenant = group === undefined ? undefined : firstUnderShare(group);
  for (const rival of line.multi) {
    if (rival.heap === null || rival.taken >= rival.share) continue;
    // Cheapest test first: most rivals rank behind, and their tenants need not be looked at.
    if (group !== undefined && !ranksBefore(rival, group)) continue;
    const rivalTenant = firstUnderShare(rival);
    if (rivalTenant === undefined) continue;
    group = rival;
    tenant = rivalTenant;
  }
  return tenant;
}

/** `weighted`: the lowest score in the pool. Nothing is ever lent, as shares limit nobody. */
function pickByScore(pool: Pool): Pick | undefined {
  const tenant = firstInLine(pool.tenantLine);
  return tenant === undefined ? undefined : { tenant, isLent: false };
}
