/**
 * Who times out next. Requests of one timeout fall due in the order they came, so each distinct timeout is one linked
 * list and joining or leaving costs O(1) however many wait. A gateway has one timeout; the cost is linear in the number
 * of distinct ones that are waiting.
 */
import type { Waiter } from "./state";

interface DueList {
  readonly timeoutMs: number;
  first: Waiter | null;
  last: Waiter | null;
}

export class Deadlines {
  readonly #lists: DueList[] = [];

  /** Adds a waiter that came last of all; one that never times out is not kept. */
  add(waiter: Waiter): void {
    if (waiter.dueMs === Number.POSITIVE_INFINITY) return;
    const list = this.#listOf(waiter) ?? this.#open(waiter);
    waiter.duesBefore = list.last;
    if (list.last === null) list.first = waiter;
    else list.last.duesAfter = waiter;
    list.last = waiter;
  }

  /** Takes a waiter out; every waiter that was added must leave exactly once. */
  remove(waiter: Waiter): void {
    if (waiter.dueMs === Number.POSITIVE_INFINITY) return;
    const list = this.#listOf(waiter);
    if (list === undefined) return;
    if (waiter.duesBefore === null) list.first = waiter.duesAfter;
    else waiter.duesBefore.duesAfter = waiter.duesAfter;
    if (waiter.duesAfter === null) list.last = waiter.duesBefore;
    else waiter.duesAfter.duesBefore = waiter.duesBefore;
    waiter.duesBefore = null;
    waiter.duesAfter = null;
    if (list.first === null) this.#lists.splice(this.#lists.indexOf(list), 1);
  }

  /** The waiter that times out first, the older of two at the same moment; null when none will. */
  next(): Waiter | null {
    let next: Waiter | null = null;
    for (const { first } of this.#lists) {
      if (first === null) continue;
      if (next === null || first.dueMs < next.dueMs || (first.dueMs === next.dueMs && first.id < next.id)) next = first;
    }
    return next;
  }

  #listOf(waiter: Waiter): DueList | undefined {
    const timeoutMs = waiter.timeoutMs;
    for (const list of this.#lists) if (list.timeoutMs === timeoutMs) return list;
    return undefined;
  }

  #open(waiter: Waiter): DueList {
    const list: DueList = { timeoutMs: waiter.timeoutMs, first: null, last: null };
    this.#lists.push(list);
    return list;
  }
}
