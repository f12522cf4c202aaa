import { describe, expect, it } from "vitest";
import { replay, soak } from "./soak";

/** Seeds that once failed; kept so that they never do again. */
const KEPT_SEEDS: readonly number[] = [];

const durationMs = Number(process.env.OBLETH_SIM_MS ?? 60_000);
const one = process.env.OBLETH_SIM_SEED;
/** New histories besides the ones of every run; `OBLETH_SIM_RUNS` says how many. */
const random = Array.from({ length: Number(process.env.OBLETH_SIM_RUNS ?? 0) }, () =>
  Math.floor(Math.random() * 2 ** 31),
);
const seeds = one === undefined ? [...KEPT_SEEDS, 1, 2, 3, 4, 5, 6, ...random] : [Number(one)];

describe.each([
  ["small first-come first-served scheduler", false],
  ["engine", true],
])("a fleet with the %s under random faults", (_, withEngine) => {
  it.each(seeds)(
    "serves everything, never above a limit while the store answers, and ends with empty books (seed %i)",
    (seed) => {
      const report = soak({ seed, durationMs, withEngine });
      expect(report.served).toBeGreaterThan(1000);
      expect(report.quietStarts).toBeGreaterThan(50);
      expect(report.quietDrift, replay(seed, durationMs)).toBe(0);
      expect(report.overStarts, replay(seed, durationMs)).toBe(0);
    },
  );
});
