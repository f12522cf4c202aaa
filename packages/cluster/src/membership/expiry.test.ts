import { VirtualClock } from "@obleth/clock";
import { expect, it } from "vitest";
import { Expiry } from "./expiry";

it("is over until the first heartbeat is answered, and counts no stall for that", () => {
  const expiry = new Expiry(new VirtualClock());
  expect([expiry.isOver, expiry.stalls]).toEqual([true, 0]);
});

it("lasts from when the heartbeat was sent, not from its answer", () => {
  const clock = new VirtualClock();
  const expiry = new Expiry(clock);
  clock.advance(100);
  expiry.renewed(100, 3000);
  clock.advance(2899);
  expect(expiry.isOver).toBe(false);
  clock.advance(1);
  expect(expiry.isOver).toBe(true);
});

it("counts each time that it was over once, whether it is looked at meanwhile, later, or renewed in vain", () => {
  const clock = new VirtualClock();
  const expiry = new Expiry(clock);
  expiry.renewed(0, 3000);
  clock.advance(5000);
  expect([expiry.stalls, expiry.stalls]).toEqual([1, 1]);
  expiry.renewed(4000, 3000);
  expect([expiry.isOver, expiry.stalls]).toEqual([true, 1]);
  expiry.renewed(0, 3000);
  expect([expiry.isOver, expiry.stalls]).toEqual([false, 1]);
  clock.advance(5000);
  expiry.renewed(0, 3000);
  expect([expiry.isOver, expiry.stalls]).toEqual([false, 2]);
});
