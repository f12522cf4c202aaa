/** Session affinity on one engine: warm order within a key, held slots, their limits, and none of it when off. */
import { describe, expect, it } from "vitest";
import { type Ask, EngineRun } from "../test/engine-run";
import type { DecisionKind } from "./decisions";
import { decisionsSince } from "./engine";
import type { AffinitySettings } from "./events";
import { MAX_IDLE_SESSIONS } from "./sessions";
import type { EngineConfig } from "./state";

const DEFAULTS: AffinitySettings = { holdMs: 3_000, maxHeldPercent: 25, maxBypassMs: 30_000 };

function start(size: number, affinity: Partial<AffinitySettings> | null = {}, config: Partial<EngineConfig> = {}) {
  const run = new EngineRun(config);
  run.pool("m", { size, affinity: affinity === null ? null : { ...DEFAULTS, ...affinity } });
  return run;
}

/** One step of a session from arrival to finish, in an engine with room. */
function play(run: EngineRun, session: string, ask: Ask = {}): number {
  const id = run.ask({ session, ...ask });
  run.nowMs += 100;
  run.finish(id);
  return id;
}

/** Leaves a slot held for the session: a step, then a second one that follows straight on. */
function hold(run: EngineRun, session: string, ask: Ask = {}): void {
  play(run, session, ask);
  run.nowMs += 50;
  play(run, session, ask);
}

function count(run: EngineRun, kind: DecisionKind): number {
  return decisionsSince(run.state, 0).filter((decision) => decision.kind === kind).length;
}

describe("order within a key", () => {
  it("lets a warm session's request pass older ones of its key", () => {
    const run = start(1, { holdMs: 0 });
    const running = run.ask({ session: "warm" });
    const older = run.ask({ session: "cold" });
    const plain = run.ask();
    const warm = run.ask({ session: "warm" });
    run.finish(running);
    run.finish(warm);
    run.finish(older);
    expect(run.granted).toEqual([running, warm, older, plain]);
    expect(count(run, "warm")).toBe(1);
  });

  it("forgets warmth once the warm time after the last step is over", () => {
    const run = start(1, { holdMs: 0 }, { warmMs: 1_000 });
    play(run, "s");
    const blocker = run.ask();
    const older = run.ask();
    const step = run.ask({ session: "s" });
    run.nowMs += 1_001;
    run.finish(blocker);
    run.finish(older);
    expect(run.granted.slice(-2)).toEqual([older, step]);
  });

  it("does not take a session with only waiting steps for warm", () => {
    const run = start(1);
    const running = run.ask();
    const older = run.ask();
    run.ask({ session: "s" });
    run.ask({ session: "s" });
    run.finish(running);
    expect(run.granted.at(-1)).toBe(older);
  });

  it("takes the same id under two keys for two sessions", () => {
    const run = start(1, { holdMs: 0 });
    const running = run.ask({ key: "one", session: "s" });
    const older = run.ask({ key: "two" });
    run.ask({ key: "two", session: "s" });
    run.finish(running);
    expect(run.granted.at(-1)).toBe(older);
  });

  it("leaves which tenant and key is next as it is", () => {
    const run = start(1, { holdMs: 0 });
    const running = run.ask({ tenant: "a", session: "s", cost: 500 });
    const other = run.ask({ tenant: "b" });
    run.ask({ tenant: "a", session: "s" });
    run.finish(running);
    expect(run.granted.at(-1)).toBe(other);
  });
});

describe("a held slot", () => {
  it("is left by a step that followed straight on, and not by the first", () => {
    const run = start(4);
    play(run, "s");
    expect(run.poolPicture()).toMatchObject({ held: 0, inFlight: 0 });
    run.nowMs += 50;
    play(run, "s");
    expect(run.poolPicture()).toMatchObject({ held: 1, inFlight: 0 });
    expect(run.tenantPicture("t")).toMatchObject({ held: 1, inFlight: 0 });
  });

  it("is left when the step arrived in time, however long it then waited for its slot", () => {
    const run = start(1, { maxHeldPercent: 100 });
    play(run, "s");
    const blocker = run.ask({ tenant: "other" });
    run.nowMs += 100;
    const step = run.ask({ session: "s" });
    run.nowMs += 20_000;
    run.finish(blocker);
    run.finish(step);
    expect(run.poolPicture().held).toBe(1);
  });

  it("is not left after a longer gap", () => {
    const run = start(4);
    play(run, "s");
    run.nowMs += 3_001;
    play(run, "s");
    expect(run.poolPicture().held).toBe(0);
  });

  it("is taken by the next step at once, fast and charged, in a full pool with others waiting", () => {
    const run = start(2, { maxHeldPercent: 50 });
    hold(run, "s");
    run.ask({ tenant: "other" });
    const waits = run.ask({ tenant: "other" });
    const served = run.tenantPicture("t").servedTokens;
    const step = run.ask({ session: "s", cost: 70 });
    expect(run.outcomeOf(step)).toBe("fast");
    expect(run.outcomeOf(waits)).toBe("waiting");
    expect(run.tenantPicture("t").servedTokens).toBe(served + 70);
    expect(run.poolPicture()).toMatchObject({ held: 0, inFlight: 2 });
  });

  it("is not taken by another session, key or request without one", () => {
    const run = start(1, { maxHeldPercent: 100 });
    hold(run, "s");
    for (const ask of [{ session: "z" }, { key: "k2", session: "s" }, {}]) {
      expect(run.outcomeOf(run.ask(ask))).toBe("waiting");
    }
    expect(run.poolPicture().held).toBe(1);
  });

  it("goes to a step that was already waiting, as queued, in the turn it is left", () => {
    const run = start(1, { maxHeldPercent: 100 });
    play(run, "s");
    run.nowMs += 10;
    const second = run.ask({ session: "s" });
    run.ask({ tenant: "other" });
    const third = run.ask({ session: "s" });
    run.nowMs += 10;
    run.finish(second);
    expect(run.outcomeOf(third)).toBe("queued");
    expect([count(run, "held"), count(run, "redeemed")]).toEqual([1, 1]);
  });

  it("frees itself at its time and not before, and is offered on in that turn", () => {
    const run = start(1, { maxHeldPercent: 100 });
    hold(run, "s");
    const waits = run.ask({ tenant: "other" });
    run.wait(2_999);
    expect(run.outcomeOf(waits)).toBe("waiting");
    run.wait(1);
    expect(run.outcomeOf(waits)).toBe("queued");
    expect(count(run, "hold_expired")).toBe(1);
  });

  it("asks to be woken when it runs out", () => {
    const run = start(1, { maxHeldPercent: 100 });
    play(run, "s");
    run.nowMs += 10;
    const second = run.ask({ session: "s" });
    run.nowMs += 10;
    const wake = run.finish(second).find((effect) => effect.kind === "wake_at");
    expect(wake).toMatchObject({ atMs: run.nowMs + 3_000 });
  });

  it("counts against pool, ceiling, tenant cap and key cap", () => {
    const run = start(8, { maxHeldPercent: 100 }, { ceiling: 2 });
    hold(run, "s", { cap: 1 });
    expect(run.outcomeOf(run.ask({ cap: 1, session: null }))).toBe("waiting");
    expect(run.outcomeOf(run.ask({ tenant: "b" }))).toBe("fast");
    expect(run.outcomeOf(run.ask({ tenant: "c" }))).toBe("waiting");
    expect(run.tenantPicture("t").atCap).toBe(true);
  });

  it("is one per session: the later of two parallel steps renews it and frees its own slot", () => {
    const run = start(8);
    play(run, "s");
    run.nowMs += 10;
    const one = run.ask({ session: "s" });
    const two = run.ask({ session: "s" });
    run.nowMs += 100;
    run.finish(one);
    run.nowMs += 2_000;
    run.finish(two);
    expect(run.poolPicture()).toMatchObject({ held: 1, inFlight: 0 });
    run.wait(2_999);
    expect(run.poolPicture().held).toBe(1);
    run.wait(1);
    expect(run.poolPicture().held).toBe(0);
  });
});

describe("the share of a pool that may be held", () => {
  it.each([
    [1, 25, 1],
    [8, 25, 2],
    [9, 25, 3],
    [8, 0, 0],
    [8, 100, 8],
  ])("of %i slots at %i %% is %i, rounded up", (size, maxHeldPercent, most) => {
    const run = start(size, { maxHeldPercent });
    for (let i = 0; i < size; i++) hold(run, `s${i}`);
    expect(run.poolPicture().held).toBe(most);
  });

  it("holds nothing with a hold time of 0", () => {
    const run = start(4, { holdMs: 0 });
    hold(run, "s");
    expect(run.poolPicture().held).toBe(0);
  });
});

describe("the jump limit", () => {
  it("lets a request be passed so many times by warm steps, then it goes first", () => {
    const run = start(1, { holdMs: 0 }, { maxJumps: 3 });
    let running = run.ask({ session: "chatty" });
    const lone = run.ask();
    const order: number[] = [];
    for (let i = 0; i < 5; i++) {
      run.ask({ session: "chatty" });
      run.nowMs += 10;
      run.finish(running);
      running = run.granted.at(-1) ?? 0;
      order.push(running);
    }
    expect(order.indexOf(lone)).toBe(3);
    expect(count(run, "bypassed")).toBe(1);
  });

  it("shows in the picture how often a key's oldest waiting request was passed", () => {
    const run = start(1, { holdMs: 0 });
    const jumps: (number | undefined)[] = [];
    run.ask({ session: "chatty" });
    run.ask();
    for (let i = 0; i < 3; i++) {
      jumps.push(run.poolPicture().keys[0]?.jumps);
      run.ask({ session: "chatty" });
      run.nowMs += 10;
      run.finish(run.runningOf({ session: "chatty" }));
    }
    expect(jumps).toEqual([0, 1, 2]);
  });

  it("counts steps that take a held slot, and then frees the key's holds and makes none until it is served", () => {
    const run = start(2, { maxHeldPercent: 100 }, { maxJumps: 2 });
    hold(run, "s");
    const blocker = run.ask({ tenant: "other" });
    const lone = run.ask();
    for (let i = 0; i < 2; i++) {
      const step = run.ask({ session: "s" });
      expect(run.outcomeOf(step)).toBe("fast");
      run.nowMs += 10;
      if (i === 0) run.finish(step);
    }
    expect(run.outcomeOf(lone)).toBe("waiting");
    run.finish(run.runningOf({ session: "s" }));
    expect(run.poolPicture().held).toBe(0);
    expect(run.running.has(lone)).toBe(true);
    expect(run.running.has(blocker)).toBe(true);
  });

  it("frees holds of the key at once when it is reached", () => {
    const run = start(4, { maxHeldPercent: 100 }, { maxJumps: 1 });
    hold(run, "a");
    hold(run, "b");
    run.askTimes(2, { tenant: "other" });
    const lone = run.ask();
    expect(run.poolPicture().held).toBe(2);
    run.ask({ session: "a" });
    expect(run.running.has(lone)).toBe(true);
    expect(count(run, "hold_released")).toBe(1);
  });

  it("starts from the next request's own passes once the oldest is served", () => {
    const run = start(1, { holdMs: 0 }, { maxJumps: 2 });
    let running = run.ask({ session: "w" });
    const first = run.ask();
    const second = run.ask();
    const served: number[] = [];
    for (let i = 0; i < 6; i++) {
      run.ask({ session: "w" });
      run.nowMs += 10;
      run.finish(running);
      running = run.granted.at(-1) ?? 0;
      served.push(running);
    }
    expect(served.indexOf(first)).toBe(2);
    expect(served.indexOf(second)).toBe(3);
  });
});

describe("the bypass limit", () => {
  it("puts a key in arrival order and frees the pool's holds once a request that could run has waited so long", () => {
    const run = start(2, { maxHeldPercent: 50, holdMs: 60_000, maxBypassMs: 5_000 });
    hold(run, "s");
    const blocker = run.ask({ tenant: "other" });
    const lone = run.ask({ tenant: "third" });
    run.wait(4_999);
    expect(run.outcomeOf(lone)).toBe("waiting");
    run.wait(1);
    expect(run.outcomeOf(lone)).toBe("queued");
    expect(run.running.has(blocker)).toBe(true);
    expect(count(run, "hold_released")).toBe(1);
  });

  it("makes no hold while such a request waits", () => {
    const run = start(1, { maxHeldPercent: 100, maxBypassMs: 1_000 });
    play(run, "s");
    run.nowMs += 10;
    const step = run.ask({ session: "s" });
    run.ask({ tenant: "other" });
    run.nowMs += 1_000;
    run.finish(step);
    expect(run.poolPicture().held).toBe(0);
  });

  it("lets nothing of its key pass it", () => {
    const run = start(1, { holdMs: 0, maxBypassMs: 1_000 });
    const running = run.ask({ session: "w" });
    const lone = run.ask();
    run.ask({ session: "w" });
    run.nowMs += 1_000;
    run.finish(running);
    expect(run.granted.at(-1)).toBe(lone);
  });

  it("is reached at the very moment a wake was asked for, whatever the times round to", () => {
    const run = start(2, { maxHeldPercent: 50, holdMs: 60_000, maxBypassMs: 1_000 });
    run.nowMs = 0.1;
    hold(run, "s");
    run.ask({ tenant: "other" });
    const arrivedMs = [...Array(4_000)].map((_, i) => 500 + i / 10).find((at) => at + 1_000 - at < 1_000) ?? 0;
    run.nowMs = arrivedMs;
    const lone = run.ask({ tenant: "third" });
    run.nowMs = run.state.wakeAtMs;
    expect(run.nowMs).toBe(arrivedMs + 1_000);
    run.wait(0);
    expect(run.outcomeOf(lone)).toBe("queued");
  });

  it("is not triggered by a request at its tenant's or key's cap", () => {
    const run = start(4, { maxHeldPercent: 50, holdMs: 60_000, maxBypassMs: 1_000 });
    hold(run, "s");
    run.ask({ tenant: "capped", cap: 1 });
    run.ask({ tenant: "capped", cap: 1 });
    run.ask({ tenant: "keyed", keyCap: 1 });
    run.ask({ tenant: "keyed", keyCap: 1 });
    run.wait(30_000);
    expect(run.poolPicture().held).toBe(1);
  });
});

describe("settings that change while slots are held", () => {
  it("frees a pool's holds at once when affinity is turned off, and schedules the next step like any other", () => {
    const run = start(1, { maxHeldPercent: 100 });
    hold(run, "s");
    const waits = run.ask({ tenant: "other" });
    run.pool("m", { size: 1, affinity: null });
    expect(run.running.has(waits)).toBe(true);
    expect(run.outcomeOf(run.ask({ session: "s" }))).toBe("waiting");
    expect(run.state.idleSessions.size).toBe(0);
  });

  it("applies a new hold time to the next step that ends", () => {
    const run = start(4);
    hold(run, "s");
    run.pool("m", { size: 4, affinity: { ...DEFAULTS, holdMs: 100 } });
    run.nowMs += 10;
    play(run, "s");
    run.wait(100);
    expect(run.poolPicture().held).toBe(0);
  });

  it("admits nothing in a pool that shrank below holds and running, and lets holds run out", () => {
    const run = start(4, { maxHeldPercent: 50 });
    hold(run, "s");
    run.askTimes(2, { tenant: "other" });
    run.pool("m", { size: 1, affinity: DEFAULTS });
    expect(run.outcomeOf(run.ask({ session: "s" }))).toBe("waiting");
    run.wait(3_000);
    expect(run.poolPicture()).toMatchObject({ held: 0, inFlight: 2, queued: 1 });
  });

  it("frees holds when the mode changes to shared, where they live elsewhere", () => {
    const run = start(4);
    hold(run, "s");
    run.send({ kind: "limits_changed", ceiling: 9, slots: "shared", divisor: 1 });
    expect(run.poolPicture().held).toBe(0);
  });

  it("keeps a pool that has a hold, and lets it go once the model is unrouted and the hold is over", () => {
    const run = start(4);
    hold(run, "s");
    run.pool("m", { size: 4, affinity: DEFAULTS, routed: false });
    expect(run.state.pools.size).toBe(1);
    run.wait(3_000);
    expect(run.state.pools.size).toBe(0);
  });
});

describe("memory", { timeout: 60_000 }, () => {
  it("goes back to nothing after the warm time without further traffic", () => {
    const run = start(8, {}, { warmMs: 5_000 });
    for (let i = 0; i < 200; i++) play(run, `one-shot-${i}`);
    expect(run.state.idleSessions.size).toBeGreaterThan(0);
    let wakes = 0;
    for (; wakes < 500 && run.state.idleSessions.size > 0; wakes++) {
      run.nowMs = Math.max(run.nowMs, run.state.wakeAtMs);
      run.wait(0);
    }
    expect(run.state.idleSessions.size).toBe(0);
    expect(run.state.pools.get("m" as never)?.sessions.size).toBe(0);
    expect(wakes).toBeLessThan(40);
  });

  it("bounds the sessions remembered by dropping the longest idle", () => {
    const run = start(8);
    const idle = run.state.idleSessions;
    play(run, "first");
    for (let i = 0; i < MAX_IDLE_SESSIONS - 1; i++) idle.add({ of: { byId: new Map(), cell: 0 } } as never);
    expect([...idle][0]?.id).toBe("first");
    play(run, "last");
    expect(idle.size).toBe(MAX_IDLE_SESSIONS);
  });
});

describe("affinity off", () => {
  it("makes the decisions of an engine without sessions, on the same history", () => {
    const plain = start(3, null);
    const off = start(3, null);
    for (let i = 0; i < 400; i++) {
      const ask = { tenant: `t${i % 3}`, key: `k${i % 2}`, cost: 1 + (i % 9) };
      plain.ask(ask);
      off.ask({ ...ask, session: `s${i % 5}` });
      for (const run of [plain, off]) {
        run.nowMs += 10;
        if (i % 4 !== 0) run.finish([...run.running][i % run.running.size] ?? 0);
      }
    }
    expect(off.granted).toEqual(plain.granted);
    expect(off.state.pools.get("m" as never)?.sessions.size).toBe(0);
  });
});

describe("counts of held slots", { timeout: 60_000 }, () => {
  it("balance: made equals taken, run out, freed early and open", () => {
    const run = start(6, { maxHeldPercent: 60, maxBypassMs: 20_000 }, { maxJumps: 2, decisionLimit: 100_000 });
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let i = 0; i < 4_000; i++) {
      run.nowMs += random(200);
      run.wait(0);
      const kind = random(10);
      if (kind < 5 && run.poolPicture().queued < 4)
        run.ask({ tenant: `t${random(2)}`, session: random(4) === 0 ? null : `s${random(6)}`, cap: 4 });
      else if (run.running.size > 0) run.finish([...run.running][random(run.running.size)] ?? 0);
      if (kind === 9) run.pool("m", { size: 3 + random(4), affinity: random(6) === 0 ? null : DEFAULTS });
    }
    const made = count(run, "held");
    const gone = count(run, "redeemed") + count(run, "hold_expired") + count(run, "hold_released");
    expect(made).toBeGreaterThan(50);
    expect(made).toBe(gone + run.poolPicture().held);
  });
});
