/**
 * Requests by number. Numbers rise, so neighbours in time are neighbours in a page of a plain array: finding, adding and
 * removing one cost a few loads where a map of as many entries costs a hash and a rehash. A page goes when its last
 * request does; one that runs for days keeps one page.
 */
import { assert } from "./assert";
import type { WaiterId } from "./ids";
import type { Waiter } from "./state";

/** Requests per page: large enough that pages are few, small enough that one long request keeps little. */
const PAGE_SIZE = 256;

interface Page {
  readonly number: number;
  readonly slots: (Waiter | undefined)[];
  count: number;
}

export class WaiterTable {
  readonly #pages = new Map<number, Page>();
  #newest: Page | undefined;
  #size = 0;

  /** Requests in the table. */
  get size(): number {
    return this.#size;
  }

  /** The request of that number; undefined when it is gone or never was. O(1). */
  get(id: WaiterId): Waiter | undefined {
    return this.#find(pageOf(id))?.slots[id % PAGE_SIZE];
  }

  /** Adds a request whose number was not used before. O(1). */
  add(waiter: Waiter): void {
    const number = pageOf(waiter.id);
    const page = this.#find(number) ?? this.#open(number);
    const slot = waiter.id % PAGE_SIZE;
    assert(page.slots[slot] === undefined, "a request's number is used once");
    page.slots[slot] = waiter;
    page.count += 1;
    this.#size += 1;
  }

  /** Takes a request out; one that is not in does nothing. O(1). */
  delete(id: WaiterId): void {
    const page = this.#find(pageOf(id));
    const slot = id % PAGE_SIZE;
    if (page === undefined || page.slots[slot] === undefined) return;
    page.slots[slot] = undefined;
    page.count -= 1;
    this.#size -= 1;
    if (page.count === 0 && page !== this.#newest) this.#pages.delete(page.number);
  }

  /** Every request, in no useful order. */
  *values(): Generator<Waiter> {
    for (const page of this.#pages.values()) for (const waiter of page.slots) if (waiter !== undefined) yield waiter;
  }

  #find(number: number): Page | undefined {
    const newest = this.#newest;
    return newest !== undefined && newest.number === number ? newest : this.#pages.get(number);
  }

  #open(number: number): Page {
    const before = this.#newest;
    if (before !== undefined && before.count === 0) this.#pages.delete(before.number);
    const page: Page = { number, slots: new Array<undefined>(PAGE_SIZE).fill(undefined), count: 0 };
    this.#pages.set(number, page);
    this.#newest = page;
    return page;
  }
}

function pageOf(id: WaiterId): number {
  return (id - (id % PAGE_SIZE)) / PAGE_SIZE;
}
