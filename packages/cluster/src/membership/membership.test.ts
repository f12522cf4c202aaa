import { describe, expect, it } from "vitest";
import type { HeartbeatAnswer } from "../slots/slot-store";
import { Membership } from "./membership";
import { WayBack } from "./way-back";

const TTL_MS = 15_000;

/** An answer at `nowMs` in which each other replica has sent its last heartbeat at the given time. */
function answer(nowMs: number, lastBeats: Readonly<Record<string, number>>): HeartbeatAnswer {
  const others = Object.entries(lastBeats).map(([instance, beatMs]) => ({ instance, expiresAtMs: beatMs + TTL_MS }));
  return {
    nowMs,
    wasRegistered: true,
    reclaimedSlots: 0,
    ownDrift: 0,
    totalDrift: 0,
    heldSessions: 0,
    lostHolds: [],
    totalSlots: 0,
    members: [{ instance: "me", expiresAtMs: nowMs + TTL_MS }, ...others],
  };
}

describe("what a replica knows of the others", () => {
  it("is one before the first answer, then whoever lives", () => {
    const membership = new Membership("me", TTL_MS);
    expect(membership.liveCount).toBe(1);
    membership.update(answer(1000, { a: 900, b: 800 }));
    expect(membership.liveCount).toBe(3);
    expect(membership.others).toEqual(["a", "b"]);
  });

  it("keeps counting those that lived when touch was lost until they are given up", () => {
    const membership = new Membership("me", TTL_MS);
    membership.update(answer(1000, { a: 900, b: 800 }));
    membership.lostTouch();
    membership.update(answer(60_000, {}));
    expect(membership.liveCount).toBe(3);
    membership.lostTouch();
    expect(membership.liveCount).toBe(3);
    membership.forgetMissing();
    expect(membership.liveCount).toBe(1);
  });

  it("is settled at once when nobody else lives", () => {
    const membership = new Membership("me", TTL_MS);
    membership.update(answer(1000, {}));
    expect(membership.isSettled).toBe(true);
  });

  it("is not settled on first contact until each other has sent a heartbeat since", () => {
    const membership = new Membership("me", TTL_MS);
    membership.update(answer(1000, { a: 900, b: 800 }));
    expect(membership.isSettled).toBe(false);
    membership.update(answer(1200, { a: 1100, b: 800 }));
    expect(membership.isSettled).toBe(false);
    membership.update(answer(1400, { a: 1100, b: 1300 }));
    expect(membership.isSettled).toBe(true);
  });

  it("is settled after an outage of its own alone, because the others went on sending heartbeats", () => {
    const membership = new Membership("me", TTL_MS);
    membership.update(answer(1000, { a: 900 }));
    membership.lostTouch();
    membership.update(answer(9000, { a: 8500 }));
    expect(membership.isSettled).toBe(true);
  });

  it("is not settled after an outage of all until the others have put their part on the books", () => {
    const membership = new Membership("me", TTL_MS);
    membership.update(answer(1000, { a: 900 }));
    membership.heard(1500);
    membership.lostTouch();
    membership.update(answer(5000, { a: 900 }));
    expect(membership.isSettled).toBe(false);
    membership.update(answer(5500, { a: 5400 }));
    expect(membership.isSettled).toBe(true);
  });

  it("is not settled after a restart that lost everything until the others are back", () => {
    const membership = new Membership("me", TTL_MS);
    membership.update(answer(1000, { a: 900 }));
    membership.lostTouch();
    membership.update(answer(5000, {}));
    expect(membership.isSettled).toBe(false);
    membership.update(answer(5200, { a: 5100 }));
    expect(membership.isSettled).toBe(true);
  });
});

describe("the way back to shared slots", () => {
  const setup = () => {
    const membership = new Membership("me", TTL_MS);
    const way = new WayBack({ membership, responseTimeoutMs: 250, heartbeatMs: 5000, ttlMs: TTL_MS });
    return { membership, way };
  };

  it("is open at once when the others are settled", () => {
    const { membership, way } = setup();
    membership.update(answer(1000, {}));
    expect(way.answered(0, 5)).toBe("open");
  });

  it("waits a second at most for a fresh heartbeat of others whose part is on the books", () => {
    const { membership, way } = setup();
    membership.update(answer(1000, { a: 900 }));
    membership.lostTouch();
    way.lost("error", 0);
    membership.update(answer(3000, { a: 900 }));
    expect(way.answered(10_000, 5)).toBe("peers-missing");
    expect(way.isWaiting).toBe(true);
    expect(way.answered(10_999, 5)).toBe("peers-missing");
    expect(way.answered(11_000, 5)).toBe("open");
    expect(membership.liveCount).toBe(2);
  });

  it("waits a time to live for others that vanished from the books, and then gives them up", () => {
    const { membership, way } = setup();
    membership.update(answer(1000, { a: 900 }));
    membership.lostTouch();
    way.lost("error", 0);
    membership.update(answer(9000, {}));
    expect(way.answered(10_000, 5)).toBe("peers-missing");
    expect(way.answered(10_000 + TTL_MS - 1, 5)).toBe("peers-missing");
    expect(membership.liveCount).toBe(2);
    expect(way.answered(10_000 + TTL_MS, 5)).toBe("open");
    expect(membership.liveCount).toBe(1);
  });

  it("waits a heartbeat longer on first contact, when the others may not have heard of it", () => {
    const { membership, way } = setup();
    membership.update(answer(1000, { a: 900 }));
    expect(way.answered(0, 5)).toBe("peers-missing");
    expect(way.answered(5999, 5)).toBe("peers-missing");
    expect(way.answered(6000, 5)).toBe("open");
  });

  it("asks for a prompt answer for ten seconds after a timeout, so that the mode does not flap", () => {
    const { membership, way } = setup();
    membership.update(answer(1000, { a: 900 }));
    membership.lostTouch();
    way.lost("timeout", 0);
    membership.update(answer(2000, { a: 1900 }));
    expect(way.answered(1000, 200)).toBe("too-slow");
    expect(way.answered(2000, 150)).toBe("open");
    way.lost("timeout", 3000);
    expect(way.answered(12_999, 200)).toBe("too-slow");
    expect(way.answered(13_000, 200)).toBe("open");
  });

  it("keeps apart for most of a second after a timeout, however prompt the next answer", () => {
    const { membership, way } = setup();
    membership.update(answer(1000, { a: 900 }));
    membership.lostTouch();
    way.lost("timeout", 0);
    membership.update(answer(1100, { a: 1050 }));
    expect(way.answered(899, 5)).toBe("too-slow");
    expect(way.answered(900, 5)).toBe("open");
  });

  it("asks for no prompt answer after an error, nor of a replica that is alone", () => {
    const { membership, way } = setup();
    membership.update(answer(1000, { a: 900 }));
    membership.lostTouch();
    way.lost("error", 0);
    membership.update(answer(2000, { a: 1900 }));
    expect(way.answered(1000, 240)).toBe("open");
    way.lost("timeout", 2000);
    membership.update(answer(3000, {}));
    expect(way.answered(2500, 240)).toBe("open");
  });
});
