import {
  DECISION_KINDS,
  type Decision,
  type DecisionKind,
  groupId,
  keyId,
  poolId,
  tenantId,
  waiterId,
} from "@obleth/fairshare";
import { describe, expect, it } from "vitest";
import { AFFINITY_EVENTS } from "../observe/metric-labels";
import { AffinityTally } from "./affinity-counts";

function decision(kind: DecisionKind, pool = "sim-chat"): Decision {
  const owner = { pool: poolId(pool), groupId: groupId("g"), tenantId: tenantId("t"), keyId: keyId("k") };
  return { sequence: 1, atMs: 0, kind, waiterId: waiterId(1), owner, session: null, sinceArrivalMs: 0 };
}

describe("counting what session affinity does", () => {
  it("turns the engine's decisions into every event of the metric, and into nothing else", () => {
    const events: string[] = [];
    const tally = new AffinityTally((event) => events.push(event));
    for (const kind of DECISION_KINDS) tally.note(decision(kind));
    expect(events.sort()).toEqual([...AFFINITY_EVENTS].sort());
  });

  it("keeps holds, redeems and expiries of each pool apart", () => {
    const tally = new AffinityTally(() => {});
    for (const kind of ["held", "held", "redeemed", "warm"] as const) tally.note(decision(kind, "a"));
    tally.note(decision("hold_expired", "b"));
    expect(tally.ofPool("a")).toEqual({ hold: 2, redeem: 1, expire: 0 });
    expect(tally.ofPool("b")).toEqual({ hold: 0, redeem: 0, expire: 1 });
    expect(tally.ofPool("__proto__")).toBeUndefined();
  });

  it("counts held slots on the shared books beside those of the engine", () => {
    const events: string[] = [];
    const tally = new AffinityTally((event, times) => events.push(`${event} ${times}`));
    tally.noteHolds(poolId("a"), "held", 1);
    tally.note(decision("redeemed", "a"));
    tally.noteHolds(poolId("a"), "expired", 3);
    tally.noteHolds(poolId("a"), "released", 2);
    expect(events).toEqual(["hold 1", "redeem 1", "expire 3", "release 2"]);
    expect(tally.ofPool("a")).toEqual({ hold: 1, redeem: 1, expire: 3 });
  });

  it("gives the same object as long as nothing was counted, so that history can share it", () => {
    const tally = new AffinityTally(() => {});
    tally.note(decision("held"));
    const before = tally.ofPool("sim-chat");
    tally.note(decision("admitted"));
    expect(tally.ofPool("sim-chat")).toBe(before);
  });
});
