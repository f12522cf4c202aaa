import { describe, expect, it } from "vitest";
import { sizeAlert, sizeSource, sizeWarnings } from "./capacity-words";

describe("where a pool's size comes from", () => {
  const model = {
    capacity_mode: "discovered" as const,
    per_replica_max_in_flight: 8,
    capacity_headroom: 1.25,
    capacity: { size: 30, state: "discovered", ready_replicas: 3 },
  };

  it("is told with the numbers the gateway worked with and the size it gave", () => {
    expect(sizeSource(model)).toBe("3 ready x 8 each x 1.25 = 30.");
    expect(sizeSource({ ...model, capacity_headroom: 1, capacity: { ...model.capacity, size: 24 } })).toBe(
      "3 ready x 8 each = 24.",
    );
  });

  it("never shows a size that the gateway did not give", () => {
    expect(sizeSource({ ...model, capacity: { ...model.capacity, size: 31 } })).toContain("= 31.");
  });

  it("is words where nothing was multiplied", () => {
    expect(sizeSource({ ...model, per_replica_max_in_flight: null })).toBe("From each endpoint's own cap.");
    expect(sizeSource({ ...model, capacity_mode: "static" })).toBe("Set by hand.");
    expect(sizeSource({ ...model, capacity_mode: "static", capacity: { ...model.capacity, state: "default" } })).toBe(
      "The gateway's default.",
    );
  });
});

describe("a wanted size", () => {
  const capacity = { sum_of_pools: 4088, effective_global_max_in_flight: 4096 };
  const wanted = (size: number) => sizeWarnings({ size, currentSize: 32, replicas: 1, capacity });

  it("may bring all pools together to the ceiling, and is warned of with one slot more", () => {
    expect(wanted(40)).toEqual([]);
    expect(wanted(41)).toEqual(["All pools together would have 4,097 slots, over the ceiling of 4,096."]);
  });

  it("is warned of nothing while the ceiling is not known", () => {
    expect(sizeWarnings({ size: 9000, currentSize: 32, replicas: 1, capacity: null })).toEqual([]);
  });

  it("says what each of three gateways would hold of 32 without Redis: 11", () => {
    expect(sizeWarnings({ size: 32, currentSize: 32, replicas: 3, capacity })).toEqual([
      "Without Redis each of 3 gateways would hold 11.",
    ]);
  });
});

describe("a size under what is in use", () => {
  const pool = { model: "llama", in_flight: 34, held: 2, finishes_5m: 480 };

  it("is asked about with what it does and how much goes on there", () => {
    expect(sizeAlert(32, pool)).toEqual({
      title: "Give llama 32 slots?",
      text: "It uses 36 slots now. Nothing that runs is cut off, and nothing starts until 5 of them have finished. In the last 5 minutes 480 requests finished here.",
    });
  });

  it("is the only one that is", () => {
    expect(sizeAlert(36, pool)).toBe(null);
    expect(sizeAlert(null, pool)).toBe(null);
    expect(sizeAlert(1, undefined)).toBe(null);
  });
});
