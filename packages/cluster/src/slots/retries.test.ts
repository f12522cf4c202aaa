import { VirtualClock } from "@obleth/clock";
import { poolId, tenantId } from "@obleth/fairshare";
import { describe, expect, it } from "vitest";
import { TURN_MS, WAIT_MS } from "./marks";
import { RETRY_MAX_MS, RETRY_MIN_MS, Retries } from "./retries";

const CHAT = poolId("chat");
const EMBED = poolId("embed");

function setup(random = 0.5) {
  const clock = new VirtualClock();
  const tries: (string | null)[] = [];
  const withdrawn: (string | null)[] = [];
  const retries: Retries = new Retries({
    clock,
    rng: () => random,
    retry: (pool) => tries.push(pool),
    withdraw: (pool) => withdrawn.push(pool),
  });
  return { clock, tries, withdrawn, retries };
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
      withdraw: () => undefined,
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

describe("an announcement while claims are under way", () => {
  const asks = { pool: CHAT, tenantId: tenantId("acme") };
  const denial = { answer: "pool", retryMs: null } as const;

  it("is tried at once after the first of them is denied, which was sent before the slot was free, and once", () => {
    const { clock, tries, retries } = setup();
    retries.sent(CHAT);
    retries.sent(CHAT);
    retries.announced(CHAT);
    expect(tries).toEqual(["chat"]);
    retries.answered(asks, denial);
    clock.advance(0);
    expect(tries).toEqual(["chat", "chat"]);
    retries.answered(asks, denial);
    clock.advance(RETRY_MIN_MS - 1);
    expect(tries).toEqual(["chat", "chat"]);
  });

  it("is tried at once after a denial by the ceiling as well, whatever pool it was for", () => {
    const { clock, tries, retries } = setup();
    retries.sent(EMBED);
    retries.announced(CHAT);
    retries.answered({ pool: EMBED, tenantId: tenantId("acme") }, { answer: "ceiling", retryMs: null });
    clock.advance(0);
    expect(tries).toEqual([null]);
  });

  it("is answered by a claim that can be sent for it, and remembered no longer", () => {
    const clock = new VirtualClock();
    let tries = 0;
    const retries: Retries = new Retries({
      clock,
      rng: () => 0,
      retry: () => {
        tries++;
        if (tries === 1) retries.sent(CHAT);
      },
      withdraw: () => undefined,
    });
    retries.sent(CHAT);
    retries.announced(CHAT);
    retries.answered(asks, denial);
    clock.advance(RETRY_MIN_MS - 1);
    expect(tries).toBe(1);
  });

  it("is forgotten when none of them is denied", () => {
    const { clock, tries, retries } = setup();
    retries.sent(CHAT);
    retries.announced(CHAT);
    retries.answered(asks, { answer: "granted", retryMs: null });
    retries.sent(CHAT);
    retries.answered(asks, denial);
    clock.advance(RETRY_MIN_MS - 1);
    expect(tries).toEqual(["chat"]);
  });
});

describe("a replica that was denied and has nothing to claim when a slot is announced", () => {
  const asks = { pool: CHAT, tenantId: tenantId("acme") };
  const denied = (answer: "pool" | "ceiling" = "pool") => {
    const parts = setup();
    parts.retries.sent(CHAT);
    parts.retries.answered(asks, { answer, retryMs: null });
    return parts;
  };

  it("tells the books so, once", () => {
    const { withdrawn, retries } = denied();
    retries.announced(CHAT);
    retries.announced(CHAT);
    retries.announced(null);
    expect(withdrawn).toEqual(["chat"]);
  });

  it("tells them of the ceiling when that denied it", () => {
    const { withdrawn, retries } = denied("ceiling");
    retries.announced(EMBED);
    expect(withdrawn).toEqual([null]);
  });

  it("tells them nothing while a claim is under way, for one that was granted may be followed by others", () => {
    const { withdrawn, retries } = denied();
    retries.sent(CHAT);
    retries.announced(CHAT);
    expect(withdrawn).toEqual([]);
    retries.answered(asks, { answer: "pool", retryMs: null });
    retries.announced(CHAT);
    expect(withdrawn).toEqual(["chat"]);
  });

  it("tells them nothing when they know already: its last claim was granted and said that nobody waits", () => {
    const { withdrawn, retries } = denied();
    retries.sent(CHAT);
    retries.answered({ ...asks, othersWaiting: 0 }, { answer: "granted", retryMs: null });
    retries.announced(CHAT);
    expect(withdrawn).toEqual([]);
    const more = denied();
    more.retries.sent(CHAT);
    more.retries.answered({ ...asks, othersWaiting: 2 }, { answer: "granted", retryMs: null });
    more.retries.announced(CHAT);
    expect(more.withdrawn).toEqual(["chat"]);
  });

  it("tells them nothing when they have forgotten it", () => {
    const { clock, withdrawn, retries } = denied();
    clock.advance(WAIT_MS + TURN_MS);
    retries.announced(CHAT);
    expect(withdrawn).toEqual([]);
  });

  it("tells them nothing when it was never denied, or in another mode", () => {
    const { withdrawn, retries } = setup();
    retries.announced(CHAT);
    const former = denied();
    former.retries.clear();
    former.retries.announced(CHAT);
    expect([...withdrawn, ...former.withdrawn]).toEqual([]);
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
    retries.sent(CHAT);
    retries.answered(asks("acme"), { answer: "granted", retryMs: null });
    expect(retries.lostInRow(CHAT, tenantId("acme"))).toBe(0);
    retries.denied(CHAT, 10, asks("acme"));
    retries.clear();
    expect(retries.lostInRow(CHAT, tenantId("acme"))).toBe(0);
  });
});
