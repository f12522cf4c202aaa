/**
 * Who is next: a min-heap in which each item knows its place, so that leaving and moving cost O(log n).
 *
 * Order: lowest score, then least recently granted, then id by code units; the same rule at every level, and total, so
 * the heap's inner layout never decides anything.
 *
 * A walk up or down touches flat arrays only: each item has a cell, and ranks, cells and places are numbers, four
 * children to a parent. Items themselves are looked at when two ranks are equal. Whoever changes an item's rank calls
 * `moved` before anything else looks at the heap. A heap that never had two items has no arrays.
 */
import type { Level } from "./score";

/** What can stand in a RankHeap; in at most one at a time. */
export interface Ranked extends Level {
  /** The last tie-breaker, unlike that of any other item of the heap. */
  readonly id: string;
  /** Number of the latest grant in the whole engine; 0 before the first. */
  lastGranted: number;
  /** Its cell in the heap it stands in; -1 when in none. */
  cell: number;
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
/** Shared by all heaps that never had two items; never written. */
const NO_NUMBERS = new Int32Array(0);
const NO_RANKS = new Float64Array(0);

/** One line's members that could run, or a tenant's keys, or a pool's oldest requests. */
export class RankHeap<T extends Ranked> {
  #top: T | undefined;
  #count = 0;
  /** Items by cell; undefined while there are no arrays. */
  #items: (T | undefined)[] | undefined;
  #freeCells: number[] | undefined;
  /** Cells and ranks in heap order, and places by cell. */
  #cellAt = NO_NUMBERS;
  #placeOf = NO_NUMBERS;
  #ranks = NO_RANKS;

  /** Items in the heap. */
  get size(): number {
    return this.#count;
  }

  /** The first in rank; undefined when empty. O(1). */
  top(): T | undefined {
    return this.#top;
  }

  /** Whether the item stands in this heap. O(1). */
  has(item: T): boolean {
    if (item.cell === -1) return false;
    if (this.#items === undefined) return this.#top === item;
    const place = this.#placeOf[item.cell] ?? this.#count;
    return this.#items[item.cell] === item && place < this.#count && this.#cellAt[place] === item.cell;
  }

  /** Everybody in the heap, in no useful order. O(n). */
  values(): T[] {
    const items = this.#items;
    if (items === undefined) return this.#top === undefined ? [] : [this.#top];
    return Array.from(this.#cellAt.subarray(0, this.#count), (cell) => items[cell] as T);
  }

  /** Adds an item that stands in no heap. */
  push(item: T): void {
    const place = this.#count;
    this.#count += 1;
    if (this.#items === undefined) {
      if (place === 0) {
        item.cell = 0;
        this.#top = item;
        return;
      }
      this.#items = [this.#top as T];
      this.#freeCells = [];
      this.#grow();
      this.#put(this.#top as T, 0, 0);
    } else if (this.#cellAt.length === place) {
      this.#grow();
    }
    const free = (this.#freeCells as number[]).pop();
    const cell = free ?? this.#items.length;
    if (free === undefined) this.#items.push(item);
    else this.#items[cell] = item;
    item.cell = cell;
    this.#rise(item, place);
  }

  /** Takes out an item that stands in this heap. */
  remove(item: T): void {
    const { cell } = item;
    item.cell = -1;
    this.#count -= 1;
    if (this.#items === undefined) {
      this.#top = undefined;
      return;
    }
    this.#freeCells?.push(cell);
    this.#items[cell] = undefined;
    const place = this.#placeOf[cell] as number;
    // The last one takes the free place, and moves up or down from there.
    const lastCell = this.#cellAt[this.#count] as number;
    if (lastCell !== cell) this.#settle(this.#items[lastCell] as T, place);
    else if (place === 0) this.#top = undefined;
  }

  /** Restores order after the rank of an item that stands in this heap has changed. */
  moved(item: T): void {
    if (this.#items !== undefined) this.#settle(item, this.#placeOf[item.cell] as number);
  }

  /** Reads every rank again after all of them were shifted alike, so that the order is as before. O(n). */
  shifted(): void {
    const items = this.#items;
    if (items === undefined) return;
    for (let place = 0; place < this.#count; place++) {
      const cell = this.#cellAt[place] as number;
      this.#put(items[cell] as T, cell, place);
    }
  }

  /** Puts an item whose place is free where its rank belongs, upwards or downwards. */
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
    this.#put(item, item.cell, place);
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
    this.#put(item, item.cell, place);
    if (from === 0) this.#top = this.#items?.[this.#cellAt[0] as number];
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

  /** Whether what stands at `a` goes before what stands at `b`; the order of `ranksBefore`, on the flat arrays. */
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

  /** The last tie-breaker, looked up only when all numbers are equal. */
  #idAt(place: number): string {
    return ((this.#items as T[])[this.#cellAt[place] as number] as T).id;
  }

  /** Copies what stands at one place to another. */
  #shift(from: number, to: number): void {
    const cell = this.#cellAt[from] as number;
    const ranks = this.#ranks;
    this.#cellAt[to] = cell;
    this.#placeOf[cell] = to;
    ranks[to * WIDTH] = ranks[from * WIDTH] as number;
    ranks[to * WIDTH + 1] = ranks[from * WIDTH + 1] as number;
    ranks[to * WIDTH + 2] = ranks[from * WIDTH + 2] as number;
  }

  /** Writes an item's rank and cell to a place. */
  #put(item: T, cell: number, place: number): void {
    const ranks = this.#ranks;
    this.#cellAt[place] = cell;
    this.#placeOf[cell] = place;
    ranks[place * WIDTH] = item.hi;
    ranks[place * WIDTH + 1] = item.lo;
    ranks[place * WIDTH + 2] = item.lastGranted;
    if (place === 0) this.#top = item;
  }

  /** Doubles the room of all three arrays. */
  #grow(): void {
    const capacity = Math.max(FIRST_CAPACITY, 2 * this.#cellAt.length);
    const cellAt = new Int32Array(capacity);
    const placeOf = new Int32Array(capacity);
    const ranks = new Float64Array(capacity * WIDTH);
    cellAt.set(this.#cellAt);
    placeOf.set(this.#placeOf);
    ranks.set(this.#ranks);
    this.#cellAt = cellAt;
    this.#placeOf = placeOf;
    this.#ranks = ranks;
  }
}
