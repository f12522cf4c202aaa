import { describe, expect, it } from "vitest";
import { affinityStudy } from "./affinity-study";
import { agents } from "./agents";
import { arena } from "./arena";
import { kubernetes } from "./kubernetes";
import { jain } from "./service";
import { synthetic } from "./synthetic";

describe("the evaluation on published ground", () => {
  it.each([
    ["arena", arena, 6],
    ["synthetic", synthetic, 9],
    ["kubernetes", kubernetes, 8],
    ["agents", agents, 5],
  ] as const)("%s: every figure is within its target", (_name, scenario, count) => {
    const { figures } = scenario();
    expect(figures.filter((figure) => figure.target !== null).length).toBe(count);
    expect(figures.filter((figure) => figure.holds === false)).toEqual([]);
  });

  it("affinity: the study's limits hold, and no request waits longer than its bound", () => {
    const figures = affinityStudy().scenarios.flatMap((scenario) => scenario.figures);
    expect(figures.filter((figure) => figure.target !== null).length).toBe(4);
    expect(figures.filter((figure) => figure.holds === false)).toEqual([]);
  });

  it("gives 1 for equal parts and 1 over n when one has everything", () => {
    expect(jain([3, 3, 3])).toBe(1);
    expect(jain([9, 0, 0])).toBeCloseTo(1 / 3, 12);
  });
});
