/**
 * Who is next: a min-heap in which each item knows its place, so that leaving and moving cost O(log n).
 *
 * Order: lowest score, then least recently granted, then id by code units; the same rule at every level, and total, so
 * the heap's inner layout never decides anything.
 *
 * A walk up or down touches flat arrays only: each item has a seat, and ranks, seats and places are numbers, four
 * children to a parent. Items themselves are looked at when two ranks are equal. Whoever changes an item's rank calls
 * `moved` before anything else looks at the heap. A heap that never had two items has no arrays.
 */
import type { Level } from "./score";

/** What can stand in a RankHeap; in at most one at a time. */
export interface Ranked extends Level {
  readonly id: string;
  /** Number of the latest grant in the whole engine; 0 before the first. */
  lastGranted: number;
  /** Its seat in the heap it stands in; -1 when in none. */
  seat: number;
}

/** Whether a goes before b. */
export function ranksBefore(a: Ranked, b: Ranked): boolean {
  if (a.hi !== b.hi) return a.hi < b.hi;
  if (a.lo !== b.lo) return a.lo < b.lo;
  if (a.lastGranted !== b.lastGranted) return a.lastGranted < b.lastGranted;
  return a.id < b.id;
}

/** The one of two that goes first; undefined only when both are. */
export function firstOf<T extends Ranked>(a: T | undefined, b: T | undefined): T | undefined {
  if (a === undefined) return b;
  if (b === undefined) return a;
  return ranksBefore(a, b) ? a : b;
}

/** Numbers per item in `#ranks`: hi, lo, lastGranted. */
const WIDTH = 3;
/** Items that the first arrays have room for. */
const FIRST_CAPACITY = 8;
const NO_NUMBERS = new Int32Array(0);
const NO_RANKS = new Float64Array(0);

export class RankHeap<T extends Ranked> {
  #top: T | undefined;
  #count = 0;
  /** Items by seat; undefined while there are no arrays. */
  #items: (T | undefined)[] | undefined;
  #freeSeats: number[] | undefined;
  /** Seats and ranks in heap order, and places by seat. */
  #seatAt = NO_NUMBERS;
  #placeOf = NO_NUMBERS;
  #ranks = NO_RANKS;

  get size(): number {
    return this.#count;
  }

  /** The first in rank; undefined when empty. O(1). */
  top(): T | undefined {
    return this.#top;
  }

  /** Whether the item stands in this heap. O(1). */
  has(item: T): boolean {
    if (item.seat === -1) return false;
    if (this.#items === undefined) return this.#top === item;
    const place = this.#placeOf[item.seat] ?? this.#count;
    return this.#items[item.seat] === item && place < this.#count && this.#seatAt[place] === item.seat;
  }

  /** Everybody in the heap, in no useful order. O(n). */
  values(): T[] {
    const items = this.#items;
    if (items === undefined) return this.#top === undefined ? [] : [this.#top];
    return Array.from(this.#seatAt.subarray(0, this.#count), (seat) => items[seat] as T);
  }

  /** Adds an item that stands in no heap. */
  push(item: T): void {
    const place = this.#count;
    this.#count += 1;
    if (this.#items === undefined) {
      if (place === 0) {
        item.seat = 0;
        this.#top = item;
        return;
      }
      this.#items = [this.#top as T];
      this.#freeSeats = [];
      this.#grow();
      this.#put(this.#top as T, 0, 0);
    } else if (this.#seatAt.length === place) {
      this.#grow();
    }
    const free = (this.#freeSeats as number[]).pop();
    const seat = free ?? this.#items.length;
    if (free === undefined) this.#items.push(item);
    else this.#items[seat] = item;
    item.seat = seat;
    this.#rise(item, place);
  }

  /** Takes out an item that stands in this heap. */
  remove(item: T): void {
    const { seat } = item;
    item.seat = -1;
    this.#count -= 1;
    if (this.#items === undefined) {
      this.#top = undefined;
      return;
    }
    this.#freeSeats?.push(seat);
    this.#items[seat] = undefined;
    const place = this.#placeOf[seat] as number;
    const lastSeat = this.#seatAt[this.#count] as number;
    if (lastSeat !== seat) this.#settle(this.#items[lastSeat] as T, place);
    else if (place === 0) this.#top = undefined;
  }

  /** Restores order after the rank of an item that stands in this heap has changed. */
  moved(item: T): void {
    if (this.#items !== undefined) this.#settle(item, this.#placeOf[item.seat] as number);
  }

  /** Reads every rank again after all of them were shifted alike, so that the order is as before. O(n). */
  shifted(): void {
    const items = this.#items;
    if (items === undefined) return;
    for (let place = 0; place < this.#count; place++) {
      const seat = this.#seatAt[place] as number;
      this.#put(items[seat] as T, seat, place);
    }
  }

  #settle(item: T, place: number): void {
    if (place > 0 && this.#goesBefore(item, (place - 1) >> 2)) this.#rise(item, place);
    else this.#sink(item, place);
  }

  /** Moves `item` up from a free place until its parent goes before it. */
  #rise(item: T, from: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 2;
      if (!this.#goesBefore(item, parent)) break;
      this.#shift(parent, place);
      place = parent;
    }
    this.#put(item, item.seat, place);
  }

  /** Moves `item` down from a free place until it goes before its children. */
  #sink(item: T, from: number): void {
    const count = this.#count;
    let place = from;
    for (let child = 4 * place + 1; child < count; child = 4 * place + 1) {
      let first = child;
      const end = Math.min(child + 4, count);
      for (let other = child + 1; other < end; other++) if (this.#placeBefore(other, first)) first = other;
      if (this.#goesBefore(item, first)) break;
      this.#shift(first, place);
      place = first;
    }
    this.#put(item, item.seat, place);
    if (from === 0) this.#top = this.#items?.[this.#seatAt[0] as number];
  }

  /** Whether `item` goes before what stands at `place`. */
  #goesBefore(item: T, place: number): boolean {
    const ranks = this.#ranks;
    const at = place * WIDTH;
    const hi = ranks[at] as number;
    if (item.hi !== hi) return item.hi < hi;
    const lo = ranks[at + 1] as number;
    if (item.lo !== lo) return item.lo < lo;
    const turn = ranks[at + 2] as number;
    if (item.lastGranted !== turn) return item.lastGranted < turn;
    return item.id < this.#idAt(place);
  }

  #placeBefore(a: number, b: number): boolean {
    const ranks = this.#ranks;
    const atA = a * WIDTH;
    const atB = b * WIDTH;
    const hi = ranks[atA] as number;
    const otherHi = ranks[atB] as number;
    if (hi !== otherHi) return hi < otherHi;
    const lo = ranks[atA + 1] as number;
    const otherLo = ranks[atB + 1] as number;
    if (lo !== otherLo) return lo < otherLo;
    const turn = ranks[atA + 2] as number;
    const otherTurn = ranks[atB + 2] as number;
    if (turn !== otherTurn) return turn < otherTurn;
    return this.#idAt(a) < this.#idAt(b);
  }

  #idAt(place: number): string {
    return ((this.#items as T[])[this.#seatAt[place] as number] as T).id;
  }

  /** Copies what stands at one place to another. */
  #shift(from: number, to: number): void {
    const seat = this.#seatAt[from] as number;
    const ranks = this.#ranks;
    this.#seatAt[to] = seat;
    this.#placeOf[seat] = to;
    ranks[to * WIDTH] = ranks[from * WIDTH] as number;
    ranks[to * WIDTH + 1] = ranks[from * WIDTH + 1] as number;
    ranks[to * WIDTH + 2] = ranks[from * WIDTH + 2] as number;
  }

  #put(item: T, seat: number, place: number): void {
    const ranks = this.#ranks;
    this.#seatAt[place] = seat;
    this.#placeOf[seat] = place;
    ranks[place * WIDTH] = item.hi;
    ranks[place * WIDTH + 1] = item.lo;
    ranks[place * WIDTH + 2] = item.lastGranted;
    if (place === 0) this.#top = item;
  }

  /** Doubles the room of all three arrays. */
  #grow(): void {
    const capacity = Math.max(FIRST_CAPACITY, 2 * this.#seatAt.length);
    const seatAt = new Int32Array(capacity);
    const placeOf = new Int32Array(capacity);
    const ranks = new Float64Array(capacity * WIDTH);
    seatAt.set(this.#seatAt);
    placeOf.set(this.#placeOf);
    ranks.set(this.#ranks);
    this.#seatAt = seatAt;
    this.#placeOf = placeOf;
    this.#ranks = ranks;
  }
}
