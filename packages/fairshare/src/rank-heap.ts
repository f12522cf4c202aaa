/**
 * Who is next: a min-heap in which each item knows its place, so that leaving and moving cost O(log n).
 *
 * Order: lowest score, then least recently granted, then id by code units; the same rule at every level, and total, so
 * the heap's inner layout never decides anything. Ranks are copied beside the items into one flat array, and four
 * children share a parent: a walk touches few cache lines and items only when two ranks are equal. Whoever changes an
 * item's rank calls `moved` before anything else looks at the heap.
 */
import type { Level } from "./score";

/** What can stand in a RankHeap; in at most one at a time. */
export interface Ranked extends Level {
  readonly id: string;
  /** Number of the latest grant in the whole engine; 0 before the first. */
  lastGranted: number;
  /** Index in the heap it stands in; -1 when in none. */
  slot: number;
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

/** Children of one parent. */
const ARITY = 4;
/** Numbers per item in `#ranks`: hi, lo, lastGranted. */
const WIDTH = 3;
/** Ranks that the first allocation has room for; a heap of one item needs none. */
const FIRST_CAPACITY = 8;
const NO_RANKS = new Float64Array(0);

export class RankHeap<T extends Ranked> {
  /** In heap order, which is not sorted order. Read it only. */
  readonly items: T[] = [];
  #ranks = NO_RANKS;

  get size(): number {
    return this.items.length;
  }

  /** The first in rank; undefined when empty. O(1). */
  top(): T | undefined {
    return this.items[0];
  }

  /** Adds an item that stands in no heap. */
  push(item: T): void {
    const slot = this.items.length;
    this.items.push(item);
    item.slot = slot;
    if (slot === 0) return;
    this.#makeRoom(slot);
    this.#rise(item, slot);
  }

  /** Takes out an item that stands in this heap. */
  remove(item: T): void {
    const { items } = this;
    const { slot } = item;
    const last = items.pop() as T;
    item.slot = -1;
    if (last !== item) this.#settle(last, slot);
  }

  /** Restores order after the rank of an item that stands in this heap has changed. */
  moved(item: T): void {
    if (this.items.length > 1) this.#settle(item, item.slot);
  }

  /** Reads every rank again after all of them were shifted alike, so that the order is as before. O(n). */
  shifted(): void {
    if (this.items.length < 2) return;
    for (let slot = 0; slot < this.items.length; slot++) this.#place(this.items[slot] as T, slot);
  }

  #settle(item: T, slot: number): void {
    if (slot > 0 && this.#goesBefore(item, (slot - 1) >> 2)) this.#rise(item, slot);
    else this.#sink(item, slot);
  }

  /** Moves `item` up from a free slot until its parent goes before it. */
  #rise(item: T, from: number): void {
    let slot = from;
    while (slot > 0) {
      const parent = (slot - 1) >> 2;
      if (!this.#goesBefore(item, parent)) break;
      this.#shift(parent, slot);
      slot = parent;
    }
    this.#place(item, slot);
  }

  /** Moves `item` down from a free slot until it goes before its children. */
  #sink(item: T, from: number): void {
    const count = this.items.length;
    let slot = from;
    for (let child = ARITY * slot + 1; child < count; child = ARITY * slot + 1) {
      let first = child;
      const end = Math.min(child + ARITY, count);
      for (let other = child + 1; other < end; other++) if (this.#slotBefore(other, first)) first = other;
      if (this.#goesBefore(item, first)) break;
      this.#shift(first, slot);
      slot = first;
    }
    this.#place(item, slot);
  }

  /** Whether `item` goes before what stands at `slot`. */
  #goesBefore(item: T, slot: number): boolean {
    const ranks = this.#ranks;
    const at = slot * WIDTH;
    const hi = ranks[at] as number;
    if (item.hi !== hi) return item.hi < hi;
    const lo = ranks[at + 1] as number;
    if (item.lo !== lo) return item.lo < lo;
    const turn = ranks[at + 2] as number;
    if (item.lastGranted !== turn) return item.lastGranted < turn;
    return item.id < (this.items[slot] as T).id;
  }

  #slotBefore(a: number, b: number): boolean {
    const ranks = this.#ranks;
    const atA = a * WIDTH;
    const atB = b * WIDTH;
    for (let i = 0; i < WIDTH; i++) {
      const left = ranks[atA + i] as number;
      const right = ranks[atB + i] as number;
      if (left !== right) return left < right;
    }
    return (this.items[a] as T).id < (this.items[b] as T).id;
  }

  /** Copies what stands at one slot to another. */
  #shift(from: number, to: number): void {
    const item = this.items[from] as T;
    this.items[to] = item;
    item.slot = to;
    const ranks = this.#ranks;
    const source = from * WIDTH;
    const target = to * WIDTH;
    ranks[target] = ranks[source] as number;
    ranks[target + 1] = ranks[source + 1] as number;
    ranks[target + 2] = ranks[source + 2] as number;
  }

  #place(item: T, slot: number): void {
    const at = slot * WIDTH;
    this.items[slot] = item;
    item.slot = slot;
    this.#ranks[at] = item.hi;
    this.#ranks[at + 1] = item.lo;
    this.#ranks[at + 2] = item.lastGranted;
  }

  /** Makes sure that `slot` has room; the second item ever brings the first one's rank with it. */
  #makeRoom(slot: number): void {
    const capacity = this.#ranks.length / WIDTH;
    if (slot < capacity) {
      if (slot === 1) this.#place(this.items[0] as T, 0);
      return;
    }
    const larger = new Float64Array(Math.max(FIRST_CAPACITY, 2 * capacity) * WIDTH);
    larger.set(this.#ranks);
    this.#ranks = larger;
    if (slot === 1) this.#place(this.items[0] as T, 0);
  }
}
