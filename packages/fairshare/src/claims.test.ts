/** Shared mode: a pick waits for another party's answer while everything else goes on. */
import { describe, expect, it } from "vitest";
import { EngineRun } from "../test/engine-run";
import { SharedRun } from "../test/shared-run";

describe("a claim", () => {
  it("names owner, configured limits and age, and its grant is fast when it is the first", () => {
    const run = new SharedRun({ defaultPoolSize: 5 });
    const id = run.ask({ tenant: "t", cap: 3, keyCap: 2 });
    expect(run.claims[0]).toMatchObject({
      pool: "m",
      tenantId: "t",
      keyId: "t-key",
      poolSize: 5,
      ceiling: 4096,
      tenantCap: 3,
      keyCap: 2,
      session: null,
      isForHoldOnly: false,
      isStarving: false,
    });
    run.nowMs = 3;
    expect(run.answer("granted")).toContainEqual({ kind: "grant", waiterId: id, outcome: "fast", waitMs: 0 });
  });

  it("counts as a slot while it is open, and as queued in the picture", () => {
    const run = new SharedRun({ defaultPoolSize: 1 });
    run.ask();
    run.ask();
    expect(run.claims).toHaveLength(1);
    expect(run.poolPicture()).toMatchObject({ inFlight: 0, queued: 2 });
    run.answer("granted");
    expect(run.poolPicture()).toMatchObject({ inFlight: 1, queued: 1 });
  });

  it("is answered once: a second answer, or one nobody asked for, changes nothing", () => {
    const run = new SharedRun();
    const id = run.ask();
    run.answer("granted");
    run.settle(id, "granted");
    run.settle(id, "pool");
    run.settle(99, "granted");
    expect(run.granted).toEqual([id]);
    expect(run.poolPicture().inFlight).toBe(1);
  });

  it("is sent as many at a time as the bound allows", () => {
    const run = new SharedRun({ defaultPoolSize: 50, maxOpenClaims: 3 });
    run.askTimes(10);
    expect(run.claims).toHaveLength(3);
    run.answer("granted");
    expect(run.claims).toHaveLength(3);
    expect(run.poolPicture()).toMatchObject({ inFlight: 1, queued: 9 });
  });
});

describe("a claim tells how many requests wait with it", () => {
  const told = (run: SharedRun) => run.claims.map(({ othersWaiting }) => othersWaiting);

  it("none when it comes alone, and those behind it when it was taken from the line", () => {
    const run = new SharedRun({ defaultPoolSize: 8 });
    run.ask();
    expect(told(run)).toEqual([0]);
    run.answer("pool");
    run.askTimes(3);
    run.retry("m");
    expect(told(run)).toEqual([3]);
    run.answer("granted");
    expect(told(run)).toEqual([2, 1, 0]);
  });

  it("no more than its pool, the ceiling and its tenant's cap leave room for, and than may be claimed at a time", () => {
    const first = (config: { size?: number; ceiling?: number; cap?: number; maxOpenClaims?: number }) => {
      const run = new SharedRun({ defaultPoolSize: config.size ?? 50, maxOpenClaims: config.maxOpenClaims ?? 8 });
      run.limits("shared", { ceiling: config.ceiling ?? 4096 });
      run.ask({ cap: config.cap ?? null });
      run.answer("pool");
      for (let i = 0; i < 20; i++) run.ask({ cap: config.cap ?? null });
      run.retry("m");
      return told(run)[0];
    };
    expect(first({})).toBe(7);
    expect(first({ size: 4 })).toBe(3);
    expect(first({ ceiling: 3 })).toBe(2);
    expect(first({ cap: 2 })).toBe(1);
    expect(first({ maxOpenClaims: 5 })).toBe(4);
  });

  it("those of other tenants as one each, if they could run", () => {
    const run = new SharedRun({ defaultPoolSize: 50 });
    run.ask({ tenant: "a" });
    run.answer("pool");
    run.ask({ tenant: "b" });
    run.ask({ tenant: "b" });
    run.ask({ tenant: "c" });
    run.retry("m");
    expect(told(run)).toEqual([2]);
  });
});

describe("a retry", () => {
  it("is worth one claim more than are under way, though they go out singly after a refusal", () => {
    const run = new SharedRun({ defaultPoolSize: 50, maxOpenClaims: 3 });
    run.ask();
    run.answer("pool");
    run.askTimes(10);
    for (const open of [1, 2, 3, 3]) {
      run.retry("m");
      expect(run.claims).toHaveLength(open);
    }
    run.answer("pool");
    expect(run.claims).toHaveLength(2);
    run.retry("m");
    expect(run.claims).toHaveLength(3);
  });
});

describe("a refused claim", () => {
  it("undoes the charge to the last digit, and the turn, at all three levels", () => {
    const run = new SharedRun({ defaultPoolSize: 4 });
    run.admit({ tenant: "a", weight: 7, keyWeight: 3, groupWeight: 11, cost: 3 });
    const before = run.snapshot();
    run.ask({ tenant: "a", weight: 7, keyWeight: 3, groupWeight: 11, cost: 5 });
    run.answer("pool");
    const after = run.snapshot();
    for (const level of ["tenants", "keys", "groups"] as const) {
      const score = (picture: typeof before) => picture.pools[0]?.[level][0]?.shareScore;
      const served = (picture: typeof before) => picture.pools[0]?.[level][0]?.servedTokens;
      expect(score(after)).toBe(score(before));
      expect(served(after)).toBe(served(before));
    }
  });

  it("puts the request back in front of what came after it", () => {
    const run = new SharedRun({ defaultPoolSize: 1 });
    const first = run.ask();
    const second = run.ask();
    const third = run.ask();
    run.answer("pool");
    run.retry("m");
    expect(run.claims.map((claim) => claim.waiterId)).toEqual([first]);
    run.answer("granted");
    run.finish(first);
    run.answer("granted");
    run.finish(second);
    run.answer("granted");
    expect(run.granted).toEqual([first, second, third]);
  });

  it("makes its grant queued, with the wait since it arrived", () => {
    const run = new SharedRun({ defaultPoolSize: 1 });
    const id = run.ask();
    run.answer("pool");
    run.nowMs = 40;
    run.retry("m");
    expect(run.answer("granted")).toContainEqual({ kind: "grant", waiterId: id, outcome: "queued", waitMs: 40 });
  });

  it("for the pool holds that pool back until a retry, and no other", () => {
    const run = new SharedRun();
    run.ask({ pool: "A" });
    run.answer("pool");
    run.ask({ pool: "A" });
    expect(run.claims).toHaveLength(0);
    run.ask({ pool: "B" });
    expect(run.claims).toHaveLength(1);
    run.answer("granted");
    run.retry("A");
    expect(run.claims).toHaveLength(1);
  });

  it("lets claims of the pool go out one at a time until one is granted", () => {
    const run = new SharedRun({ defaultPoolSize: 8 });
    run.askTimes(6);
    run.answer("pool");
    expect(run.claims).toHaveLength(5);
    for (let i = 0; i < 5; i++) run.answer("pool");
    run.retry("m");
    expect(run.claims).toHaveLength(1);
    run.answer("granted");
    expect(run.claims).toHaveLength(5);
  });

  it("for a tenant's cap holds back that tenant alone", () => {
    const run = new SharedRun();
    run.ask({ tenant: "a", cap: 4 });
    run.answer("tenant");
    run.ask({ tenant: "a", cap: 4 });
    expect(run.claims).toHaveLength(0);
    run.ask({ tenant: "b" });
    expect(run.claims).toHaveLength(1);
    run.answer("granted");
    run.retry("m");
    expect(run.claims.map((claim) => claim.tenantId)).toEqual(["a", "a"]);
  });

  it("for a key's cap holds back that key alone", () => {
    const run = new SharedRun();
    run.ask({ tenant: "a", key: "one", keyCap: 2 });
    run.answer("key");
    run.ask({ tenant: "a", key: "one", keyCap: 2 });
    run.ask({ tenant: "a", key: "two" });
    expect(run.claims.map((claim) => claim.keyId)).toEqual(["two"]);
    run.answer("granted");
    run.retry(null);
    expect(run.claims.map((claim) => claim.keyId)).toEqual(["one", "one"]);
  });

  it("for the ceiling holds back every pool until any retry", () => {
    const run = new SharedRun();
    run.ask({ pool: "A" });
    run.ask({ pool: "B" });
    run.answer("ceiling");
    run.ask({ pool: "C" });
    expect(run.snapshot().isCeilingReached).toBe(true);
    run.answer("granted");
    expect(run.claims).toHaveLength(0);
    run.retry("B");
    expect(run.claims.map((claim) => claim.pool).toSorted()).toEqual(["A", "C"]);
  });

  it("is tried again at once when a request of the same pool finishes here", () => {
    const run = new SharedRun();
    const running = run.admit();
    const waits = run.ask();
    run.answer("pool");
    run.finish(running);
    expect(run.released).toEqual([running]);
    expect(run.claims.map((claim) => claim.waiterId)).toEqual([waits]);
  });
});

describe("a client that leaves while its claim is open", () => {
  it("is uncharged at once, and a slot granted after all goes straight back", () => {
    const run = new SharedRun({ defaultPoolSize: 1 });
    const leaver = run.ask({ tenant: "a" });
    const next = run.ask({ tenant: "b" });
    run.cancel(leaver);
    expect(run.poolPicture().tenants.find((tenant) => tenant.tenantId === "a")?.servedTokens ?? 0).toBe(0);
    expect(run.claims).toHaveLength(1);
    run.answer("granted");
    expect(run.released).toEqual([leaver]);
    expect(run.granted).toEqual([]);
    run.answer("granted");
    expect(run.granted).toEqual([next]);
  });

  it("leaves nothing when the claim is refused", () => {
    const run = new SharedRun();
    const leaver = run.ask();
    run.cancel(leaver);
    run.cancel(leaver);
    run.answer("pool");
    expect(run.released).toEqual([]);
    expect(run.state.waiters.size).toBe(0);
    expect(run.state.claims.size).toBe(0);
    expect(run.poolPicture()).toMatchObject({ inFlight: 0, queued: 0, tenants: [] });
  });

  it("may also be one whose time is up, at its deadline and not before", () => {
    const run = new SharedRun();
    const id = run.ask({ timeoutMs: 100 });
    run.wait(99);
    expect(run.refused.size).toBe(0);
    run.wait(1);
    expect(run.refused.get(id)).toBe("timed_out");
    run.answer("granted");
    expect(run.released).toEqual([id]);
    expect(run.granted).toEqual([]);
  });
});

describe("a change of mode", () => {
  it("to local serves the request whose claim nobody could answer, under the split", () => {
    const run = new SharedRun({ defaultPoolSize: 6 });
    run.pool("m", { size: 6 });
    const id = run.ask();
    run.limits("local", { divisor: 3 });
    run.answer("unavailable");
    expect(run.running.has(id)).toBe(true);
    expect(run.effects.some((effect) => effect.kind === "claim")).toBe(false);
  });

  it("adopts a slot granted after the change", () => {
    const run = new SharedRun();
    const id = run.ask();
    run.limits("local");
    run.answer("granted");
    expect(run.running.has(id)).toBe(true);
    expect(run.finish(id).some((effect) => effect.kind === "release")).toBe(false);
  });

  it("to shared claims for those that wait, and to local starts those that were blocked", () => {
    const run = new SharedRun({ defaultPoolSize: 2 });
    const blocked = run.ask();
    run.answer("pool");
    run.limits("local");
    expect(run.running.has(blocked)).toBe(true);
    run.ask();
    const waits = run.ask();
    run.limits("shared");
    run.finish(blocked);
    expect(run.claims.map((claim) => claim.waiterId)).toEqual([waits]);
  });

  it("to the split admits under the split at once: the whole size is not there for a moment without claims", () => {
    const run = new SharedRun({ defaultPoolSize: 8 });
    run.admit({ pool: "a" });
    run.askTimes(12, { pool: "a" });
    while (run.claims.length > 0) run.answer("pool");
    run.limits("local", { divisor: 2 });
    expect(run.running.size).toBe(4);
    expect(run.poolPicture("a")).toMatchObject({ size: 4, configuredSize: 8 });
    run.ask({ pool: "met later" });
    expect(run.poolPicture("met later")).toMatchObject({ size: 4, configuredSize: 8 });
  });

  it("from the split to shared claims starts nobody whose claim has not been granted", () => {
    const run = new SharedRun({ defaultPoolSize: 8 });
    run.limits("local", { divisor: 2 });
    run.askTimes(12);
    expect(run.running.size).toBe(4);
    run.limits("shared");
    expect(run.running.size).toBe(4);
    expect(run.claims).toHaveLength(4);
  });

  it("resizes a pool whose model is gone as well", () => {
    const run = new SharedRun({ defaultPoolSize: 8 });
    run.admit({ pool: "a" });
    run.pool("a", { size: 8, routed: false });
    run.limits("local", { divisor: 4 });
    run.askTimes(5, { pool: "a" });
    expect(run.running.size).toBe(2);
  });

  it("leaves a pool that is resized under the split, and a ceiling that changes, their part", () => {
    const run = new SharedRun({ defaultPoolSize: 8 });
    run.limits("local", { divisor: 3 });
    run.pool("a", { size: 32 });
    run.askTimes(40, { pool: "a" });
    expect(run.running.size).toBe(11);
    run.limits("local", { divisor: 3, ceiling: 40 });
    run.askTimes(40, { pool: "b" });
    expect(run.running.size).toBe(14);
  });

  it("splits every cap, rounded up, and never below one", () => {
    const run = new EngineRun({ defaultPoolSize: 32 });
    run.send({ kind: "limits_changed", ceiling: 300, slots: "local", divisor: 3 });
    run.askTimes(8, { tenant: "a", cap: 7 });
    run.askTimes(3, { tenant: "b", keyCap: 1 });
    run.askTimes(3, { tenant: "c", cap: 0 });
    const running = (tenant: string) => run.tenantPicture(tenant).inFlight;
    expect([running("a"), running("b"), running("c")]).toEqual([3, 1, 3]);
    run.send({ kind: "limits_changed", ceiling: 300, slots: "local", divisor: 1 });
    expect(running("a")).toBe(7);
  });
});

describe("equal weights under claims that are all granted at once", () => {
  it.each(["hierarchical", "weighted"] as const)("give the decisions of local mode, %s", (algorithm) => {
    const local = new EngineRun({ algorithm, defaultPoolSize: 3 });
    const shared = new SharedRun({ algorithm, defaultPoolSize: 3 });
    for (let i = 0; i < 300; i++) {
      const ask = { tenant: `t${(i * 7) % 5}`, group: `g${(i * 3) % 2}`, cost: 1 + ((i * 13) % 40) };
      for (const run of [local, shared]) {
        run.nowMs = i;
        run.ask(ask);
        while (shared.claims.length > 0) shared.answer("granted");
        if (i % 3 !== 0) run.finish([...run.running][i % run.running.size] ?? 0);
        while (shared.claims.length > 0) shared.answer("granted");
      }
    }
    expect(shared.granted).toEqual(local.granted);
    expect(local.granted.length).toBeGreaterThan(100);
  });
});
