/** Session affinity in shared mode: holds live in the shared books; the engine asks for them and says what may be held. */
import { describe, expect, it } from "vitest";
import { SharedRun } from "../test/shared-run";
import { decisionsSince } from "./engine";
import type { AffinitySettings } from "./events";
import type { EngineConfig } from "./state";

const DEFAULTS: AffinitySettings = { holdMs: 3_000, maxHeldPercent: 25, maxBypassMs: 30_000 };

function start(size: number, affinity: AffinitySettings | null = DEFAULTS, config: Partial<EngineConfig> = {}) {
  const run = new SharedRun(config);
  run.pool("m", { size, affinity });
  return run;
}

describe("the end of a session's step", () => {
  it("asks to hold instead of releasing, with all that the books need to judge it", () => {
    const run = start(10, DEFAULTS, { warmMs: 120_000, maxJumps: 8 });
    const id = run.ask({ session: "s" });
    run.answer("granted", 450);
    run.nowMs += 70;
    run.finish(id);
    expect(run.released).toEqual([]);
    expect(run.holds).toMatchObject([
      {
        waiterId: id,
        pool: "m",
        tenantId: "t",
        keyId: "t-key",
        session: "s",
        sinceArrivalMs: 70,
        sinceLastFinishMs: 450,
        holdMs: 3_000,
        keepMs: 120_000,
        maxHeld: 3,
        maxJumps: 8,
      },
    ]);
    expect(run.poolPicture()).toMatchObject({ inFlight: 0, held: 0 });
  });

  it("knows of an earlier step by its own memory when the books did not say", () => {
    const run = start(4);
    run.finish(run.admit({ session: "s" }));
    run.nowMs += 200;
    run.finish(run.admit({ session: "s" }));
    expect(run.holds.map((hold) => hold.sinceLastFinishMs)).toEqual([null, 200]);
  });

  it("is a plain release without a session, or where sessions are not favoured", () => {
    const plain = start(4);
    const off = start(4, null);
    for (const run of [plain, off]) {
      const id = run.admit(run === plain ? {} : { session: "s" });
      run.finish(id);
      expect([run.released, run.holds]).toEqual([[id], []]);
    }
  });

  it("gives the slot back, and only records the step, while its key has a request that was passed enough", () => {
    const run = start(2, DEFAULTS, { maxJumps: 0 });
    const id = run.admit({ session: "s" });
    run.admit({ tenant: "other" });
    run.ask();
    run.finish(id);
    expect(run.holds[0]).toMatchObject({ holdMs: 0 });
  });
});

describe("a request that would have to queue", () => {
  it("asks for its session's held slot alone first, ahead of all waiters", () => {
    const run = start(1);
    run.admit({ tenant: "other" });
    run.ask({ tenant: "other" });
    const step = run.ask({ session: "s" });
    expect(run.claims).toMatchObject([{ waiterId: step, session: "s", isForHoldOnly: true }]);
    expect(run.poolPicture().queued).toBe(2);
    expect(run.answer("redeemed")).toContainEqual(
      expect.objectContaining({ kind: "grant", outcome: "fast", waitMs: 0 }),
    );
    expect(run.tenantPicture("t")).toMatchObject({ inFlight: 1, servedTokens: 100 });
    expect(decisionsSince(run.state, 0).map(({ kind }) => kind)).toContain("redeemed");
  });

  it("queues in its place by arrival, uncharged, when there is none", () => {
    const run = start(1);
    const running = run.admit();
    const step = run.ask({ session: "s" });
    const later = run.ask();
    run.answer("none");
    expect(run.tenantPicture("t")).toMatchObject({ queued: 2, servedTokens: 100 });
    run.finish(running);
    run.answer("granted");
    run.finish(step);
    run.answer("granted");
    expect(run.granted).toEqual([running, step, later]);
  });

  it("leaves nothing when its client goes meanwhile, and gives a slot that is granted after all straight back", () => {
    const run = start(1);
    run.admit({ tenant: "other" });
    const step = run.ask({ session: "s" });
    run.cancel(step);
    expect(run.poolPicture().queued).toBe(0);
    run.answer("redeemed");
    expect(run.released).toEqual([step]);
    expect(run.state.waiters.size).toBe(1);
    expect(run.state.claims.size).toBe(0);
  });

  it("may time out while it asks", () => {
    const run = start(1);
    run.admit({ tenant: "other" });
    const step = run.ask({ session: "s", timeoutMs: 50 });
    run.wait(50);
    expect(run.refused.get(step)).toBe("timed_out");
    run.answer("none");
    expect(run.poolPicture().queued).toBe(0);
  });

  it("does not ask without a session, or when its key has a request that was passed enough", () => {
    const run = start(1, DEFAULTS, { maxJumps: 0 });
    run.admit({ tenant: "other" });
    run.ask();
    run.ask({ session: "s" });
    expect(run.claims).toHaveLength(0);
    expect(run.poolPicture().queued).toBe(2);
  });
});

describe("an ordinary claim", () => {
  it("names its session, so that a hold may serve it, and counts as a jump over older requests of its key", () => {
    const run = start(1, DEFAULTS, { maxJumps: 1 });
    const running = run.admit({ session: "s" });
    const lone = run.ask();
    const step = run.ask({ session: "s" });
    run.answer("none");
    run.finish(running);
    expect(run.claims).toMatchObject([{ waiterId: step, session: "s", isForHoldOnly: false }]);
    run.answer("redeemed");
    run.finish(step);
    expect(run.holds.at(-1)).toMatchObject({ holdMs: 0 });
    expect(run.claims.map((claim) => claim.waiterId)).toEqual([lone]);
  });

  it("takes its jump back when it is refused", () => {
    const run = start(1, DEFAULTS, { maxJumps: 1 });
    const running = run.admit({ session: "s" });
    run.ask();
    const step = run.ask({ session: "s" });
    run.answer("none");
    run.finish(running);
    run.answer("pool");
    run.retry("m");
    expect(run.claims[0]?.waiterId).toBe(step);
  });

  it("keeps the passes it had when it is refused, whatever of its key ended meanwhile", () => {
    const run = start(2, { ...DEFAULTS, maxHeldPercent: 100 }, { maxJumps: 1 });
    const [one, two] = [run.admit({ session: "one" }), run.admit({ session: "two" })];
    const lone = run.ask({ session: "cold" });
    run.answer("none");
    const step = run.ask({ session: "one" });
    run.answer("none");
    run.finish(one);
    expect(run.claims.map((claim) => claim.waiterId)).toEqual([step]);
    run.answer("granted");
    run.ask({ session: "two" });
    run.finish(step);
    expect(run.claims.map((claim) => claim.waiterId)).toEqual([lone]);
    run.finish(two);
    run.answer("pool");
    run.answer("pool");
    expect(run.claims).toEqual([]);
    run.retry("m");
    expect(run.claims[0]?.waiterId).toBe(lone);
  });

  it("counts as a jump over an older request whose own claim was refused meanwhile", () => {
    const run = start(4, { ...DEFAULTS, maxHeldPercent: 100 }, { maxJumps: 1 });
    const running = run.admit({ session: "warm" });
    const lone = run.ask();
    const step = run.ask({ session: "warm" });
    expect(run.claims.map((claim) => claim.waiterId)).toEqual([lone, step]);
    run.answer("pool");
    run.answer("redeemed");
    run.finish(running);
    expect(run.holds.at(-1)).toMatchObject({ holdMs: 0 });
  });

  it("asks for the held slots of its key to be freed once it was passed often enough, and not before", () => {
    const run = start(1, DEFAULTS, { maxJumps: 2 });
    let running = run.admit({ session: "warm" });
    const lone = run.ask();
    const flags: boolean[] = [];
    for (let i = 0; i < 3; i++) {
      run.ask({ session: "warm" });
      if (i < 2) run.answer("none");
      run.finish(running);
      running = run.claims[0]?.waiterId ?? 0;
      flags.push(run.claims[0]?.freesKeyHolds ?? false);
      if (i < 2) run.answer("granted");
    }
    expect(running).toBe(lone);
    expect(flags).toEqual([false, false, true]);
    run.answer("pool");
    run.retry("m");
    expect(run.claims[0]).toMatchObject({ waiterId: lone, freesKeyHolds: true, isStarving: false });
  });

  it("is marked as starving while a request that could run has waited past the bypass limit", () => {
    const run = start(1, { ...DEFAULTS, maxBypassMs: 1_000 });
    run.ask();
    run.answer("pool");
    run.nowMs += 999;
    run.retry("m");
    expect(run.claims[0]?.isStarving).toBe(false);
    run.answer("pool");
    run.nowMs += 1;
    run.retry("m");
    expect(run.claims[0]?.isStarving).toBe(true);
  });
});

describe("turning affinity off", () => {
  it("asks for the pool's holds to be dropped, and claims name no session from there on", () => {
    const run = start(2);
    run.admit({ session: "s" });
    run.pool("m", { size: 2, affinity: null });
    expect(run.effects).toContainEqual({ kind: "drop_holds", pool: "m" });
    run.ask({ session: "s" });
    expect(run.claims[0]?.session).toBeNull();
  });

  it("says nothing of the kind in local mode", () => {
    const run = start(2);
    run.limits("local");
    run.pool("m", { size: 2, affinity: null });
    expect(run.effects.some((effect) => effect.kind === "drop_holds")).toBe(false);
  });
});

describe("claims with affinity off", () => {
  it("are those of an engine without sessions on the same history", () => {
    const [off, none] = [start(2, null), start(2, null)];
    for (let i = 0; i < 200; i++) {
      off.ask({ tenant: `t${i % 3}`, session: `s${i % 4}` });
      none.ask({ tenant: `t${i % 3}` });
      for (const run of [off, none]) {
        run.nowMs += 5;
        if (run.claims.length > 0) run.answer(i % 5 === 0 ? "pool" : "granted");
        if (i % 3 === 0) run.retry("m");
        if (i % 2 === 0 && run.running.size > 0) run.finish([...run.running][0] ?? 0);
      }
    }
    expect(off.granted).toEqual(none.granted);
    expect(off.claims.map((claim) => claim.waiterId)).toEqual(none.claims.map((claim) => claim.waiterId));
    expect(off.holds).toEqual([]);
  });
});
