/**
 * The waiters of one key, oldest first, as a linked list through the waiters themselves. `older` of the oldest means
 * nothing, so that taking out the oldest, which is what picks do, leaves the next one untouched.
 */
import type { Key, Waiter } from "./state";

/** Puts a waiter in its place by arrival; O(1) for the newest, else O(number of older ones in front of its place). */
export function addToQueue(key: Key, waiter: Waiter): void {
  const { youngest } = key;
  if (youngest === null || youngest.id < waiter.id) {
    waiter.older = youngest;
    waiter.younger = null;
    if (youngest === null) key.oldest = waiter;
    else youngest.younger = waiter;
    key.youngest = waiter;
    return;
  }
  // A request comes back from a refused claim: near the front, where few are older.
  let next = key.oldest as Waiter;
  while (next.id < waiter.id) next = next.younger as Waiter;
  waiter.younger = next;
  if (next === key.oldest) {
    key.oldest = waiter;
  } else {
    waiter.older = next.older;
    (next.older as Waiter).younger = waiter;
  }
  next.older = waiter;
}

/** Takes a waiter out of its key's queue. O(1). */
export function removeFromQueue(key: Key, waiter: Waiter): void {
  const { older, younger } = waiter;
  if (key.oldest === waiter) {
    key.oldest = younger;
    if (younger === null) key.youngest = null;
  } else {
    (older as Waiter).younger = younger;
    if (younger === null) key.youngest = older;
    else younger.older = older;
  }
  waiter.older = null;
  waiter.younger = null;
}
