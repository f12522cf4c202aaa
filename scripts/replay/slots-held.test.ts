import { describe, expect, it } from "vitest";
import { contention, settled, slotsHeld } from "./slots-held";

const stay = (tenant: string, fromMs: number, toMs: number) => ({ tenant, fromMs, toMs });

describe("contention", () => {
  it("is the longest stretch in which everyone has a request waiting", () => {
    const waiting = [stay("a", 0, 3), stay("b", 2, 50), stay("b", 5, 90), stay("a", 20, 60), stay("a", 55, 100)];
    expect(contention(waiting, ["a", "b"])).toEqual({ fromMs: 20, toMs: 90 });
  });

  it("does not exist when somebody never waits", () => {
    expect(contention([stay("a", 0, 10), stay("b", 10, 20)], ["a", "b"])).toBeUndefined();
  });
});

describe("settled", () => {
  it("starts when the last request that ran before has left", () => {
    const running = [stay("b", 0, 30), stay("b", 0, 45), stay("a", 31, 70)];
    expect(settled({ fromMs: 20, toMs: 60 }, running)).toEqual({ fromMs: 45, toMs: 60 });
  });
});

describe("slotsHeld", () => {
  it("averages over time and knows the most at once", () => {
    const running = [stay("a", 0, 10), stay("a", 10, 20), stay("a", 15, 40), stay("b", 0, 20)];
    expect(slotsHeld(running, "a", { fromMs: 0, toMs: 20 })).toEqual({ mean: 1.25, most: 2 });
    expect(slotsHeld(running, "b", { fromMs: 0, toMs: 20 })).toEqual({ mean: 1, most: 1 });
  });

  it("counts a slot handed on at one moment once", () => {
    expect(slotsHeld([stay("a", 0, 10), stay("a", 10, 20)], "a", { fromMs: 0, toMs: 20 }).most).toBe(1);
  });

  it("is nothing over an empty period", () => {
    expect(slotsHeld([stay("a", 0, 10)], "a", { fromMs: 5, toMs: 5 }).mean).toBe(0);
  });
});
