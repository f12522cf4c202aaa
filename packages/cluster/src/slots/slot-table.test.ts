/** The rules of the books one by one. Redis is held to the same answers by the random histories of the Redis test. */
import { keyId, poolId, sessionId, tenantId } from "@obleth/fairshare";
import { beforeEach, describe, expect, it } from "vitest";
import { TURN_MS } from "./marks";
import type { ClaimOperation, HoldOperation, SlotAnswer, SlotOperation } from "./slot-store";
import { OvertakenError } from "./slot-store";
import { SlotTable } from "./slot-table";

const TTL_MS = 15_000;
const who = (pool = "chat", tenant = "acme", key = `${tenant}-key`) => ({
  pool: poolId(pool),
  tenantId: tenantId(tenant),
  keyId: keyId(key),
});
const claim = (parts: Partial<ClaimOperation> = {}): ClaimOperation => ({
  kind: "claim",
  ...who(),
  poolSize: 4,
  ceiling: 100,
  tenantCap: null,
  keyCap: null,
  session: null,
  sinceArrivalMs: 0,
  isForHoldOnly: false,
  isStarving: false,
  ...parts,
});
const release = (owner = who()): SlotOperation => ({ kind: "release", ...owner });
const S1 = sessionId("s1");
const hold = (parts: Partial<HoldOperation> = {}): HoldOperation => ({
  kind: "hold",
  ...who(),
  session: S1,
  sinceArrivalMs: 0,
  sinceLastFinishMs: 0,
  holdMs: 3000,
  keepMs: 10_000,
  maxHeld: 1,
  maxJumps: 2,
  ...parts,
});

describe("the books", () => {
  let table: SlotTable;
  let nowMs: number;
  let announced: (string | null)[];

  beforeEach(() => {
    announced = [];
    table = new SlotTable({ onReleased: (pool) => announced.push(pool), onMembership: () => undefined });
    nowMs = 1_000_000;
    beat("a");
    beat("b");
  });

  function beat(instance: string, holdings: Record<string, number> = {}, epoch = 1) {
    return table.heartbeat(
      { instance, ttlMs: TTL_MS, epoch, holdings: new Map(Object.entries(holdings)), asksOthers: false },
      nowMs,
    );
  }

  function run(instance: string, ...operations: SlotOperation[]): (SlotAnswer | undefined)[] {
    const answer = table.run({ instance, epoch: 1, operations }, nowMs);
    if (answer.kind === "unregistered") throw new Error("unregistered");
    return [...answer.answers];
  }

  /** How one operation ended. */
  function how(instance: string, operation: SlotOperation): string {
    const [answer] = run(instance, operation);
    return answer === undefined || answer.kind === "drop-holds" || answer.kind === "withdraw" ? "" : answer.answer;
  }

  /** Whose turn it is at a limit and who waits, in order. */
  function line(limit: string): string[] {
    const mark = table.picture(nowMs).marks.find((each) => each.limit === limit);
    const turns = (mark?.turns ?? []).map(({ name }) => `${name}'s turn`);
    return [...turns, ...(mark?.waits ?? []).map(({ name, slots }) => `${name} waits for ${slots}`)];
  }

  const answersOf = (answers: readonly (SlotAnswer | undefined)[]) =>
    answers.map((answer) => (answer?.kind === "claim" ? answer.answer : ""));

  const total = (limit: string) => table.totals.get(limit) ?? 0;

  describe("a claim", () => {
    it("takes all four limits together", () => {
      expect(how("a", claim())).toBe("granted");
      expect(Object.fromEntries(table.totals)).toEqual({
        g: 1,
        "p|chat": 1,
        "t|chat|acme": 1,
        "k|chat|acme-key": 1,
      });
    });

    it.each([
      ["ceiling", { ceiling: 1, poolSize: 1, tenantCap: 1, keyCap: 1 }],
      ["pool", { poolSize: 1, tenantCap: 1, keyCap: 1 }],
      ["tenant", { tenantCap: 1, keyCap: 1 }],
      ["key", { keyCap: 1 }],
    ] as const)("names the %s when that has no room, and takes nothing", (limit, sizes) => {
      run("a", claim());
      const before = new Map(table.totals);
      expect(how("b", claim(sizes))).toBe(limit);
      expect(table.totals).toEqual(before);
    });

    it("fills a pool to its size over replicas and not beyond", () => {
      const answers = Array.from({ length: 10 }, (_, i) => how(i % 2 === 0 ? "a" : "b", claim()));
      expect(answers.filter((answer) => answer === "granted")).toHaveLength(4);
      expect(total("p|chat")).toBe(4);
    });

    it("admits nothing while a smaller pool holds more than its size", () => {
      run("a", claim(), claim(), claim());
      expect(how("b", claim({ poolSize: 2 }))).toBe("pool");
      run("a", release());
      expect(how("b", claim({ poolSize: 2 }))).toBe("pool");
      run("a", release());
      nowMs += 300;
      expect(how("b", claim({ poolSize: 2 }))).toBe("granted");
    });

    it("of an unknown, an expired or an older replica does nothing", () => {
      const batch = (instance: string, epoch = 1) => table.run({ instance, epoch, operations: [claim()] }, nowMs);
      expect(batch("stranger")).toEqual({ kind: "unregistered" });
      expect(batch("a", 0)).toEqual({ kind: "unregistered" });
      nowMs += TTL_MS;
      expect(batch("a")).toEqual({ kind: "unregistered" });
      expect(total("g")).toBe(0);
    });

    it("is refused when the totals were lost, because only a reconcile brings them back", () => {
      run("a", claim());
      table.corrupt("g", -1);
      expect(table.run({ instance: "a", epoch: 1, operations: [claim()] }, nowMs)).toEqual({ kind: "unregistered" });
    });
  });

  describe("a release", () => {
    it("frees what the replica holds, once", () => {
      run("a", claim());
      expect(how("a", release())).toBe("freed");
      expect(how("a", release())).toBe("not-held");
      expect(table.totals.size).toBe(0);
    });

    it("of a slot another replica holds frees nothing", () => {
      run("a", claim());
      expect(how("b", release())).toBe("not-held");
      expect(total("g")).toBe(1);
    });

    it("is announced when a replica was denied within the last second, and not later", () => {
      run("a", claim({ poolSize: 1 }));
      run("b", claim({ poolSize: 1 }));
      nowMs += 999;
      run("a", release());
      expect(announced).toEqual(["chat"]);
      run("a", claim({ poolSize: 2 }));
      announced.length = 0;
      nowMs += 1001;
      run("a", release());
      expect(announced).toEqual([]);
    });
  });

  describe("a turn", () => {
    it("keeps a freed slot for the replica that was denied first", () => {
      run("a", claim({ poolSize: 1 }));
      expect(how("b", claim({ poolSize: 1 }))).toBe("pool");
      const [, again] = run("a", release(), claim({ poolSize: 1 }));
      expect(again).toMatchObject({ answer: "pool", retryMs: TURN_MS });
      expect(how("b", claim({ poolSize: 1 }))).toBe("granted");
    });

    it("passes from one to the next in the order they were denied", () => {
      beat("c");
      run("a", claim({ poolSize: 1 }));
      expect(how("b", claim({ poolSize: 1 }))).toBe("pool");
      expect(how("c", claim({ poolSize: 1 }))).toBe("pool");
      run("a", release());
      expect(how("c", claim({ poolSize: 1 }))).toBe("pool");
      expect(how("b", claim({ poolSize: 1 }))).toBe("granted");
      run("b", release());
      expect(how("b", claim({ poolSize: 1 }))).toBe("pool");
      expect(how("c", claim({ poolSize: 1 }))).toBe("granted");
    });

    it("is over after half a second, so that a slot is not kept for a replica that is gone", () => {
      run("a", claim({ poolSize: 1 }));
      run("b", claim({ poolSize: 1 }));
      run("a", release());
      nowMs += TURN_MS - 1;
      expect(how("a", claim({ poolSize: 1 }))).toBe("pool");
      nowMs += 1;
      expect(how("a", claim({ poolSize: 1 }))).toBe("granted");
    });

    it("is one for each slot that comes free, as many as the replica has said that requests wait there", () => {
      run("a", claim(), claim(), claim(), claim());
      run("b", claim({ othersWaiting: 1 }));
      run("a", release(), release(), release());
      expect(answersOf(run("a", claim(), claim(), claim()))).toEqual(["granted", "pool", "pool"]);
      const claims = [claim({ othersWaiting: 2 }), claim({ othersWaiting: 1 }), claim()];
      expect(answersOf(run("b", ...claims))).toEqual(["granted", "granted", "pool"]);
    });

    it("counts each claim of a call that was denied, and those behind them once", () => {
      run("a", claim(), claim(), claim(), claim());
      run("b", claim({ othersWaiting: 2 }), claim({ othersWaiting: 1 }), claim());
      expect(line("p|chat")).toEqual(["b waits for 3"]);
      run("b", claim({ othersWaiting: 4 }));
      expect(line("p|chat")).toEqual(["b waits for 5"]);
    });

    it("goes round while several wait for more than one, and nobody is passed twice", () => {
      run("a", claim(), claim(), claim(), claim());
      run("b", claim({ othersWaiting: 3 }));
      run("a", claim({ othersWaiting: 3 }));
      run("a", release(), release(), release());
      expect(line("p|chat")).toEqual(["b's turn", "a's turn", "b's turn", "a waits for 3", "b waits for 2"]);
      expect(answersOf(run("a", claim({ othersWaiting: 2 }), claim({ othersWaiting: 2 })))).toEqual([
        "granted",
        "pool",
      ]);
      expect(answersOf(run("b", claim({ othersWaiting: 1 }), claim()))).toEqual(["granted", "granted"]);
    });

    it("is somebody else's at once when its replica needs fewer by now", () => {
      beat("c");
      run("a", claim(), claim(), claim(), claim());
      run("b", claim({ othersWaiting: 2 }));
      run("a", release(), release());
      run("c", claim());
      announced.length = 0;
      expect(line("p|chat")).toEqual(["b's turn", "b's turn", "b waits for 1", "c waits for 1"]);
      expect(how("b", claim())).toBe("granted");
      expect(line("p|chat")).toEqual(["c's turn"]);
      expect(announced).toEqual(["chat"]);
      expect(how("c", claim())).toBe("granted");
    });

    it("is somebody else's at once when its replica has nothing to claim, and the slot is free when nobody waits", () => {
      beat("c");
      run("a", claim({ poolSize: 1 }));
      run("b", claim({ poolSize: 1, othersWaiting: 3 }));
      run("c", claim({ poolSize: 1 }));
      run("a", release());
      announced.length = 0;
      run("b", { kind: "withdraw", pool: poolId("chat") });
      expect(line("p|chat")).toEqual(["c's turn"]);
      expect(announced).toEqual(["chat"]);
      run("c", { kind: "withdraw", pool: poolId("chat") });
      expect(line("p|chat")).toEqual([]);
      expect(how("a", claim({ poolSize: 1 }))).toBe("granted");
    });

    it("at the ceiling is given up for all pools at once", () => {
      run("a", claim({ ceiling: 1 }));
      run("b", claim({ ceiling: 1 }));
      run("a", release());
      announced.length = 0;
      run("b", { kind: "withdraw", pool: poolId("chat") });
      expect(line("g")).toEqual(["b's turn"]);
      run("b", { kind: "withdraw", pool: null });
      expect(line("g")).toEqual([]);
      expect(how("a", claim({ ceiling: 1 }))).toBe("granted");
    });

    it("that runs out ends the wait of its replica too, so that one that is gone has no second slot kept for it", () => {
      run("a", claim(), claim(), claim(), claim());
      run("b", claim({ othersWaiting: 3 }));
      run("a", release());
      nowMs += TURN_MS;
      run("a", release());
      expect(line("p|chat")).toEqual([]);
      expect(answersOf(run("a", claim(), claim()))).toEqual(["granted", "granted"]);
    });

    it("holds back one slot and no more", () => {
      run("a", claim(), claim(), claim(), claim());
      run("b", claim());
      run("a", release(), release(), release());
      expect(run("a", claim(), claim(), claim()).map((answer) => answer?.kind === "claim" && answer.answer)).toEqual([
        "granted",
        "granted",
        "pool",
      ]);
      expect(how("b", claim())).toBe("granted");
    });

    it("holds for the ceiling and for caps as well", () => {
      run("a", claim({ ceiling: 1 }));
      expect(how("b", claim({ ...who("embed"), ceiling: 1 }))).toBe("ceiling");
      expect(run("a", release(), claim({ ceiling: 1 }))[1]).toMatchObject({ answer: "ceiling" });
      expect(how("b", claim({ ...who("embed"), ceiling: 1 }))).toBe("granted");
    });

    it("at a limit above is given up by a denial below it", () => {
      run("a", claim({ poolSize: 1 }));
      run("b", claim({ poolSize: 1 }));
      run("a", claim({ ...who("other"), poolSize: 1 }), release());
      run("b", claim({ poolSize: 1, keyCap: 0 }));
      expect(how("a", claim({ poolSize: 1 }))).toBe("granted");
    });
  });

  describe("a held session", () => {
    it("swaps a running slot for a held one that still counts everywhere, outside the replica's holdings", () => {
      run("a", claim());
      expect(how("a", hold())).toBe("held");
      expect(Object.fromEntries(table.totals)).toEqual({
        g: 1,
        "p|chat": 1,
        "t|chat|acme": 1,
        "k|chat|acme-key": 1,
        "h|chat": 1,
        H: 1,
      });
      expect(table.heldBy("a")?.size).toBe(0);
    });

    it("is taken by the session's next step on another replica, past a full pool", () => {
      run("a", claim({ poolSize: 1 }), hold());
      expect(how("b", claim({ poolSize: 1 }))).toBe("pool");
      expect(run("b", claim({ poolSize: 1, session: S1, isForHoldOnly: true }))[0]).toMatchObject({
        answer: "redeemed",
        sinceLastFinishMs: 0,
      });
      expect(total("h|chat")).toBe(0);
      expect(table.heldBy("b")?.get("g")).toBe(1);
    });

    it("cannot be taken by another session or another key", () => {
      run("a", claim({ poolSize: 1 }), hold());
      expect(how("b", claim({ poolSize: 1, session: sessionId("s2") }))).toBe("pool");
      const other = who("chat", "acme", "other-key");
      expect(how("b", claim({ ...other, poolSize: 1, session: S1 }))).toBe("pool");
      expect(how("b", claim({ session: sessionId("s2"), isForHoldOnly: true }))).toBe("none");
    });

    it("is freed at its time by whatever call comes next, and whoever waits is told", () => {
      run("a", claim({ poolSize: 1 }), hold());
      nowMs += 2500;
      run("b", claim({ poolSize: 1 }));
      nowMs += 500;
      expect(run("b", release())).toMatchObject([{ answer: "not-held" }]);
      expect(announced).toEqual(["chat"]);
      expect(table.holds.size).toBe(0);
      expect(how("b", claim({ poolSize: 1 }))).toBe("granted");
    });

    it("is freed by a heartbeat as well", () => {
      run("a", claim(), hold());
      nowMs += 3000;
      beat("b");
      expect(table.totals.size).toBe(0);
    });

    it("is held only when the step followed straight on from the one before, wherever that ran", () => {
      run("a", claim());
      expect(how("a", hold({ sinceLastFinishMs: null }))).toBe("freed");
      nowMs += 2000;
      expect(run("b", claim({ session: S1 }))[0]).toMatchObject({ answer: "granted", sinceLastFinishMs: 2000 });
      nowMs += 60_000;
      beat("a");
      beat("b", { g: 1, "p|chat": 1, "t|chat|acme": 1, "k|chat|acme-key": 1 });
      expect(how("b", hold({ sinceLastFinishMs: 2000, sinceArrivalMs: 60_000 }))).toBe("held");
      nowMs += 4000;
      run("b", claim({ session: S1 }));
      expect(how("b", hold({ sinceLastFinishMs: 4000 }))).toBe("freed");
    });

    it("is held as well when the step came before its forerunner's finish was written down, up to 250 ms", () => {
      const afterLateFinish = (lateMs: number) => {
        run("a", claim());
        how("a", hold({ sinceLastFinishMs: null }));
        const [granted] = run("b", claim({ session: S1, sinceArrivalMs: lateMs }));
        const asked = how("b", hold({ sinceLastFinishMs: null, sinceArrivalMs: lateMs, maxHeld: 9 }));
        run("b", { kind: "drop-holds", pool: who().pool });
        nowMs += 60_000;
        beat("a");
        beat("b");
        return [granted, asked];
      };
      expect(afterLateFinish(250)).toMatchObject([{ answer: "granted", sinceLastFinishMs: 0 }, "held"]);
      expect(afterLateFinish(251)).toMatchObject([{ answer: "granted", sinceLastFinishMs: null }, "freed"]);
    });

    it("takes part of the pool at most", () => {
      run("a", claim(), claim({ ...who("chat", "acme", "k2") }));
      expect(how("a", hold({ maxHeld: 1 }))).toBe("held");
      expect(how("a", hold({ ...who("chat", "acme", "k2"), maxHeld: 1 }))).toBe("freed");
    });

    it("is one per session: the later of two parallel steps renews it and frees its own slot", () => {
      run("a", claim(), claim());
      expect(how("a", hold())).toBe("held");
      nowMs += 1000;
      expect(how("a", hold())).toBe("renewed");
      expect(total("g")).toBe(1);
      nowMs += 2500;
      expect(how("b", claim({ session: S1, isForHoldOnly: true }))).toBe("redeemed");
    });

    it("is given up, not taken, while more is in use than a limit allows: then nothing may start", () => {
      run("a", claim(), claim());
      expect(how("a", hold())).toBe("held");
      beat("b", { g: 4, "p|chat": 4, "t|chat|acme": 4, "k|chat|acme-key": 4 });
      expect(total("p|chat")).toBe(6);
      expect(how("a", claim({ session: S1 }))).toBe("pool");
      expect([total("p|chat"), table.holds.size]).toEqual([5, 0]);
      expect(how("a", hold())).toBe("held");
      expect(how("a", claim({ session: S1, poolSize: 5, isForHoldOnly: true }))).toBe("redeemed");
      expect(how("a", hold({ sinceLastFinishMs: 0 }))).toBe("held");
      expect(how("a", claim({ session: S1, poolSize: 9, keyCap: 4, isForHoldOnly: true }))).toBe("none");
    });

    it("goes back after so many holds in a row while any replica waits for the pool", () => {
      const answers: string[] = [];
      run("a", claim({ poolSize: 1 }));
      for (let i = 0; i < 3; i++) {
        run("b", claim({ poolSize: 1 }));
        answers.push(how("a", hold()));
        if (i < 2) run("a", claim({ poolSize: 1, session: S1 }));
      }
      expect(answers).toEqual(["held", "held", "freed"]);
    });

    it("counts anew after a hold that nobody waited for, and after a release", () => {
      run("a", claim({ poolSize: 1 }));
      for (const isAwaited of [true, false, true, true]) {
        if (isAwaited) run("b", claim({ poolSize: 1 }));
        else nowMs += 1001;
        expect(how("a", hold())).toBe("held");
        run("a", claim({ poolSize: 1, session: S1 }));
      }
      run("b", claim({ poolSize: 1 }));
      expect(how("a", hold())).toBe("freed");
      run("b", claim({ poolSize: 1 }));
      run("b", release());
      nowMs += 260;
      run("a", claim({ poolSize: 1, session: S1 }));
      run("b", claim({ poolSize: 1 }));
      expect(how("a", hold())).toBe("held");
    });

    it("is freed with all of the pool's by a starving claim, and none is made for a second after the last one", () => {
      run("a", claim({ poolSize: 1 }), hold());
      expect(how("b", claim({ poolSize: 1, isStarving: true }))).toBe("granted");
      expect(how("b", hold({ session: sessionId("s2") }))).toBe("freed");
      nowMs += 1000;
      run("b", claim({ poolSize: 1 }));
      expect(how("b", hold({ session: sessionId("s2") }))).toBe("held");
    });

    it("is freed with all of the pool's when affinity is turned off", () => {
      run("a", claim(), claim({ ...who("embed") }), hold(), hold({ ...who("embed") }));
      run("a", { kind: "drop-holds", pool: poolId("chat") });
      expect(total("p|chat")).toBe(0);
      expect(total("p|embed")).toBe(1);
    });

    it("outlives its replica and then runs out", () => {
      run("a", claim(), hold({ holdMs: 60_000 }));
      nowMs += TTL_MS;
      beat("b");
      expect(total("g")).toBe(1);
      nowMs += 60_000;
      beat("b");
      expect(table.totals.size).toBe(0);
    });

    it("leaves no trace of a session once it is forgotten", () => {
      run("a", claim(), hold());
      nowMs += 10_000;
      beat("a");
      expect(table.sessions.size).toBe(0);
      expect(table.holds.size).toBe(0);
    });
  });

  describe("a heartbeat", () => {
    it("takes back what an expired replica held, not a millisecond before it expires", () => {
      run("a", claim(), claim());
      nowMs += TTL_MS - 1;
      expect(beat("b").reclaimedSlots).toBe(0);
      nowMs += 1;
      expect(beat("b")).toMatchObject({ reclaimedSlots: 2, totalSlots: 0 });
      expect(table.totals.size).toBe(0);
    });

    it("wakes those who wait for what it took back", () => {
      run("a", claim({ poolSize: 1 }));
      nowMs += TTL_MS - 500;
      beat("b");
      run("b", claim({ poolSize: 1 }));
      nowMs += 500;
      beat("b");
      expect(announced).toContain("chat");
    });

    it("replaces the sender's part, so a lost release or a lost grant is repaired", () => {
      run("a", claim(), claim());
      const one = { g: 1, "p|chat": 1, "t|chat|acme": 1, "k|chat|acme-key": 1 };
      expect(beat("a", one)).toMatchObject({ ownDrift: 1, totalDrift: 0, totalSlots: 1 });
    });

    it("of another than the first by name changes no more than the sender's part", () => {
      run("a", claim());
      table.corrupt("p|chat", 3);
      expect(beat("b").totalDrift).toBe(0);
      expect(total("p|chat")).toBe(4);
      beat("a", { g: 1, "p|chat": 1, "t|chat|acme": 1, "k|chat|acme-key": 1 });
      expect(total("p|chat")).toBe(1);
    });

    it("of the first by name adds the totals up anew, so phantom slots vanish and others' parts stay", () => {
      run("b", claim());
      table.corrupt("p|chat", 3);
      table.corrupt("g", 3);
      expect(beat("a").totalDrift).toBe(3);
      expect(total("p|chat")).toBe(1);
      expect(table.heldBy("b")?.get("g")).toBe(1);
    });

    it("puts a replica that was paused past its expiry back with what it runs; nothing is admitted until the sum is below", () => {
      run("a", claim(), claim(), claim(), claim());
      nowMs += TTL_MS;
      beat("b");
      run("b", claim(), claim(), claim(), claim());
      const four = { g: 4, "p|chat": 4, "t|chat|acme": 4, "k|chat|acme-key": 4 };
      expect(beat("a", four, 2).wasRegistered).toBe(false);
      expect(total("p|chat")).toBe(8);
      run("b", release(), release(), release(), release());
      expect(how("b", claim())).toBe("pool");
    });

    it("of an earlier epoch does nothing", () => {
      beat("a", {}, 5);
      expect(() => beat("a", { g: 7 }, 4)).toThrow(OvertakenError);
      expect(total("g")).toBe(0);
    });

    it("names all who live with the moment they expire", () => {
      nowMs += 1000;
      expect(beat("a").members).toEqual(
        expect.arrayContaining([
          { instance: "a", expiresAtMs: nowMs + TTL_MS },
          { instance: "b", expiresAtMs: nowMs - 1000 + TTL_MS },
        ]),
      );
    });
  });

  it("are free of a replica that leaves, and tell the others", () => {
    run("a", claim(), claim());
    expect(table.leave("a")).toBe(2);
    expect(table.totals.size).toBe(0);
    expect(announced).toEqual([null]);
    expect(table.leave("a")).toBe(0);
  });

  it("count names that are members of every object like any other", () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      expect(how("a", claim({ ...who(name, name, name), poolSize: 1 }))).toBe("granted");
      expect(how("b", claim({ ...who(name, name, name), poolSize: 1 }))).toBe("pool");
    }
  });
});
