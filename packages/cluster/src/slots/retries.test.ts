import { VirtualClock } from "@obleth/clock";
import { poolId, tenantId } from "@obleth/fairshare";
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
    retries.denied(CHAT, null, null);
    clock.advance(afterMs - 1);
    expect(tries).toEqual([]);
    clock.advance(1);
    expect(tries).toEqual(["chat"]);
  });

  it("are tried at once when a slot of their pool is announced, and not once more by the timer", () => {
    const { clock, tries, retries } = setup();
    retries.denied(CHAT, null, null);
    retries.announced(CHAT);
    expect(tries).toEqual(["chat"]);
    clock.advance(1000);
    expect(tries).toEqual(["chat"]);
  });

  it("of other pools are left alone by an announcement", () => {
    const { tries, retries } = setup();
    retries.denied(EMBED, null, null);
    retries.announced(CHAT);
    expect(tries).toEqual([]);
  });

  it("of every pool are tried when any pool may have a slot", () => {
    const { tries, retries } = setup();
    retries.denied(CHAT, null, null);
    retries.denied(EMBED, null, null);
    retries.announced(null);
    expect(tries).toEqual(["chat", "embed"]);
  });

  it("by the ceiling are tried at an announcement of whatever pool, all pools together", () => {
    const { clock, tries, retries } = setup();
    retries.denied(null, null, null);
    retries.denied(CHAT, null, null);
    retries.announced(EMBED);
    expect(tries).toEqual([null]);
    clock.advance(1000);
    expect(tries).toEqual([null]);
  });

  it("share one timer per pool, however many there are", () => {
    const { clock, tries, retries } = setup();
    for (let i = 0; i < 100; i++) retries.denied(CHAT, null, null);
    clock.advance(1000);
    expect(tries).toEqual(["chat"]);
  });

  it("are tried as soon as another replica's turn is over, if that is sooner", () => {
    const { clock, tries, retries } = setup();
    retries.denied(CHAT, 20, null);
    clock.advance(20);
    expect(tries).toEqual([]);
    clock.advance(1);
    expect(tries).toEqual(["chat"]);
  });

  it("are forgotten when the mode changes", () => {
    const { clock, tries, retries } = setup();
    retries.denied(CHAT, null, null);
    retries.denied(null, null, null);
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
        retries.denied(CHAT, null, null);
      },
    });
    retries.denied(CHAT, null, null);
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

describe("claims that are lost to other replicas", () => {
  const asks = (tenant: string) => ({ pool: CHAT, tenantId: tenantId(tenant) });
  const lose = (retries: Retries, tenant: string) => {
    retries.announced(CHAT);
    retries.denied(CHAT, null, asks(tenant));
  };

  it("are those for an announced slot, or one that is kept for somebody else, of one tenant in a row", () => {
    const { retries } = setup();
    retries.denied(CHAT, null, asks("acme"));
    expect(retries.lostInRow(CHAT, tenantId("acme"))).toBe(0);
    lose(retries, "acme");
    lose(retries, "acme");
    retries.denied(CHAT, 120, asks("acme"));
    expect(retries.lostInRow(CHAT, tenantId("acme"))).toBe(3);
    expect(retries.lostInRow(CHAT, tenantId("other"))).toBe(0);
    lose(retries, "other");
    expect(retries.lostInRow(CHAT, tenantId("acme"))).toBe(0);
    expect(retries.lostInRow(CHAT, tenantId("other"))).toBe(1);
  });

  it("are none when the timer tried while nothing was free", () => {
    const { clock, retries } = setup();
    retries.denied(CHAT, null, asks("acme"));
    for (let i = 0; i < 5; i++) {
      clock.advance(RETRY_MAX_MS);
      retries.denied(CHAT, null, asks("acme"));
    }
    expect(retries.lostInRow(CHAT, tenantId("acme"))).toBe(0);
  });

  it("are forgotten with a claim that is granted, and with the mode", () => {
    const { retries } = setup();
    retries.denied(CHAT, null, asks("acme"));
    lose(retries, "acme");
    retries.granted(CHAT);
    expect(retries.lostInRow(CHAT, tenantId("acme"))).toBe(0);
    retries.denied(CHAT, 10, asks("acme"));
    retries.clear();
    expect(retries.lostInRow(CHAT, tenantId("acme"))).toBe(0);
  });
});
