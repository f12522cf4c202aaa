import { describe, expect, it } from "vitest";
import { firstOf, type Ranked, RankHeap, ranksBefore } from "./rank-heap";

function item(id: string, hi = 0, over: Partial<Ranked> = {}): Ranked {
  return { id, hi, lo: 0, lastGranted: 0, cell: -1, ...over };
}

function generator(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

describe("rank", () => {
  it("is by score, then by who was granted least recently, then by id in code units", () => {
    const ordered = [
      item("z", -1, { lo: 9 }),
      item("z", 0, { lo: 1, lastGranted: 2 }),
      item("Z", 0, { lo: 2, lastGranted: 1 }),
      item("a", 0, { lo: 2, lastGranted: 1 }),
      item("ä", 0, { lo: 2, lastGranted: 1 }),
      item("a", 0, { lo: 2, lastGranted: 3 }),
    ];
    for (let i = 1; i < ordered.length; i++) {
      expect(ranksBefore(ordered[i - 1] as Ranked, ordered[i] as Ranked)).toBe(true);
      expect(ranksBefore(ordered[i] as Ranked, ordered[i - 1] as Ranked)).toBe(false);
    }
  });

  it("takes the one there is when there is only one", () => {
    const one = item("a");
    expect([firstOf(one, undefined), firstOf(undefined, one), firstOf(undefined, undefined)]).toEqual([
      one,
      one,
      undefined,
    ]);
  });
});

describe("the heap", { timeout: 60_000 }, () => {
  it("always has the first in rank on top while items come, move and leave in any order", () => {
    const random = generator(3);
    const heap = new RankHeap<Ranked>();
    const inside = new Set<Ranked>();
    for (let i = 0; i < 20_000; i++) {
      const picked = [...inside][random(Math.max(1, inside.size))];
      const kind = random(5);
      if (picked === undefined || kind < 2) {
        const added = item(`i${i}`, random(6), { lo: random(2), lastGranted: random(3) });
        inside.add(added);
        heap.push(added);
      } else if (kind === 2) {
        inside.delete(picked);
        heap.remove(picked);
        expect(picked.cell).toBe(-1);
        expect(heap.has(picked)).toBe(false);
      } else {
        picked.hi += random(5) - 2;
        picked.lastGranted = i;
        heap.moved(picked);
      }
      if (inside.size > 60) {
        for (const each of [...inside].slice(0, 55)) {
          inside.delete(each);
          heap.remove(each);
        }
      }
      const first = [...inside].reduce<Ranked | undefined>((best, each) => firstOf(best, each), undefined);
      expect(heap.top()).toBe(first);
      expect(heap.size).toBe(inside.size);
    }
    expect(new Set(heap.values())).toEqual(inside);
    expect([...inside].every((each) => heap.has(each))).toBe(true);
  });

  it("gives equal items in the order of their ids", () => {
    const heap = new RankHeap<Ranked>();
    for (const id of ["c", "a", "d", "b", "e"]) heap.push(item(id));
    const order: string[] = [];
    for (let top = heap.top(); top !== undefined; top = heap.top()) {
      order.push(top.id);
      heap.remove(top);
    }
    expect(order).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("keeps its order when all ranks are shifted alike", () => {
    const heap = new RankHeap<Ranked>();
    const items = ["a", "b", "c", "d", "e", "f"].map((id, i) => item(id, 100 + ((i * 7) % 6)));
    for (const each of items) heap.push(each);
    for (const each of items) each.hi -= 100;
    heap.shifted();
    const late = item("late", 2);
    heap.push(late);
    const order: number[] = [];
    for (let top = heap.top(); top !== undefined; top = heap.top()) {
      order.push(top.hi);
      heap.remove(top);
    }
    expect(order).toEqual([0, 1, 2, 2, 3, 4, 5]);
  });
});
