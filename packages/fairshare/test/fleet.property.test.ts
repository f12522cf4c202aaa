/** The engine's side of shared slots: whatever answers do on their way, no slot is used twice, lost or left unused. */
import { beforeAll, describe, expect, it } from "vitest";
import { type FleetResult, runFleet } from "./sim/fleet";
import { Rng } from "./sim/rng";

const SEEDS = 200;
const results = new Map<number, FleetResult>();

beforeAll(() => {
  for (let seed = 1; seed <= SEEDS; seed++) results.set(seed, runFleet(new Rng(seed), 1500));
}, 300_000);

const failing = (isBad: (result: FleetResult) => boolean) =>
  [...results].filter(([, result]) => isBad(result)).map(([seed, { faults }]) => `seed ${seed}: ${faults[0] ?? ""}`);
const total = (of: (result: FleetResult) => number) =>
  [...results.values()].reduce((sum, result) => sum + of(result), 0);

describe("several engines over one table of slots", () => {
  it("C1 never run more than the table has, and never without a slot of theirs", () => {
    expect(failing((result) => result.faults.length > 0)).toEqual([]);
  });

  it("C4 C11 give every slot back once: after draining the table is empty", () => {
    expect(failing((result) => result.leftSlots > 0)).toEqual([]);
  });

  it("C21 serve everybody who stays, however claims and announcements are lost", () => {
    expect(failing((result) => result.leftWaiting > 0)).toEqual([]);
  });

  it("meet refusals and departures often enough to tell", () => {
    expect(total((result) => result.admitted)).toBeGreaterThan(10_000);
    expect(total((result) => result.refusedClaims)).toBeGreaterThan(5000);
    expect(total((result) => result.lateDepartures)).toBeGreaterThan(200);
  });
});
