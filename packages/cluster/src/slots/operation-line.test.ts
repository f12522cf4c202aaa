import { VirtualClock } from "@obleth/clock";
import { keyId, poolId, tenantId } from "@obleth/fairshare";
import { describe, expect, it } from "vitest";
import { OperationLine } from "./operation-line";
import type { BatchAnswer, Done, ReleaseOperation, SlotAnswer, SlotBatch } from "./slot-store";

const RELEASE: ReleaseOperation = {
  kind: "release",
  pool: poolId("chat"),
  tenantId: tenantId("acme"),
  keyId: keyId("key"),
};
const FREED: SlotAnswer = { kind: "release", answer: "freed" };

/** A store whose answers the test gives by hand. */
function setup() {
  const clock = new VirtualClock();
  const calls: { batch: SlotBatch; done: Done<BatchAnswer> }[] = [];
  const failures: string[] = [];
  /** What the process reads between its timers and what was deferred. */
  const deferred: { arrivedMeanwhile?: () => void } = {};
  const settled: (SlotAnswer | "failed")[] = [];
  const line: OperationLine = new OperationLine({
    store: {
      run: (batch, done) => void calls.push({ batch, done }),
      heartbeat: () => undefined,
      leave: () => undefined,
    },
    clock,
    instance: "a",
    timeoutMs: 250,
    defer: (run) =>
      void clock.setTimer(0, () => {
        deferred.arrivedMeanwhile?.();
        run();
      }),
    isVoid: () => false,
    onAnswer: () => undefined,
    onFailure: (reason) => {
      failures.push(reason);
      line.abandon();
    },
  });
  const push = (count = 1) => {
    for (let i = 0; i < count; i++) line.push(RELEASE, (answer) => settled.push(answer));
    clock.advance(0);
  };
  const answer = (call: number) => {
    const { batch, done } = calls[call] ?? {};
    done?.({
      ok: true,
      answer: { kind: "done", nowMs: 1, answers: (batch?.operations ?? []).map(() => FREED), lostHolds: [] },
    });
  };
  return { clock, calls, failures, settled, line, push, answer, deferred };
}

describe("operations on their way", () => {
  it("of one tick travel in one call, in order, and are settled in order", () => {
    const { calls, line, push, answer, settled } = setup();
    line.resume(7);
    push(5);
    expect(calls).toHaveLength(1);
    expect(calls[0]?.batch).toMatchObject({ instance: "a", epoch: 7 });
    expect(calls[0]?.batch.operations).toHaveLength(5);
    answer(0);
    expect(settled).toHaveLength(5);
  });

  it("share the next call while one is on its way", () => {
    const { calls, line, push, answer } = setup();
    line.resume(1);
    for (let i = 0; i < 9; i++) push();
    expect(calls).toHaveLength(1);
    answer(0);
    expect(calls).toHaveLength(2);
    expect(calls[1]?.batch.operations).toHaveLength(8);
  });

  it("do not wait for it when there are enough for a call of their own, up to four calls", () => {
    const { calls, line, push } = setup();
    line.resume(1);
    for (let i = 0; i < 6; i++) push(32);
    expect(calls.map((call) => call.batch.operations.length)).toEqual([32, 32, 32, 32]);
  });

  it("do not wait for it when it was sent a while ago", () => {
    const { clock, calls, line, push } = setup();
    line.resume(1);
    push();
    clock.advance(2);
    push();
    expect(calls).toHaveLength(2);
  });

  it("never exceed 200 in one call", () => {
    const { calls, line, push, answer } = setup();
    line.resume(1);
    push(450);
    answer(0);
    expect(calls.map((call) => call.batch.operations.length)).toEqual([200, 200, 50]);
  });

  it("stand still while the line is stopped, which is told when nothing is outstanding any more", () => {
    const { calls, line, push, answer } = setup();
    line.resume(1);
    push();
    let isIdle = false;
    line.stop(() => {
      isIdle = true;
    });
    push(3);
    expect(calls).toHaveLength(1);
    expect(isIdle).toBe(false);
    answer(0);
    expect(isIdle).toBe(true);
    expect(calls).toHaveLength(1);
    line.resume(2);
    expect(calls[1]?.batch).toMatchObject({ epoch: 2 });
    expect(calls[1]?.batch.operations).toHaveLength(3);
  });

  it("are idle at once when nothing is outstanding", () => {
    const { line } = setup();
    line.resume(1);
    let isIdle = false;
    line.stop(() => {
      isIdle = true;
    });
    expect(isIdle).toBe(true);
  });

  it("do not fail when their answer lay there while the process stood still past the deadline", () => {
    const { clock, failures, settled, line, push, answer, deferred } = setup();
    line.resume(1);
    push(2);
    deferred.arrivedMeanwhile = () => answer(0);
    clock.advance(300);
    expect(failures).toEqual([]);
    expect(settled).toEqual([FREED, FREED]);
  });

  it("fail together, each once, when one call is late; an answer after that changes nothing", () => {
    const { clock, line, push, answer, settled, failures } = setup();
    line.resume(1);
    push(2);
    push(3);
    clock.advance(250);
    expect(failures).toEqual(["timeout"]);
    expect(settled).toEqual(Array.from({ length: 5 }, () => "failed"));
    answer(0);
    answer(1);
    clock.advance(1000);
    expect(settled).toHaveLength(5);
    expect(failures).toEqual(["timeout"]);
  });

  it("fail when the store answers with an error or does not know this replica", () => {
    for (const [reason, result] of [
      ["error", { ok: false, error: new Error("WRONGTYPE") }],
      ["unregistered", { ok: true, answer: { kind: "unregistered" } }],
    ] as const) {
      const { calls, line, push, settled, failures } = setup();
      line.resume(1);
      push();
      calls[0]?.done(result);
      expect(failures).toEqual([reason]);
      expect(settled).toEqual(["failed"]);
    }
  });

  it("that come while the line is abandoned wait for the next stretch", () => {
    const { calls, line, push, settled } = setup();
    line.resume(1);
    line.abandon();
    push();
    expect(calls).toHaveLength(0);
    line.resume(2);
    expect(calls).toHaveLength(1);
    expect(settled).toEqual([]);
  });

  it("may push more from inside an answer", () => {
    const { clock, calls, line, answer } = setup();
    line.resume(1);
    let rounds = 0;
    const again = () => {
      rounds++;
      if (rounds < 5) line.push(RELEASE, again);
    };
    line.push(RELEASE, again);
    for (let call = 0; call < 5; call++) {
      clock.advance(0);
      answer(call);
    }
    expect(rounds).toBe(5);
    expect(calls).toHaveLength(5);
  });
});
