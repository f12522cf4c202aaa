/**
 * The keys of a tenant, and which of them goes first. Most tenants have one key, which then needs neither a map nor a
 * heap; both are made when a second one comes.
 */
import type { KeyId } from "./ids";
import { RankHeap } from "./rank-heap";
import type { Key, Tenant } from "./state";

/** The key of that id; undefined when the tenant has none. */
export function findKey(tenant: Tenant, id: KeyId): Key | undefined {
  if (tenant.manyKeys !== null) return tenant.manyKeys.get(id);
  return tenant.soleKey !== null && tenant.soleKey.id === id ? tenant.soleKey : undefined;
}

/** Adds a key whose id the tenant does not have; it does not wait yet. */
export function addKey(tenant: Tenant, key: Key): void {
  const { soleKey } = tenant;
  if (tenant.manyKeys !== null) {
    tenant.manyKeys.set(key.id, key);
  } else if (soleKey === null) {
    tenant.soleKey = key;
  } else {
    tenant.manyKeys = new Map([
      [soleKey.id, soleKey],
      [key.id, key],
    ]);
    tenant.soleKey = null;
    tenant.readyKeys = new RankHeap();
    if (soleKey.isReady) tenant.readyKeys.push(soleKey);
  }
}

/** Takes out a key that has no work. */
export function dropKey({ tenant, id }: Key): void {
  if (tenant.manyKeys !== null) tenant.manyKeys.delete(id);
  else tenant.soleKey = null;
}

/** Every key of the tenant, in no useful order. */
export function keysOf({ soleKey, manyKeys }: Tenant): Iterable<Key> {
  if (manyKeys !== null) return manyKeys.values();
  return soleKey === null ? [] : [soleKey];
}

/** Notes whether a key could run, at its present rank, and which key of its tenant goes first. */
export function markReady(key: Key, isReady: boolean): void {
  const { tenant } = key;
  const heap = tenant.readyKeys;
  if (heap === null) {
    tenant.nextKey = isReady ? key : null;
  } else {
    if (!isReady && key.isReady) heap.remove(key);
    else if (isReady && !key.isReady) heap.push(key);
    else if (isReady) heap.moved(key);
    tenant.nextKey = heap.top() ?? null;
  }
  key.isReady = isReady;
}

/** The keys of a tenant that could run. */
export function readyKeysOf({ nextKey, readyKeys }: Tenant): Key[] {
  if (readyKeys !== null) return readyKeys.values();
  return nextKey === null ? [] : [nextKey];
}
