import { keyId, poolId, sessionId, tenantId } from "@obleth/fairshare";
import { describe, expect, it } from "vitest";
import { PLAIN_CLAIM } from "../../test/slot-commands";
import { operationArguments } from "./operation-arguments";
import type { ClaimOperation, HoldOperation, ReleaseOperation } from "./slot-store";

const OWNER = { pool: poolId("chat"), tenantId: tenantId("acme"), keyId: keyId("k1") };
const OTHER = { ...OWNER, keyId: keyId("k|2") };

const claim = (fields: Partial<ClaimOperation> = {}): ClaimOperation => ({
  ...PLAIN_CLAIM,
  ...OWNER,
  keyCap: 2,
  ...fields,
});
const release = (owner = OWNER): ReleaseOperation => ({ kind: "release", ...owner });

describe("the arguments of one call", () => {
  it("name each owner once, however many of its claims and releases there are", () => {
    expect(operationArguments([claim(), claim(), release(), claim()])).toEqual([
      1,
      "chat|acme|k1",
      20,
      8,
      -1,
      2,
      "C1",
      "C1",
      "R1",
      "C1",
    ]);
  });

  it("keep owners apart, and write a separator in a name as an escape", () => {
    expect(operationArguments([release(OTHER), claim(), release()])).toEqual([
      2,
      "chat|acme|k%7C2",
      0,
      0,
      -1,
      -1,
      "chat|acme|k1",
      20,
      8,
      -1,
      2,
      "R1",
      "C2",
      "R2",
    ]);
  });

  it("give every claim the limits that it names, also when they changed between two of one owner", () => {
    expect(operationArguments([claim(), claim({ poolSize: 9 }), claim()])).toEqual([
      2,
      "chat|acme|k1",
      20,
      8,
      -1,
      2,
      "chat|acme|k1",
      20,
      9,
      -1,
      2,
      "C1",
      "C2",
      "C1",
    ]);
  });

  it("give a claim its own limits although a release of its owner came before it", () => {
    expect(operationArguments([release(), claim()]).slice(-2)).toEqual(["R1", "C2"]);
  });

  it.each([
    [{ session: sessionId("s|1"), sinceArrivalMs: 12.7 }, ["S1", "s%7C1", 12, "-"]],
    [{ session: sessionId("s"), isForHoldOnly: true }, ["S1", "s", 0, "h"]],
    [{ isStarving: true, freesKeyHolds: true }, ["S1", "", 0, "sk"]],
    [{ othersWaiting: 0 }, ["C1"]],
    [{ othersWaiting: 3 }, ["C1:3"]],
    [{ session: sessionId("s"), othersWaiting: 7 }, ["S1:7", "s", 0, "-"]],
  ])("tell the session and what else a claim wants: %o", (fields, expected) => {
    expect(operationArguments([claim(fields)]).slice(6)).toEqual(expected);
  });

  it("tell times of a hold in whole ms, a remembered session rounded up", () => {
    const hold: HoldOperation = {
      kind: "hold",
      ...OWNER,
      session: sessionId("s"),
      sinceArrivalMs: 5.9,
      sinceLastFinishMs: null,
      holdMs: 3000.9,
      keepMs: 5000.1,
      maxHeld: 2,
      maxJumps: 8,
    };
    expect(operationArguments([hold]).slice(6)).toEqual(["H1", "s", 5, -1, 3000, 5001, 2, 8]);
  });

  it("need no owner to withdraw from a pool, or from the ceiling", () => {
    expect(operationArguments([{ kind: "withdraw", pool: poolId("a|b") }])).toEqual([0, "W", "a%7Cb"]);
    expect(operationArguments([{ kind: "withdraw", pool: null }])).toEqual([0, "W", ""]);
  });

  it("need no owner to drop the holds of a pool", () => {
    expect(operationArguments([{ kind: "drop-holds", pool: poolId("a|b") }])).toEqual([0, "D", "a%7Cb"]);
  });
});
