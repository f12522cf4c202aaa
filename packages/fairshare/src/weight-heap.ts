/**
 * The members of a line that have work, heaviest first, with the sum of their weights. A binary max-heap by weight
 * only, in which each item knows its place; it exists so that the few members whose quota reaches a whole slot can be
 * found without looking at the others.
 */

/** What can stand in a WeightHeap; in at most one at a time. */
export interface Weighted {
  /** Whole number from 1. While it stands in a heap only `reweigh` may change it. */
  weight: number;
  /** Index in the heap; -1 when not in it. */
  weightSlot: number;
}

/** A line's members with work, the heaviest first. */
export class WeightHeap<T extends Weighted> {
  /** In heap order: no item is heavier than the one at half its index. Read it only. */
  readonly items: T[] = [];
  /** Sum of the weights, exact. */
  total = 0;

  /** Items in the heap. */
  get size(): number {
    return this.items.length;
  }

  /** Adds an item that is not in the heap. O(log n), O(1) among equal weights. */
  push(item: T): void {
    this.total += item.weight;
    item.weightSlot = this.items.length;
    this.items.push(item);
    if (item.weightSlot > 0) this.#siftUp(item, item.weightSlot);
  }

  /** Takes out an item that is in the heap, at the weight it was put in with. */
  remove(item: T): void {
    this.total -= item.weight;
    const slot = item.weightSlot;
    const last = this.items.pop() as T;
    item.weightSlot = -1;
    if (last === item) return;
    this.#place(last, slot);
    this.#settle(last);
  }

  /** Changes the weight of an item that is in the heap. */
  reweigh(item: T, weight: number): void {
    this.total += weight - item.weight;
    item.weight = weight;
    this.#settle(item);
  }

  /**
   * Calls `visit` for every item of at least `weight`, in no useful order, until it returns false. O(number visited).
   */
  eachFrom(weight: number, visit: (item: T) => boolean, slot = 0): boolean {
    const item = this.items[slot];
    if (item === undefined || item.weight < weight) return true;
    return visit(item) && this.eachFrom(weight, visit, 2 * slot + 1) && this.eachFrom(weight, visit, 2 * slot + 2);
  }

  /** Writes an item to a slot, and the slot to the item. */
  #place(item: T, slot: number): void {
    this.items[slot] = item;
    item.weightSlot = slot;
  }

  /** Moves an item up or down until no parent is lighter than its child. */
  #settle(item: T): void {
    const slot = item.weightSlot;
    const parent = this.items[(slot - 1) >> 1];
    if (slot > 0 && parent !== undefined && item.weight > parent.weight) this.#siftUp(item, slot);
    else this.#siftDown(item, slot);
  }

  /** Moves `item` up from a free slot until its parent is no lighter. */
  #siftUp(item: T, from: number): void {
    let slot = from;
    while (slot > 0) {
      const parentSlot = (slot - 1) >> 1;
      const parent = this.items[parentSlot] as T;
      if (item.weight <= parent.weight) break;
      this.#place(parent, slot);
      slot = parentSlot;
    }
    this.#place(item, slot);
  }

  /** Moves `item` down from a free slot until no child is heavier. */
  #siftDown(item: T, from: number): void {
    const half = this.items.length >> 1;
    let slot = from;
    while (slot < half) {
      let childSlot = 2 * slot + 1;
      let child = this.items[childSlot] as T;
      const right = this.items[childSlot + 1];
      if (right !== undefined && right.weight > child.weight) {
        child = right;
        childSlot += 1;
      }
      if (child.weight <= item.weight) break;
      this.#place(child, slot);
      slot = childSlot;
    }
    this.#place(item, slot);
  }
}
