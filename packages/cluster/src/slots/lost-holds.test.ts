/** Held slots that nobody took: each is told once, by the call that frees it, so that made and gone add up in metrics. */
import { keyId, poolId, sessionId, tenantId } from "@obleth/fairshare";
import { beforeEach, describe, expect, it } from "vitest";
import { seeded } from "../../test/sim/fleet";
import type { LostHolds, SlotOperation } from "./slot-store";
import { SlotTable } from "./slot-table";

const TTL_MS = 60_000;
const owner = (pool: string) => ({ pool: poolId(pool), tenantId: tenantId("acme"), keyId: keyId("acme-key") });
const claim = (
  pool: string,
  more: { session?: string; isStarving?: boolean; freesKeyHolds?: boolean } = {},
): SlotOperation => ({
  kind: "claim",
  ...owner(pool),
  poolSize: 20,
  ceiling: 100,
  tenantCap: null,
  keyCap: null,
  session: more.session === undefined ? null : sessionId(more.session),
  sinceArrivalMs: 0,
  isForHoldOnly: false,
  isStarving: more.isStarving ?? false,
  freesKeyHolds: more.freesKeyHolds ?? false,
});
const hold = (pool: string, session: string): SlotOperation => ({
  kind: "hold",
  ...owner(pool),
  session: sessionId(session),
  sinceArrivalMs: 0,
  sinceLastFinishMs: 0,
  holdMs: 3000,
  keepMs: 10_000,
  maxHeld: 20,
  maxJumps: 1000,
});

describe("held slots that nobody took", () => {
  let table: SlotTable;
  let nowMs: number;

  beforeEach(() => {
    table = new SlotTable({ onReleased: () => undefined, onMembership: () => undefined });
    nowMs = 1_000_000;
    for (const instance of ["a", "b"]) beat(instance);
  });

  function beat(instance: string, holdings: ReadonlyMap<string, number> = new Map()): readonly LostHolds[] {
    return table.heartbeat({ instance, ttlMs: TTL_MS, epoch: 1, holdings, asksOthers: false }, nowMs).lostHolds;
  }

  function run(instance: string, ...operations: SlotOperation[]) {
    const answer = table.run({ instance, epoch: 1, operations }, nowMs);
    if (answer.kind === "unregistered") throw new Error("unregistered");
    return answer;
  }

  it("are told by the first call after they ran out, whoever makes it, and once", () => {
    run("a", claim("chat"), hold("chat", "s1"), claim("embed"), hold("embed", "s1"), claim("chat"), hold("chat", "s2"));
    nowMs += 2999;
    expect(run("b", claim("chat")).lostHolds).toEqual([]);
    nowMs += 1;
    expect(run("b", claim("chat")).lostHolds).toEqual([
      { pool: "chat", expired: 2, released: 0 },
      { pool: "embed", expired: 1, released: 0 },
    ]);
    expect(run("a", claim("chat")).lostHolds).toEqual([]);
  });

  it("are told by a heartbeat as well", () => {
    run("a", claim("chat"), hold("chat", "s1"));
    nowMs += 3000;
    expect(beat("b")).toEqual([{ pool: "chat", expired: 1, released: 0 }]);
    expect(beat("b")).toEqual([]);
  });

  it("count as released when a starving claim or the end of affinity frees them early", () => {
    run("a", claim("chat"), hold("chat", "s1"), claim("chat"), hold("chat", "s2"));
    expect(run("b", claim("chat", { isStarving: true })).lostHolds).toEqual([
      { pool: "chat", expired: 0, released: 2 },
    ]);
    nowMs += 1001;
    run("a", claim("chat"), hold("chat", "s3"));
    expect(run("b", { kind: "drop-holds", pool: poolId("chat") }).lostHolds).toEqual([
      { pool: "chat", expired: 0, released: 1 },
    ]);
  });

  it("are those of one key when a request of it was passed as often as it may be, and more may be made", () => {
    const other = { tenantId: tenantId("other"), keyId: keyId("other-key") };
    const kept = { ...hold("chat", "s1"), ...other };
    run(
      "a",
      claim("chat"),
      hold("chat", "s1"),
      claim("chat"),
      hold("chat", "s2"),
      { ...claim("chat"), ...other },
      kept,
    );
    expect(table.holds.size).toBe(3);
    expect(run("b", claim("chat", { freesKeyHolds: true })).lostHolds).toEqual([
      { pool: "chat", expired: 0, released: 2 },
    ]);
    expect([...table.holds.keys()]).toEqual(["chat|other|other-key|s1"]);
    expect(run("a", claim("chat"), hold("chat", "s1")).answers.at(-1)).toEqual({ kind: "hold", answer: "held" });
  });

  it("are not told when the session's next step took the slot", () => {
    run("a", claim("chat"), hold("chat", "s1"));
    expect(run("b", claim("chat", { session: "s1" })).lostHolds).toEqual([]);
    nowMs += 5000;
    expect(run("b", claim("chat")).lostHolds).toEqual([]);
  });

  it("add up with those made, taken and open over random histories", () => {
    const rng = seeded(7);
    const pick = <Item>(items: readonly Item[]) => items[Math.floor(rng() * items.length)] as Item;
    const counts = { held: 0, redeemed: 0, expired: 0, released: 0 };
    const note = (lost: readonly LostHolds[]) => {
      for (const { expired, released } of lost) {
        counts.expired += expired;
        counts.released += released;
      }
    };
    for (let i = 0; i < 4000; i++) {
      nowMs += Math.floor(rng() * 600);
      const [instance, pool, session] = [pick(["a", "b"]), pick(["chat", "embed"]), `s${Math.floor(rng() * 6)}`];
      if (rng() < 0.1) note(beat(instance, table.heldBy(instance)));
      const answer = run(
        instance,
        claim(pool, { session, isStarving: rng() < 0.02 }),
        ...(rng() < 0.02 ? [{ kind: "drop-holds", pool: poolId(pool) } as const] : []),
        rng() < 0.5 ? hold(pool, session) : { kind: "release", ...owner(pool) },
      );
      note(answer.lostHolds);
      for (const one of answer.answers) {
        if (one.kind === "claim" && one.answer === "redeemed") counts.redeemed += 1;
        if (one.kind === "hold" && one.answer === "held") counts.held += 1;
      }
      expect(counts.held).toBe(counts.redeemed + counts.expired + counts.released + table.holds.size);
    }
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(50);
  });
});
