/**
 * Who could run: keeps keys, tenants, groups and pools in the heaps and lists that picks are made from, in step with
 * their counts. Call the refresh of a level after anything about it changed; each is O(log siblings).
 */
import type { Ranked, RankHeap } from "./rank-heap";
import { refreshHead } from "./sessions";
import type { EngineState, Group, Key, Pool, Tenant } from "./state";
import { markReady, readyKeysOf } from "./tenant-keys";

/** A key could run when a request of it waits and it is below its cap. */
export function refreshKey(key: Key): void {
  const couldRun = key.oldest !== null && key.taken < key.cap && !key.isBlocked;
  markReady(key, couldRun);
  if (key.sessions !== null) refreshHead(key);
}

/** A tenant could run when it has a key that could and is below its cap. Also keeps its group's count of such. */
export function refreshTenant(state: EngineState, tenant: Tenant): void {
  const couldRun = tenant.nextKey !== null && tenant.taken < tenant.cap && !tenant.isBlocked;
  const couldRunBefore = tenant.heap !== null;
  stand(tenant, couldRun ? heapFor(state, tenant) : null);
  if (couldRun === couldRunBefore) return;
  // The group could run exactly while this count is above 0.
  tenant.group.candidates += couldRun ? 1 : -1;
  tenant.pool.candidates += couldRun ? 1 : -1;
  if (tenant.pool.settings.affinity !== null) for (const key of readyKeysOf(tenant)) refreshHead(key);
}

/** A group could run when one of its tenants could. */
export function refreshGroup(group: Group): void {
  const line = group.pool.groupLine;
  stand(group, group.candidates === 0 ? null : group.taken === 0 ? line.idle : line.busy);
}

/** A pool can admit when somebody in it could run, it has a free slot and servers, and no claim of it must wait. */
export function refreshPool(state: EngineState, pool: Pool): void {
  const line = pool.groupLine;
  const canAdmit = (line.idle.size > 0 || line.busy.size > 0) && hasRoom(pool);
  if (canAdmit === pool.isReady) return;
  if (canAdmit) putLast(state, pool);
  else takeOut(state, pool);
}

/** Whether a pool's own limits allow one more request to start. */
export function hasRoom(pool: Pool): boolean {
  return (
    pool.taken < pool.settings.size && pool.settings.hasServers && !pool.isBlocked && pool.claiming < pool.claimLimit
  );
}

/** Gives the other pools their turn before this one, which has just had its own. */
export function moveToLast(state: EngineState, pool: Pool): void {
  if (!pool.isReady || state.readyLast === pool) return;
  takeOut(state, pool);
  putLast(state, pool);
}

/** The heap a tenant that could run stands in; `weighted` knows no difference between idle and busy. */
function heapFor(state: EngineState, tenant: Tenant): RankHeap<Tenant> {
  if (state.config.algorithm === "weighted") return tenant.pool.tenantLine.idle;
  return tenant.taken === 0 ? tenant.group.line.idle : tenant.group.line.busy;
}

/** Makes an item stand in the heap wanted and nowhere else, at its present rank. */
function stand<T extends Ranked & { heap: RankHeap<T> | null }>(item: T, wanted: RankHeap<T> | null): void {
  const present = item.heap;
  if (present === wanted) {
    // Its rank may have changed even where its heap did not.
    if (present !== null) present.moved(item);
    return;
  }
  if (present !== null) present.remove(item);
  item.heap = wanted;
  if (wanted !== null) wanted.push(item);
}

/** Adds a pool that can admit behind all others that can. O(1). */
function putLast(state: EngineState, pool: Pool): void {
  pool.isReady = true;
  pool.readyBefore = state.readyLast;
  if (state.readyLast === null) state.readyFirst = pool;
  else state.readyLast.readyAfter = pool;
  state.readyLast = pool;
}

/** Takes a pool out of the list of those that can admit, wherever it stands. O(1). */
function takeOut(state: EngineState, pool: Pool): void {
  pool.isReady = false;
  if (pool.readyBefore === null) state.readyFirst = pool.readyAfter;
  else pool.readyBefore.readyAfter = pool.readyAfter;
  if (pool.readyAfter === null) state.readyLast = pool.readyBefore;
  else pool.readyAfter.readyBefore = pool.readyBefore;
  pool.readyBefore = null;
  pool.readyAfter = null;
}
