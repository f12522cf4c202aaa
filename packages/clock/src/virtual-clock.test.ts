import { describe, expect, it } from "vitest";
import { VirtualClock } from "./virtual-clock";

describe("virtual time", () => {
  it("stands still until it is moved, and moves both clocks alike", () => {
    const clock = new VirtualClock({ startMs: 5, epochMs: 1_000 });
    expect([clock.monotonicMs(), clock.wallMs()]).toEqual([5, 1_005]);
    clock.advance(2.5);
    expect([clock.monotonicMs(), clock.wallMs()]).toEqual([7.5, 1_007]);
  });

  it("fires timers in the order they fall due, each at its own moment, those of one moment as they were set", () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    const note = (name: string) => () => fired.push(`${name}@${clock.monotonicMs()}`);
    clock.setTimer(30, note("late"));
    clock.setTimer(10, note("first"));
    clock.setTimer(10, note("second"));
    clock.setTimer(31, note("never"));
    clock.advance(30);
    expect(fired).toEqual(["first@10", "second@10", "late@30"]);
  });

  it("fires a timer set by another in the same move when it falls due in it", () => {
    const clock = new VirtualClock();
    const fired: number[] = [];
    const again = () => {
      fired.push(clock.monotonicMs());
      clock.setTimer(10, again);
    };
    clock.setTimer(10, again);
    clock.advance(35);
    expect(fired).toEqual([10, 20, 30]);
    expect(clock.monotonicMs()).toBe(35);
  });

  it("takes a delay below 0 as 0, and does not fire before it is moved", () => {
    const clock = new VirtualClock();
    let count = 0;
    clock.setTimer(-5, () => count++);
    expect(count).toBe(0);
    clock.advance(0);
    expect(count).toBe(1);
  });

  it("never fires a cancelled timer; cancelling late or twice does nothing", () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    const kept = clock.setTimer(5, () => fired.push("kept"));
    const dropped = clock.setTimer(5, () => fired.push("dropped"));
    dropped.cancel();
    dropped.cancel();
    clock.advance(5);
    kept.cancel();
    clock.advance(5);
    expect(fired).toEqual(["kept"]);
  });

  it("lets one timer cancel another that is due at the same moment", () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    clock.setTimer(5, () => {
      fired.push("first");
      second.cancel();
    });
    const second = clock.setTimer(5, () => fired.push("second"));
    clock.advance(10);
    expect(fired).toEqual(["first"]);
  });

  it("moves to the next timer on request, and says when there is none", () => {
    const clock = new VirtualClock();
    const fired: number[] = [];
    clock.setTimer(400, () => fired.push(clock.monotonicMs()));
    clock.setTimer(7, () => fired.push(clock.monotonicMs()));
    expect([clock.advanceToNext(), clock.advanceToNext(), clock.advanceToNext()]).toEqual([true, true, false]);
    expect(fired).toEqual([7, 400]);
    expect(clock.monotonicMs()).toBe(400);
  });
});
