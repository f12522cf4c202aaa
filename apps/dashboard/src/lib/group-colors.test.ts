import { describe, expect, it } from "vitest";
import { groupColors } from "./group-colors";

const colorsOf = (...stored: number[]) => [
  ...groupColors(stored.map((color, index) => ({ name: `g${index}`, color }))).values(),
];

describe("the colours of groups drawn together", () => {
  it("are their own, whoever else is there", () => {
    expect([...groupColors([{ name: "batch", color: 4 }])]).toEqual([["batch", 4]]);
    expect(colorsOf(0, 1, 2, 3, 4, 5)).toEqual([0, 1, 2, 3, 4, 5]);
    expect([...groupColors([5, 0].map((color) => ({ name: `g${color}`, color })))].sort()).toEqual([
      ["g0", 0],
      ["g5", 5],
    ]);
  });

  it("are what is free where a group's own is none of the six", () => {
    expect(colorsOf(6)).toEqual([0]);
    expect(colorsOf(1000)).toEqual([4]);
    expect(colorsOf(0, 6, 7)).toEqual([0, 1, 2]);
    expect(new Set(colorsOf(6, 12, 18, 24, 30, 36)).size).toBe(6);
  });

  it("differ where two groups were given the same", () => {
    expect(colorsOf(2, 2, 2)).toEqual([2, 3, 4]);
  });

  it("are grey only for those that are more than there are colours", () => {
    expect(colorsOf(0, 1, 2, 3, 4, 5, 6, 7)).toEqual([0, 1, 2, 3, 4, 5, null, null]);
    expect(colorsOf(6, 7, 8, 9, 10, 11, 12).filter((color) => color === null)).toHaveLength(1);
  });

  it("are one a group, also when it is named twice", () => {
    expect([...groupColors([1, 7].map((color) => ({ name: "chat", color })))]).toEqual([["chat", 1]]);
  });
});
