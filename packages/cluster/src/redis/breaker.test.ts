import { VirtualClock } from "@obleth/clock";
import { describe, expect, it } from "vitest";
import { Breaker, BreakerOpenError } from "./breaker";
import { DeadlineError } from "./deadline";

const turn = () => new Promise((resolve) => setImmediate(resolve));

function setup() {
  const clock = new VirtualClock();
  const changes: boolean[] = [];
  const probe = { answers: true, calls: 0 };
  const breaker = new Breaker({
    clock,
    timeoutMs: 250,
    probe: async () => {
      probe.calls++;
      if (!probe.answers) throw new Error("silent");
    },
    onChange: (isOpen) => changes.push(isOpen),
  });
  return { clock, changes, probe, breaker };
}

describe("the breaker", () => {
  it("gives up on a silent server at the deadline and refuses the next call at once", async () => {
    const { clock, breaker, changes } = setup();
    const first = breaker.run(() => new Promise(() => undefined));
    const failed = expect(first).rejects.toBeInstanceOf(DeadlineError);
    clock.advance(250);
    await failed;
    await expect(breaker.run(async () => "never asked")).rejects.toBeInstanceOf(BreakerOpenError);
    expect(changes).toEqual([true]);
  });

  it("asks once a second in the background and closes at the first answer", async () => {
    const { clock, breaker, changes, probe } = setup();
    probe.answers = false;
    await expect(breaker.run(() => Promise.reject(new Error("reset")))).rejects.toThrow("reset");
    for (let second = 1; second <= 3; second++) {
      clock.advance(1000);
      await turn();
      expect(probe.calls).toBe(second);
    }
    probe.answers = true;
    clock.advance(1000);
    await turn();
    expect(changes).toEqual([true, false]);
    expect(await breaker.run(async () => 7)).toBe(7);
    clock.advance(10_000);
    await turn();
    expect(probe.calls).toBe(4);
  });

  it("stays closed on an answer that is an error of one call", async () => {
    const { breaker } = setup();
    const call = breaker.run(
      () => Promise.reject(new Error("WRONGTYPE")),
      () => true,
    );
    await expect(call).rejects.toThrow("WRONGTYPE");
    expect(breaker.isOpen).toBe(false);
  });

  it("asks nothing more after it was closed for good", async () => {
    const { clock, breaker, probe } = setup();
    await expect(breaker.run(() => Promise.reject(new Error("reset")))).rejects.toThrow();
    breaker.close();
    clock.advance(60_000);
    await turn();
    expect(probe.calls).toBe(0);
  });
});
