import { expect, it } from "vitest";
import { replayLine, runSeed } from "./sim/run-seed";
import { ONCE_FAILED } from "./sim/seeds";

/** A quick look at what `engine-history.property.test.ts` does at length. */
it("makes the model's decisions over a few random histories and those that once failed", () => {
  const seeds = [...ONCE_FAILED.map(({ seed }) => seed), ...Array.from({ length: 6 }, (_, i) => 5000 + i)];
  const failures = seeds
    .map((seed) => runSeed(seed, { events: 400, readEvery: 16 }))
    .filter((result) => result.breach !== undefined);
  expect(failures.map(replayLine)).toEqual([]);
}, 60_000);
