/** The counts of the four levels a request belongs to, and the heaps that follow from them. */
import { refreshGroup, refreshKey, refreshPool, refreshTenant } from "./candidates";
import type { EngineState, Key } from "./state";

/** One request more or less waits. */
export function changeQueued(state: EngineState, key: Key, by: 1 | -1): void {
  const { tenant } = key;
  key.queued += by;
  tenant.queued += by;
  tenant.group.queued += by;
  tenant.pool.queued += by;
  state.queued += by;
}

/** One slot more or less is in use. */
export function changeTaken(state: EngineState, key: Key, by: 1 | -1): void {
  const { tenant } = key;
  key.taken += by;
  tenant.taken += by;
  tenant.group.taken += by;
  tenant.pool.taken += by;
  state.taken += by;
}

/** One of the slots in use more or less awaits the answer to its claim. */
export function changeClaiming(key: Key, by: 1 | -1): void {
  const { tenant } = key;
  key.claiming += by;
  tenant.claiming += by;
  tenant.group.claiming += by;
  tenant.pool.claiming += by;
}

/** One of the slots in use more or less is kept empty for a session. */
export function changeHeld(key: Key, by: 1 | -1): void {
  const { tenant } = key;
  key.held += by;
  tenant.held += by;
  tenant.group.held += by;
  tenant.pool.held += by;
}

/** Brings heaps and lists of all four levels in step with a key's chain. Call after its counts changed. */
export function refreshAll(state: EngineState, key: Key): void {
  const { tenant } = key;
  refreshKey(key);
  refreshTenant(state, tenant);
  refreshGroup(tenant.group);
  refreshPool(state, tenant.pool);
}
