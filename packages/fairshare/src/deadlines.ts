/**
 * Who times out next. Requests of one timeout fall due in the order they came, so each distinct timeout is one linked
 * list and joining or leaving costs O(1) however many wait. A gateway has one timeout; the cost is linear in the number
 * of distinct ones that are waiting.
 */
import type { Waiter } from "./state";

/** Waiters of one timeout, first due first. */
export interface DueList {
  readonly timeoutMs: number;
  first: Waiter | null;
  last: Waiter | null;
}

/** When a waiter times out; Infinity when it does not. */
export function dueMsOf({ due, arrivedMs }: Waiter): number {
  return due === null ? Number.POSITIVE_INFINITY : arrivedMs + due.timeoutMs;
}

export class Deadlines {
  readonly #lists: DueList[] = [];

  /** Adds a waiter that came last of all, to time out after `timeoutMs`; with what is no length of time it never does. */
  add(waiter: Waiter, timeoutMs: number): void {
    if (!(timeoutMs >= 0) || timeoutMs === Number.POSITIVE_INFINITY) return;
    const list = this.#listOf(timeoutMs);
    waiter.due = list;
    waiter.duesBefore = list.last;
    if (list.last === null) list.first = waiter;
    else list.last.duesAfter = waiter;
    list.last = waiter;
  }

  /** Takes a waiter out; one that is not in does nothing. */
  remove(waiter: Waiter): void {
    const list = waiter.due;
    if (list === null) return;
    waiter.due = null;
    if (waiter.duesBefore === null) list.first = waiter.duesAfter;
    else waiter.duesBefore.duesAfter = waiter.duesAfter;
    if (waiter.duesAfter === null) list.last = waiter.duesBefore;
    else waiter.duesAfter.duesBefore = waiter.duesBefore;
    waiter.duesBefore = null;
    waiter.duesAfter = null;
    if (list.first === null && this.#lists.length > 1) this.#lists.splice(this.#lists.indexOf(list), 1);
  }

  /** The waiter that times out first, the older of two at the same moment; null when none will. */
  next(): Waiter | null {
    let next: Waiter | null = null;
    for (const { first } of this.#lists) {
      if (first === null) continue;
      if (next === null || isDueBefore(first, next)) next = first;
    }
    return next;
  }

  #listOf(timeoutMs: number): DueList {
    for (const list of this.#lists) if (list.timeoutMs === timeoutMs) return list;
    const list: DueList = { timeoutMs, first: null, last: null };
    this.#lists.push(list);
    return list;
  }
}

function isDueBefore(a: Waiter, b: Waiter): boolean {
  const difference = dueMsOf(a) - dueMsOf(b);
  return difference === 0 ? a.id < b.id : difference < 0;
}
