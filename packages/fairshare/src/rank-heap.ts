/**
 * Who is next: a binary min-heap in which each item knows its place, so that leaving and moving cost O(log n).
 *
 * Order: lowest score, then least recently granted, then id by code units; the same rule at every level, and total, so
 * the heap's inner layout never decides anything.
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

export class RankHeap<T extends Ranked> {
  /** In heap order, which is not sorted order. Read it only. */
  readonly items: T[] = [];

  get size(): number {
    return this.items.length;
  }

  /** The first in rank; undefined when empty. O(1). */
  top(): T | undefined {
    return this.items[0];
  }

  /** Adds an item that stands in no heap. */
  push(item: T): void {
    this.items.push(item);
    this.#siftUp(item, this.items.length - 1);
  }

  /** Takes out an item that stands in this heap. */
  remove(item: T): void {
    const items = this.items;
    const slot = item.slot;
    const last = items.pop() as T;
    item.slot = -1;
    if (last === item) return;
    items[slot] = last;
    last.slot = slot;
    this.moved(last);
  }

  /** Restores order after the rank of an item that stands in this heap has changed. */
  moved(item: T): void {
    const slot = item.slot;
    if (slot > 0 && ranksBefore(item, this.items[(slot - 1) >> 1] as T)) this.#siftUp(item, slot);
    else this.#siftDown(item, slot);
  }

  #siftUp(item: T, from: number): void {
    const items = this.items;
    let slot = from;
    while (slot > 0) {
      const parentSlot = (slot - 1) >> 1;
      const parent = items[parentSlot] as T;
      if (!ranksBefore(item, parent)) break;
      items[slot] = parent;
      parent.slot = slot;
      slot = parentSlot;
    }
    items[slot] = item;
    item.slot = slot;
  }

  #siftDown(item: T, from: number): void {
    const items = this.items;
    const half = items.length >> 1;
    let slot = from;
    while (slot < half) {
      let childSlot = 2 * slot + 1;
      let child = items[childSlot] as T;
      const right = items[childSlot + 1];
      if (right !== undefined && ranksBefore(right, child)) {
        child = right;
        childSlot += 1;
      }
      if (!ranksBefore(child, item)) break;
      items[slot] = child;
      child.slot = slot;
      slot = childSlot;
    }
    items[slot] = item;
    item.slot = slot;
  }
}
