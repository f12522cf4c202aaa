import { expect, it } from "vitest";
import { splitSlots, splitWithTies } from "../src/shares";
import { apportionByHand } from "./apportionment-oracle";
import { Rng } from "./sim/rng";

/** A quick look at what `shares.property.test.ts` does at length. */
it("splits five hundred random claims as the rule, read literally, does", () => {
  const rng = new Rng(19);
  for (let round = 0; round < 500; round++) {
    const top = rng.pick([3, 20, 1000]);
    const claimants = Array.from({ length: rng.int(1, 12) }, (_, i) => ({
      id: `t${i}`,
      weight: rng.int(1, top),
      score: rng.int(0, 2),
    }));
    const slots = rng.int(0, 40);
    expect(splitSlots(slots, claimants)).toEqual(apportionByHand(slots, claimants));
    if (splitWithTies(slots, claimants).isTied) continue;
    const reversed = claimants.map((claimant) => ({ ...claimant, score: -claimant.score }));
    expect(splitSlots(slots, reversed)).toEqual(apportionByHand(slots, claimants));
  }
});
