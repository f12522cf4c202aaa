/** The waiters of one key, oldest first, as a linked list through the waiters themselves. */
import type { Key, Waiter } from "./state";

/** Puts a waiter in its place by arrival; O(1) for the newest, else O(number of older ones in front of its place). */
export function addToQueue(key: Key, waiter: Waiter): void {
  const youngest = key.youngest;
  if (youngest === null || youngest.id < waiter.id) {
    waiter.older = youngest;
    waiter.younger = null;
    if (youngest === null) key.oldest = waiter;
    else youngest.younger = waiter;
    key.youngest = waiter;
    return;
  }
  let next = key.oldest as Waiter;
  while (next.id < waiter.id) next = next.younger as Waiter;
  waiter.younger = next;
  waiter.older = next.older;
  if (next.older === null) key.oldest = waiter;
  else next.older.younger = waiter;
  next.older = waiter;
}

/** Takes a waiter out of its key's queue. O(1). */
export function removeFromQueue(key: Key, waiter: Waiter): void {
  if (waiter.older === null) key.oldest = waiter.younger;
  else waiter.older.younger = waiter.younger;
  if (waiter.younger === null) key.youngest = waiter.older;
  else waiter.younger.older = waiter.older;
  waiter.older = null;
  waiter.younger = null;
}
