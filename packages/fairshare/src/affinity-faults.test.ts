/** Faults that others had with sticky sessions: memory that only grows, promises nobody keeps, bindings to what is gone. */
import { describe, expect, it } from "vitest";
import { EngineRun } from "../test/engine-run";
import { createEngine, step } from "./engine";
import type { AffinitySettings } from "./events";
import { groupId, keyId, poolId, sessionId, tenantId, waiterId } from "./ids";

const DEFAULTS: AffinitySettings = { holdMs: 3_000, maxHeldPercent: 25, maxBypassMs: 30_000 };
const TENANT = {
  id: tenantId("t"),
  group: { id: groupId("g"), weight: 100 },
  weight: 100,
  boostFactor: 1,
  maxInFlight: null,
};
const KEY = { id: keyId("k"), weight: 100, maxInFlight: null };

describe("the memory of sessions", { timeout: 60_000 }, () => {
  it("is as large as the warm time asks, and gone after it without another request", () => {
    const pool = poolId("m");
    const state = createEngine({ warmMs: 5_000 });
    const changed = { kind: "pool_changed", pool, size: 8, admissionWeight: 100, routed: true } as const;
    step(state, { ...changed, affinity: DEFAULTS, hasServers: true, queueWithoutServers: false }, 0);
    const sessions = 200_000;
    const gapMs = 0.6;
    let most = 0;
    for (let i = 1; i <= sessions; i++) {
      const [id, session] = [waiterId(i), sessionId(`one-shot-${i}`)];
      const nowMs = i * gapMs;
      step(
        state,
        { kind: "arrive", waiterId: id, pool, tenant: TENANT, key: KEY, costTokens: 1, session, timeoutMs: null },
        nowMs,
      );
      step(state, { kind: "finish", waiterId: id, actualTokens: null }, nowMs);
      most = Math.max(most, state.idleSessions.size);
    }
    expect(most).toBeLessThanOrEqual((5_000 + 3_000 + 1_000) / gapMs + 1);
    let nowMs = sessions * gapMs;
    const endMs = nowMs + 60_000;
    for (nowMs = state.wakeAtMs; nowMs <= endMs; nowMs = state.wakeAtMs) step(state, { kind: "wake" }, nowMs);
    expect(state.idleSessions.size).toBe(0);
    expect(state.pools.get(pool)?.sessions.size ?? 0).toBe(0);
  });
});

/** Ten sessions of one key that send a step whenever one ends, in a pool of two slots, and a lone request behind them. */
function crowd(given: { maxJumps: number; affinity: Partial<AffinitySettings> }) {
  const run = new EngineRun({ maxJumps: given.maxJumps });
  run.pool("m", { size: 2, affinity: { ...DEFAULTS, ...given.affinity } });
  const sessionOf = new Map<number, string>();
  const ask = (session: string) => sessionOf.set(run.ask({ session }), session);
  for (let i = 0; i < 10; i++) ask(`chatty-${i}`);
  const running: number[] = [];
  let mostHeld = 0;
  const turn = () => {
    for (const id of run.granted.slice(running.length)) running.push(id);
    const next = running.find((id) => run.running.has(id));
    run.nowMs += 100;
    if (next === undefined) {
      run.wait(0);
      return;
    }
    run.finish(next);
    mostHeld = Math.max(mostHeld, run.poolPicture().held);
    const session = sessionOf.get(next);
    run.nowMs += 20;
    if (session !== undefined) ask(session);
    mostHeld = Math.max(mostHeld, run.poolPicture().held);
  };
  for (let i = 0; i < 60; i++) turn();
  const lone = run.ask();
  const grantedBefore = run.granted.length;
  const startedMs = run.nowMs;
  /** Until the lone request starts: later requests of its key that started before it, and how long it took. */
  const play = () => {
    for (let i = 0; i < 400 && !run.running.has(lone); i++) turn();
    const passed = run.granted.slice(grantedBefore, run.granted.indexOf(lone)).filter((id) => id > lone);
    return { isServed: run.granted.includes(lone), passes: passed.length, waitedMs: run.nowMs - startedMs, mostHeld };
  };
  return { run, lone, turn, play };
}

describe("a lone request behind ten sessions that never stop", () => {
  it.each([
    [8, 50],
    [1, 50],
    [0, 50],
    [8, 100],
  ])("is passed at most %i times with up to %i %% held, and then goes next", (maxJumps, maxHeldPercent) => {
    const { isServed, passes, mostHeld } = crowd({ maxJumps, affinity: { maxHeldPercent, holdMs: 3_000 } }).play();
    expect(isServed).toBe(true);
    expect(passes).toBeLessThanOrEqual(maxJumps);
    expect(passes).toBe(maxJumps);
    expect(mostHeld).toBeLessThanOrEqual(Math.ceil((2 * maxHeldPercent) / 100));
  });

  it("is passed by nothing after the bypass limit, and its pool holds nothing from then on", () => {
    const { run, lone, turn } = crowd({ maxJumps: 10_000, affinity: { maxHeldPercent: 100, maxBypassMs: 5_000 } });
    const arrivedMs = run.nowMs;
    while (run.nowMs - arrivedMs < 4_800) turn();
    expect(run.running.has(lone)).toBe(false);
    run.wait(arrivedMs + 5_000 - run.nowMs);
    expect(run.poolPicture().held).toBe(0);
    const granted = run.granted.length;
    while (!run.running.has(lone)) {
      turn();
      if (!run.running.has(lone)) expect(run.poolPicture().held).toBe(0);
    }
    const between = run.granted.slice(granted, run.granted.indexOf(lone));
    expect(between.filter((id) => id > lone)).toEqual([]);
  });
});

/** A pool of one slot that is held for session `s`, and another tenant's request that waits for it. */
function heldSlot(affinity: Partial<AffinitySettings> = {}) {
  const run = new EngineRun();
  const settings = { ...DEFAULTS, maxHeldPercent: 100, ...affinity };
  run.pool("m", { size: 1, affinity: settings });
  for (let i = 0; i < 2; i++) {
    const id = run.ask({ session: "s" });
    run.nowMs += 10;
    run.finish(id);
  }
  expect(run.poolPicture().held).toBe(1);
  return { run, settings, waits: run.ask({ tenant: "other" }) };
}

describe("what a hold was made for goes away", () => {
  it("the hold time becomes 0: the hold ends at its time, the next step is like any other, and no more are made", () => {
    const { run, settings, waits } = heldSlot();
    run.pool("m", { size: 1, affinity: { ...settings, holdMs: 0 } });
    run.wait(3_000);
    expect(run.running.has(waits)).toBe(true);
    const next = run.ask({ session: "s" });
    run.finish(waits);
    expect(run.running.has(next)).toBe(true);
    run.finish(next);
    expect(run.poolPicture().held).toBe(0);
  });

  it("the pool shrinks below what is held: nobody is admitted beside the hold, and its slot ends with it", () => {
    const { run, settings } = heldSlot();
    run.pool("m", { size: 2, affinity: settings });
    const runs = run.granted.at(-1) ?? 0;
    const last = run.ask({ tenant: "third" });
    run.pool("m", { size: 1, affinity: settings });
    expect(run.running.has(last)).toBe(false);
    run.wait(3_000);
    expect(run.poolPicture()).toMatchObject({ held: 0, inFlight: 1 });
    run.finish(runs);
    expect(run.running.has(last)).toBe(true);
  });

  it("the backend has nothing ready: a waiting step does not take the slot, and the hold ends at its time", () => {
    const { run, settings } = heldSlot();
    run.pool("m", { size: 1, affinity: settings, hasServers: false, queueWithoutServers: true });
    expect(run.outcomeOf(run.ask({ session: "s" }))).toBe("waiting");
    run.wait(3_000);
    expect(run.poolPicture()).toMatchObject({ held: 0, inFlight: 0, queued: 2 });
  });

  it("the model is deleted or renamed: the pool goes once its hold has ended and nobody waits", () => {
    const { run, settings, waits } = heldSlot();
    run.cancel(waits);
    run.pool("m", { size: 1, affinity: settings, routed: false });
    run.pool("renamed", { size: 1, affinity: settings });
    expect(run.outcomeOf(run.ask({ pool: "renamed", session: "s" }))).toBe("fast");
    run.wait(3_000);
    expect([...run.state.pools.keys()]).toEqual(["renamed"]);
  });
});
