/** Things to do at their time, earliest first; those of one moment in the order they were put in. A binary heap. */
interface Entry<Item> {
  readonly atMs: number;
  readonly order: number;
  readonly item: Item;
}

export class Agenda<Item> {
  readonly #heap: Entry<Item>[] = [];
  #order = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** Time of the next item; Infinity when there is none. */
  get nextMs(): number {
    return this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  add(atMs: number, item: Item): void {
    this.#order += 1;
    const entry = { atMs, order: this.#order, item };
    let at = this.#heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = this.#heap[parent];
      if (above === undefined || isBefore(above, entry)) break;
      this.#heap[at] = above;
      at = parent;
    }
    this.#heap[at] = entry;
  }

  take(): { readonly atMs: number; readonly item: Item } | undefined {
    const top = this.#heap[0];
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const left = this.#heap[child];
      if (left === undefined) break;
      const right = this.#heap[child + 1];
      if (right !== undefined && isBefore(right, left)) child += 1;
      const least = this.#heap[child];
      if (least === undefined || isBefore(last, least)) break;
      this.#heap[at] = least;
      at = child;
    }
    this.#heap[at] = last;
    return top;
  }
}

function isBefore(a: Entry<unknown>, b: Entry<unknown>): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
