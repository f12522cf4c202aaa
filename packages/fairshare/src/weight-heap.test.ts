import { describe, expect, it } from "vitest";
import { type Weighted, WeightHeap } from "./weight-heap";

describe("the weight heap", () => {
  it("finds exactly the members of a weight or more, and the sum, while they come, change and leave", () => {
    let seed = 5;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const heap = new WeightHeap<Weighted>();
    const inside = new Set<Weighted>();
    for (let i = 0; i < 5_000; i++) {
      const picked = [...inside][random(Math.max(1, inside.size))];
      const kind = random(3);
      if (picked === undefined || (kind === 0 && inside.size < 50)) {
        const added: Weighted = { weight: 1 + random(20), weightSlot: -1 };
        inside.add(added);
        heap.push(added);
      } else if (kind === 1) {
        heap.reweigh(picked, 1 + random(20));
      } else {
        inside.delete(picked);
        heap.remove(picked);
        expect(picked.weightSlot).toBe(-1);
      }
      const least = random(22);
      const found: Weighted[] = [];
      heap.eachFrom(least, (member) => found.push(member) > 0);
      expect(new Set(found)).toEqual(new Set([...inside].filter((member) => member.weight >= least)));
      expect(heap.total).toBe([...inside].reduce((sum, member) => sum + member.weight, 0));
    }
  });

  it("stops where it is told to", () => {
    const heap = new WeightHeap<Weighted>();
    for (let i = 0; i < 100; i++) heap.push({ weight: 5, weightSlot: -1 });
    let seen = 0;
    heap.eachFrom(1, () => {
      seen += 1;
      return seen < 7;
    });
    expect(seen).toBe(7);
  });
});
