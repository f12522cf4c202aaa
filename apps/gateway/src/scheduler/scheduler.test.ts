import { VirtualClock } from "@obleth/clock";
import { groupId, keyId, poolId, tenantId } from "@obleth/fairshare";
import { describe, expect, it } from "vitest";
import type { AdmissionRequest } from "./admission";
import type { AdmissionOutcome } from "./admission-outcome";
import type { Permit } from "./permit";
import { Scheduler, type SchedulerOptions } from "./scheduler";

const TIMEOUT_MS = 60_000;

function setUp(options: Partial<SchedulerOptions> & { size?: number } = {}) {
  const clock = new VirtualClock();
  const faults: unknown[] = [];
  const { size = 2, engine, ...rest } = options;
  const scheduler = new Scheduler({
    clock,
    timeoutMs: TIMEOUT_MS,
    engine: { defaultPoolSize: size, ...engine },
    onFault: (error) => faults.push(error),
    ...rest,
  });
  return { clock, scheduler, faults };
}

function request(over: { tenant?: string; cap?: number } = {}): AdmissionRequest {
  const tenant = over.tenant ?? "t";
  return {
    pool: poolId("m"),
    tenant: {
      id: tenantId(tenant),
      group: { id: groupId("g"), weight: 100 },
      weight: 100,
      boostFactor: 1,
      maxInFlight: over.cap ?? null,
    },
    key: { id: keyId(`${tenant}-key`), weight: 100, maxInFlight: null },
    costTokens: 10,
    session: null,
  };
}

/** Admits and collects what it settles with. */
function ask(scheduler: Scheduler, over: { tenant?: string; cap?: number } = {}) {
  const outcomes: AdmissionOutcome[] = [];
  const waiting = scheduler.admit(request(over), (outcome) => outcomes.push(outcome));
  const permit = (): Permit => {
    const outcome = outcomes[0];
    if (outcome === undefined || !("permit" in outcome)) throw new Error("has no permit");
    return outcome.permit;
  };
  return { outcomes, waiting, permit };
}

describe("admission", { timeout: 60_000 }, () => {
  it("settles before it returns, and returns nothing to wait for, when a slot is free", () => {
    const { scheduler } = setUp();
    const { outcomes, waiting } = ask(scheduler);
    expect(waiting).toBeUndefined();
    expect(outcomes[0]?.kind).toBe("admitted-fast");
  });

  it("hands a released slot on in the same turn, with the wait measured on the monotonic clock", () => {
    const { scheduler, clock } = setUp({ size: 1 });
    const first = ask(scheduler);
    const second = ask(scheduler);
    expect(second.waiting).toBeDefined();
    clock.advance(1_500);
    first.permit().release();
    expect(second.outcomes).toMatchObject([{ kind: "admitted-queued", waitMs: 1_500 }]);
  });

  it("times a request out at its deadline and not before, and charges nothing", () => {
    const { scheduler, clock } = setUp({ size: 1 });
    ask(scheduler);
    const late = ask(scheduler);
    clock.advance(TIMEOUT_MS - 1);
    expect(late.outcomes).toEqual([]);
    clock.advance(1);
    expect(late.outcomes).toEqual([{ kind: "timed-out", waitMs: TIMEOUT_MS }]);
    expect(scheduler.snapshot().pools[0]?.tenants[0]?.servedTokens).toBe(10);
  });

  it("refuses beyond the queue limit and without servers", () => {
    const { scheduler } = setUp({ size: 1, engine: { maxQueuePerPool: 1 } });
    ask(scheduler);
    ask(scheduler);
    expect(ask(scheduler).outcomes).toEqual([{ kind: "queue-full", waitMs: 0 }]);
    scheduler.setPool({
      kind: "pool_changed",
      pool: poolId("m"),
      size: 1,
      admissionWeight: 100,
      affinity: null,
      routed: true,
      hasServers: false,
      queueWithoutServers: false,
    });
    expect(ask(scheduler).outcomes).toEqual([{ kind: "no-servers", waitMs: 0 }]);
  });

  it("lets 10,000 timed-out and cancelled waiters leave nothing behind", () => {
    const { scheduler, clock } = setUp({ size: 1 });
    const running = ask(scheduler);
    const waiters = Array.from({ length: 10_000 }, (_, i) => ask(scheduler, { tenant: `t${i % 50}` }));
    for (const waiter of waiters.slice(0, 4_000)) waiter.waiting?.cancel();
    clock.advance(TIMEOUT_MS);
    expect(waiters.every((waiter) => waiter.outcomes.length === 1)).toBe(true);
    expect(scheduler.snapshot().queued).toBe(0);
    running.permit().release();
    expect(ask(scheduler).outcomes[0]?.kind).toBe("admitted-fast");
  });
});

describe("leaving", () => {
  it("drops a waiting request at once, settles it as client-gone, and gives the slot to the next", () => {
    const { scheduler, clock } = setUp({ size: 1 });
    const first = ask(scheduler);
    const leaver = ask(scheduler);
    const next = ask(scheduler);
    clock.advance(5);
    leaver.waiting?.cancel();
    leaver.waiting?.cancel();
    expect(leaver.outcomes).toEqual([{ kind: "client-gone", waitMs: 5 }]);
    first.permit().release();
    expect(leaver.outcomes).toHaveLength(1);
    expect(next.outcomes[0]?.kind).toBe("admitted-queued");
  });

  it("gives a grant that crosses with a departure back once: in flight reads 1 and exactly one more gets in", () => {
    const { scheduler } = setUp({ size: 2 });
    const stays = ask(scheduler);
    const releaser = ask(scheduler);
    const order: string[] = [];
    const leaver = scheduler.admit(request(), (outcome) => order.push(`leaver ${outcome.kind}`));
    // While this one is being told of its slot, the client of the next in line goes away.
    const before = scheduler.admit(request({ tenant: "a" }), (outcome) => {
      order.push(`before ${outcome.kind}`);
      if ("permit" in outcome) outcome.permit.release();
      leaver?.cancel();
    });
    expect(before).toBeDefined();
    releaser.permit().release();
    expect(order).toEqual(["before admitted-queued", "leaver client-gone"]);
    expect(scheduler.snapshot().inFlight).toBe(1);
    expect(ask(scheduler).outcomes[0]?.kind).toBe("admitted-fast");
    expect(ask(scheduler).outcomes).toEqual([]);
    expect(stays.permit().isReleased).toBe(false);
  });

  it("answers everybody who waits, and all who come later, on shutdown; running requests keep their slots", () => {
    const { scheduler, clock } = setUp({ size: 1 });
    const running = ask(scheduler);
    const waiting = ask(scheduler);
    clock.advance(7);
    scheduler.shutdown();
    expect(waiting.outcomes).toEqual([{ kind: "shutting-down", waitMs: 7 }]);
    expect(ask(scheduler).outcomes).toEqual([{ kind: "shutting-down", waitMs: 0 }]);
    expect(scheduler.inFlight).toBe(1);
    running.permit().release();
    expect(scheduler.inFlight).toBe(0);
  });
});

it("answers a request that came while the shutdown was being decided", () => {
  const { scheduler } = setUp({ size: 2 });
  const outcomes: string[] = [];
  scheduler.admit(request(), () => {
    scheduler.admit(request(), (outcome) => outcomes.push(outcome.kind));
    scheduler.shutdown();
  });
  expect(outcomes).toEqual(["shutting-down"]);
  expect(scheduler.inFlight).toBe(1);
});

describe("permits", () => {
  it("free one slot however often they are released", () => {
    const { scheduler } = setUp({ size: 2 });
    const first = ask(scheduler);
    ask(scheduler);
    const third = ask(scheduler);
    const fourth = ask(scheduler);
    first.permit().release();
    first.permit().release();
    first.permit().release(17);
    expect(third.outcomes).toHaveLength(1);
    expect(fourth.outcomes).toEqual([]);
    expect(scheduler.inFlight).toBe(2);
  });
});

describe("callbacks", () => {
  it("may admit, release and cancel from inside an answer without mixing decisions", () => {
    const { scheduler } = setUp({ size: 1 });
    const first = ask(scheduler);
    const inner: string[] = [];
    scheduler.admit(request({ tenant: "a" }), (outcome) => {
      const nested = scheduler.admit(request({ tenant: "b" }), (later) => inner.push(later.kind));
      expect(nested).toBeDefined();
      if ("permit" in outcome) outcome.permit.release();
      inner.push("outer done");
    });
    first.permit().release();
    expect(inner).toEqual(["outer done", "admitted-queued"]);
  });

  it("that throw lose nobody's slot and reach nobody else", () => {
    const { scheduler, faults } = setUp({ size: 1 });
    const first = ask(scheduler);
    scheduler.admit(request(), () => {
      throw new Error("caller broke");
    });
    const next = ask(scheduler);
    first.permit().release();
    expect(next.outcomes[0]?.kind).toBe("admitted-queued");
    expect(faults).toHaveLength(1);
    expect(scheduler.inFlight).toBe(1);
  });

  it("of the decision listener hear every decision in order, and may throw", () => {
    const heard: string[] = [];
    const { scheduler, faults } = setUp({
      size: 1,
      onDecision: (decision) => {
        heard.push(decision.kind);
        throw new Error("listener broke");
      },
    });
    const first = ask(scheduler);
    const second = ask(scheduler);
    first.permit().release();
    second.permit().release();
    expect(heard).toEqual(["admitted", "queued", "released", "admitted", "released"]);
    expect(faults).toHaveLength(5);
  });
});
