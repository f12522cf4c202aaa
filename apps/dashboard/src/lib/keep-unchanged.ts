/**
 * A newer live state in which every pool, tenant and key that did not change is the object it was before: its row then
 * knows that there is nothing to draw.
 */
import type { Live, LivePool } from "../queries/wire";

/** Equal to `after` in every field. */
export function keepUnchanged(before: Live | undefined, after: Live): Live {
  if (before === undefined) return after;
  const known = new Map(before.pools.map((pool) => [pool.model, pool]));
  return { ...after, pools: after.pools.map((pool) => keepPool(known.get(pool.model), pool)) };
}

function keepPool(before: LivePool | undefined, after: LivePool): LivePool {
  if (before === undefined) return after;
  if (isSameJson(before, after)) return before;
  const { tenants, keys } = after;
  return {
    ...after,
    ...(tenants && { tenants: keepItems(before.tenants ?? [], tenants, (tenant) => tenant.tenant_id) }),
    ...(keys && { keys: keepItems(before.keys ?? [], keys, (key) => key.key_id) }),
  };
}

function keepItems<Item>(before: readonly Item[], after: readonly Item[], idOf: (item: Item) => string): Item[] {
  const known = new Map(before.map((item) => [idOf(item), item]));
  return after.map((item) => {
    const old = known.get(idOf(item));
    return old !== undefined && isSameJson(old, item) ? old : item;
  });
}

/** Whether two values that came from JSON are the same. */
function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [fields, others] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const names = Object.keys(fields);
  return (
    names.length === Object.keys(others).length &&
    names.every((name) => Object.hasOwn(others, name) && isSameJson(fields[name], others[name]))
  );
}
