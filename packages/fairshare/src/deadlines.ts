/**
 * Who times out next. Requests of one timeout fall due in the order they came, so each distinct timeout is one list of
 * request numbers. A request that stops waiting is not taken out (that would touch its neighbours, at every grant);
 * its number is passed over when it comes to the front, and all lists are cleared of such numbers once they are the
 * larger part. A gateway has one timeout; the cost is linear in the number of distinct ones.
 */
import type { WaiterId } from "./ids";
import type { Waiter } from "./state";
import type { WaiterTable } from "./waiter-table";

/**
 * Requests of one timeout. Times to come are those of their arrival plus the timeout, so the list is in order as it is.
 */
interface DueList {
  readonly timeoutMs: number;
  ids: WaiterId[];
  /** Where the list begins; what is before it was passed over. */
  first: number;
}

/** A request and when its time is up. */
export interface Deadline {
  readonly waiter: Waiter;
  readonly dueMs: number;
}

/** Numbers kept before it is worth looking whether most are of requests that wait no longer. */
const CLEAR_AT_LEAST = 1024;

/** Keeps numbers, not requests: a request that is over leaves nothing behind but its number. */
export class Deadlines {
  readonly #waiters: WaiterTable;
  readonly #lists: DueList[] = [];
  #count = 0;
  #clearAt = CLEAR_AT_LEAST;

  /** Looks requests up in `waiters`. */
  constructor(waiters: WaiterTable) {
    this.#waiters = waiters;
  }

  /** Numbers kept, of requests that wait no longer too. At most twice those that wait, and CLEAR_AT_LEAST. */
  get count(): number {
    return this.#count;
  }

  /**
   * Adds a waiter that came last of all, to time out after `timeoutMs`; with what is no length of time it never does.
   */
  add(waiter: Waiter, timeoutMs: number): void {
    if (!(timeoutMs >= 0) || timeoutMs === Number.POSITIVE_INFINITY) return;
    // Twice as many as were left the last time: each clearing costs O(1) for each number added since.
    if (this.#count >= this.#clearAt) this.#clear();
    this.#listOf(timeoutMs).ids.push(waiter.id);
    this.#count += 1;
  }

  /** When the next waiting request times out; Infinity when none will. O(distinct timeouts). */
  nextMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const list of this.#lists) {
      const waiter = this.#firstOf(list);
      if (waiter !== undefined) nextMs = Math.min(nextMs, waiter.arrivedMs + list.timeoutMs);
    }
    return nextMs;
  }

  /** The waiting request that times out first, the older of two at the same moment; undefined when none will. */
  next(): Deadline | undefined {
    let next: Deadline | undefined;
    for (const list of this.#lists) {
      const waiter = this.#firstOf(list);
      if (waiter === undefined) continue;
      const dueMs = waiter.arrivedMs + list.timeoutMs;
      if (next === undefined || dueMs < next.dueMs || (dueMs === next.dueMs && waiter.id < next.waiter.id)) {
        next = { waiter, dueMs };
      }
    }
    return next;
  }

  /** The first of a list that still waits; those before it are passed over for good. */
  #firstOf(list: DueList): Waiter | undefined {
    const { ids } = list;
    while (list.first < ids.length) {
      const waiter = this.#waiters.get(ids[list.first] as WaiterId);
      if (waiter !== undefined && isWaiting(waiter)) return waiter;
      list.first += 1;
      this.#count -= 1;
    }
    list.first = 0;
    ids.length = 0;
    return undefined;
  }

  /** Drops the numbers of requests that wait no longer. O(numbers kept). */
  #clear(): void {
    this.#count = 0;
    for (const list of this.#lists) {
      list.ids = list.ids.slice(list.first).filter((id) => {
        const waiter = this.#waiters.get(id);
        return waiter !== undefined && isWaiting(waiter);
      });
      list.first = 0;
      this.#count += list.ids.length;
    }
    this.#clearAt = Math.max(CLEAR_AT_LEAST, 2 * this.#count);
  }

  /** The list of that timeout, made when there is none. O(distinct timeouts). */
  #listOf(timeoutMs: number): DueList {
    for (const list of this.#lists) if (list.timeoutMs === timeoutMs) return list;
    const empty = this.#lists.findIndex((list) => list.ids.length === 0);
    // A timeout that nobody waits with any more makes room, so lists stay as few as the timeouts in use.
    if (empty !== -1) this.#lists.splice(empty, 1);
    const list: DueList = { timeoutMs, ids: [], first: 0 };
    this.#lists.push(list);
    return list;
  }
}

/** Still to be told when its time is up: a slot that was granted ends the wait for good. */
function isWaiting({ state }: Waiter): boolean {
  return state === "queued" || state === "claiming" || state === "probing";
}
