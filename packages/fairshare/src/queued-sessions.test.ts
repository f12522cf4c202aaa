/** Sessions whose steps had to wait: they count like those whose steps started at once. */
import { describe, expect, it } from "vitest";
import { createEngine, step } from "./engine";
import type { EngineEvent } from "./events";
import { groupId, keyId, poolId, sessionId, tenantId, waiterId } from "./ids";

const POOL = poolId("chat");
const KEY = { id: keyId("key"), weight: 100, maxInFlight: null };
const TENANT = {
  id: tenantId("tenant"),
  group: { id: groupId("group"), weight: 100 },
  weight: 100,
  boostFactor: 1,
  maxInFlight: null,
};

/** A pool of one slot that favours sessions, and a way to feed its engine. */
function setup(slots: "local" | "shared") {
  const state = createEngine({ warmMs: 60_000 });
  let nowMs = 0;
  const feed = (event: EngineEvent): string[] =>
    [...step(state, event, nowMs)].map((effect) =>
      "waiterId" in effect ? `${effect.kind} ${effect.waiterId}` : effect.kind,
    );
  feed({
    kind: "pool_changed",
    pool: POOL,
    size: 1,
    admissionWeight: 100,
    affinity: { holdMs: 3000, maxHeldPercent: 100, maxBypassMs: 30_000 },
    routed: true,
    hasServers: true,
    queueWithoutServers: false,
  });
  feed({ kind: "limits_changed", ceiling: 10, slots, divisor: 1 });
  return {
    state,
    arrive: (id: number, session: string | null) =>
      feed({
        kind: "arrive",
        waiterId: waiterId(id),
        pool: POOL,
        tenant: TENANT,
        key: KEY,
        costTokens: 1,
        session: session === null ? null : sessionId(session),
        timeoutMs: null,
      }),
    finish: (id: number) => feed({ kind: "finish", waiterId: waiterId(id), actualTokens: null }),
    cancel: (id: number) => feed({ kind: "cancel", waiterId: waiterId(id) }),
    settle: (id: number, outcome: "granted" | "pool") =>
      feed({ kind: "claim_settled", waiterId: waiterId(id), outcome, sinceLastFinishMs: null }),
    retry: () => feed({ kind: "retry", pool: POOL }),
    wake: () => feed({ kind: "wake" }),
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe("a session whose first step had to queue", () => {
  it("is warm once that step is over", () => {
    const { arrive, finish } = setup("local");
    arrive(1, null);
    arrive(2, "agent");
    expect(finish(1)).toContain("grant 2");
    arrive(3, null);
    arrive(4, "agent");
    expect(finish(2)).toContain("grant 4");
  });

  it("has its slot held after its second step", () => {
    const { arrive, finish, state } = setup("local");
    arrive(1, null);
    arrive(2, "agent");
    finish(1);
    finish(2);
    arrive(3, "agent");
    finish(3);
    expect(state.pools.get(POOL)?.held).toBe(1);
  });

  it("asks the shared books to hold its slot although its claim was refused first", () => {
    const { arrive, finish, settle, retry } = setup("shared");
    expect(arrive(1, "agent")).toEqual(["claim 1"]);
    settle(1, "pool");
    expect(retry()).toContain("claim 1");
    expect(settle(1, "granted")).toContain("grant 1");
    expect(finish(1)).toContain("hold 1");
  });

  it("is forgotten when its only step leaves the queue", () => {
    const { arrive, cancel, wake, pass, state } = setup("local");
    arrive(1, null);
    arrive(2, "agent");
    cancel(2);
    pass(2000);
    wake();
    expect(state.idleSessions.size).toBe(0);
  });
});
