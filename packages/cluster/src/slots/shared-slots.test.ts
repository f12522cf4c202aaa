import { VirtualClock } from "@obleth/clock";
import { describe, expect, it } from "vitest";
import { SharedSlots } from "./shared-slots";
import { Holdings } from "./slot-fields";
import type { Heartbeat } from "./slot-store";

/** A store that takes every call and never answers. */
function silentStore() {
  const beats: Heartbeat[] = [];
  const store = { run: () => undefined, heartbeat: (beat: Heartbeat) => void beats.push(beat), leave: () => undefined };
  return { beats, store };
}

describe("before the start", () => {
  /** A connection is subscribed, and hears of others, before the gateway has anything to admit. */
  it("sends no heartbeat for replicas that come and go: nobody could be told of the mode it leads to", () => {
    const clock = new VirtualClock();
    const { beats, store } = silentStore();
    const slots = new SharedSlots({
      store,
      clock,
      rng: () => 0.5,
      instance: "replica-1",
      settings: { sharedSlots: true, replicaAware: true, heartbeatMs: 5000, ttlMs: 15_000, responseTimeoutMs: 250 },
      defer: (run) => void clock.setTimer(0, run),
    });
    slots.onMembership();
    slots.onReleased(null);
    clock.advance(1000);
    expect(beats).toHaveLength(0);
    slots.start({ holdings: () => new Holdings(), retry: () => undefined, onMode: () => undefined }, () => undefined);
    expect(beats).toHaveLength(1);
  });
});
