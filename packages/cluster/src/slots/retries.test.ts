import { VirtualClock } from "@obleth/clock";
import { poolId } from "@obleth/fairshare";
import { describe, expect, it } from "vitest";
import { RETRY_MAX_MS, RETRY_MIN_MS, Retries } from "./retries";

const CHAT = poolId("chat");
const EMBED = poolId("embed");

function setup(random = 0.5) {
  const clock = new VirtualClock();
  const tries: (string | null)[] = [];
  const retries = new Retries({ clock, rng: () => random, retry: (pool) => tries.push(pool) });
  return { clock, tries, retries };
}

describe("denied claims", () => {
  it.each([
    [0, RETRY_MIN_MS],
    [0.5, (RETRY_MIN_MS + RETRY_MAX_MS) / 2],
    [0.999_999, RETRY_MAX_MS],
  ])("are tried again at a random moment: %d of the way is %d ms", (random, afterMs) => {
    const { clock, tries, retries } = setup(random);
    retries.denied(CHAT, null);
    clock.advance(afterMs - 1);
    expect(tries).toEqual([]);
    clock.advance(1);
    expect(tries).toEqual(["chat"]);
  });

  it("are tried at once when a slot of their pool is announced, and not once more by the timer", () => {
    const { clock, tries, retries } = setup();
    retries.denied(CHAT, null);
    retries.announced(CHAT);
    expect(tries).toEqual(["chat"]);
    clock.advance(1000);
    expect(tries).toEqual(["chat"]);
  });

  it("of other pools are left alone by an announcement", () => {
    const { tries, retries } = setup();
    retries.denied(EMBED, null);
    retries.announced(CHAT);
    expect(tries).toEqual([]);
  });

  it("of every pool are tried when any pool may have a slot", () => {
    const { tries, retries } = setup();
    retries.denied(CHAT, null);
    retries.denied(EMBED, null);
    retries.announced(null);
    expect(tries).toEqual(["chat", "embed"]);
  });

  it("by the ceiling are tried at an announcement of whatever pool, all pools together", () => {
    const { clock, tries, retries } = setup();
    retries.denied(null, null);
    retries.denied(CHAT, null);
    retries.announced(EMBED);
    expect(tries).toEqual([null]);
    clock.advance(1000);
    expect(tries).toEqual([null]);
  });

  it("share one timer per pool, however many there are", () => {
    const { clock, tries, retries } = setup();
    for (let i = 0; i < 100; i++) retries.denied(CHAT, null);
    clock.advance(1000);
    expect(tries).toEqual(["chat"]);
  });

  it("are tried as soon as another replica's turn is over, if that is sooner", () => {
    const { clock, tries, retries } = setup();
    retries.denied(CHAT, 20);
    clock.advance(20);
    expect(tries).toEqual([]);
    clock.advance(1);
    expect(tries).toEqual(["chat"]);
  });

  it("are forgotten when the mode changes", () => {
    const { clock, tries, retries } = setup();
    retries.denied(CHAT, null);
    retries.denied(null, null);
    retries.clear();
    clock.advance(1000);
    retries.announced(null);
    expect(tries).toEqual([]);
  });

  it("may be denied again from inside the try", () => {
    const clock = new VirtualClock();
    let tries = 0;
    const retries: Retries = new Retries({
      clock,
      rng: () => 0,
      retry: () => {
        tries++;
        retries.denied(CHAT, null);
      },
    });
    retries.denied(CHAT, null);
    clock.advance(1000);
    expect(tries).toBe(10);
  });

  it("cause nothing when an announcement comes that nobody waits for", () => {
    const { tries, retries } = setup();
    retries.announced(CHAT);
    retries.announced(null);
    expect(tries).toEqual([]);
  });
});
