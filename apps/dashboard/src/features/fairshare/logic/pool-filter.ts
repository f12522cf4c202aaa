import { type FilterState, filterState, type PoolLoad, poolBand } from "../../../lib/pool-state";

export interface PoolFilter {
  readonly text: string;
  /** None: every state. */
  readonly states: readonly FilterState[];
  /** Only pools where this group has work; null: all. */
  readonly group: string | null;
}

/** Whether a pool passes the list's filter: part of its name in any case, one of the states, and the group's work. */
export function matchesFilter(
  pool: PoolLoad & { readonly groups: readonly { readonly name: string }[] },
  filter: PoolFilter,
): boolean {
  if (filter.states.length > 0 && !filter.states.includes(filterState(poolBand(pool)))) return false;
  if (filter.group !== null && !pool.groups.some((group) => group.name === filter.group)) return false;
  return pool.model.toLowerCase().includes(filter.text.trim().toLowerCase());
}
