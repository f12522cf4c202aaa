/**
 * Requests by number. Numbers rise by one, so a request stands at its number modulo the length of one plain array:
 * finding it costs two loads, where a map of as many entries costs a hash and a walk. A request that is still there
 * when its place comes round again moves to a map; those are few, as the array has at least twice as many places as
 * there are requests. It shrinks again when most of it is empty.
 */
import { assert } from "./assert";
import type { WaiterId } from "./ids";
import type { Waiter } from "./state";

/** Places to begin with, and the least there are: a power of two, as all lengths. */
const LEAST_PLACES = 256;
/** Places per request at which the array is halved; four times as many as when it is doubled, so it cannot flutter. */
const SHRINK_AT = 8;

/** All requests an engine knows, from arrival to finish. */
export class WaiterTable {
  #places = emptyPlaces(LEAST_PLACES);
  /** The length less one: `id & mask` is `id` modulo the length. */
  #mask = LEAST_PLACES - 1;
  /** Requests whose place a later one stands at. */
  readonly #displaced = new Map<WaiterId, Waiter>();
  #size = 0;

  /** Requests in the table. */
  get size(): number {
    return this.#size;
  }

  /** Places in the array. At least twice as many as requests, and at most 8 times or LEAST_PLACES. */
  get room(): number {
    return this.#mask + 1;
  }

  /** The request of that number; undefined when it is gone or never was. O(1). */
  get(id: WaiterId): Waiter | undefined {
    const waiter = this.#places[id & this.#mask];
    if (waiter !== undefined && waiter.id === id) return waiter;
    return this.#displaced.size === 0 ? undefined : this.#displaced.get(id);
  }

  /** Adds a request whose number is not in the table. O(1), spread over the requests added. */
  add(waiter: Waiter): void {
    if (2 * this.#size >= this.room) this.#rebuild(2 * this.room);
    this.#place(waiter);
    this.#size += 1;
  }

  /** Takes a request out; one that is not in does nothing. O(1), spread over the requests taken out. */
  delete(id: WaiterId): void {
    const place = id & this.#mask;
    const waiter = this.#places[place];
    if (waiter !== undefined && waiter.id === id) this.#places[place] = undefined;
    else if (!this.#displaced.delete(id)) return;
    this.#size -= 1;
    if (this.room > LEAST_PLACES && SHRINK_AT * this.#size < this.room) this.#rebuild(this.room / 2);
  }

  /** Every request, in no useful order. */
  *values(): Generator<Waiter> {
    for (const waiter of this.#places) if (waiter !== undefined) yield waiter;
    yield* this.#displaced.values();
  }

  /**
   * Puts a request at its place; one that stood there is displaced. A number that is in use is a fault of the driver's.
   */
  #place(waiter: Waiter): void {
    const { id } = waiter;
    const place = id & this.#mask;
    const before = this.#places[place];
    const isTaken = before?.id === id || (this.#displaced.size > 0 && this.#displaced.has(id));
    assert(!isTaken, "a request's number is used once");
    if (before !== undefined) this.#displaced.set(before.id, before);
    this.#places[place] = waiter;
  }

  /** Places everybody anew in an array of another length, a power of two. O(length + requests). */
  #rebuild(room: number): void {
    const all = [...this.values()];
    this.#places = emptyPlaces(room);
    this.#mask = room - 1;
    this.#displaced.clear();
    for (const waiter of all) this.#place(waiter);
  }
}

/** An array without holes: engines read one with holes more slowly. */
function emptyPlaces(room: number): (Waiter | undefined)[] {
  return new Array<undefined>(room).fill(undefined);
}
