import { VirtualClock } from "@obleth/clock";
import { describe, expect, it } from "vitest";
import type { Done, Heartbeat, HeartbeatAnswer } from "../slots/slot-store";
import { Heart } from "./heart";

const BEAT: Heartbeat = { instance: "me", ttlMs: 15_000, epoch: 1, holdings: new Map(), asksOthers: false };
const ANSWER: HeartbeatAnswer = {
  nowMs: 1,
  wasRegistered: true,
  reclaimedSlots: 0,
  ownDrift: 0,
  totalDrift: 0,
  heldSessions: 0,
  lostHolds: [],
  totalSlots: 0,
  members: [],
};

function setup() {
  const clock = new VirtualClock();
  const sent: Done<HeartbeatAnswer>[] = [];
  const events: string[] = [];
  /** What the process reads between its timers and what was deferred. */
  const deferred: { arrivedMeanwhile?: () => void } = {};
  const heart: Heart = new Heart({
    store: { run: () => undefined, heartbeat: (_, done) => void sent.push(done), leave: () => undefined },
    clock,
    timeoutMs: 250,
    defer: (run) => {
      deferred.arrivedMeanwhile?.();
      run();
    },
    onDue: () => {
      events.push(`due ${clock.monotonicMs()}`);
      heart.send(BEAT);
    },
    onAnswer: (_, latencyMs) => events.push(`answer ${latencyMs}`),
    onFailure: (reason) => events.push(reason),
  });
  return { clock, sent, events, heart, deferred };
}

describe("heartbeats", () => {
  it("come at the earliest appointment, once", () => {
    const { clock, events, heart } = setup();
    heart.beatIn(1000);
    heart.beatIn(500);
    heart.beatIn(800);
    clock.advance(700);
    expect(events).toEqual(["due 500"]);
  });

  it("tell how long the answer took", () => {
    const { clock, sent, events, heart } = setup();
    heart.send(BEAT);
    clock.advance(40);
    sent[0]?.({ ok: true, answer: ANSWER });
    expect(events).toEqual(["answer 40"]);
  });

  it("are answered when the answer lay there while the process stood still past the deadline", () => {
    const { clock, sent, events, heart, deferred } = setup();
    heart.send(BEAT);
    deferred.arrivedMeanwhile = () => sent[0]?.({ ok: true, answer: ANSWER });
    clock.advance(250);
    expect(events).toEqual(["answer 250"]);
  });

  it("fail at the deadline, and an answer after that is ignored", () => {
    const { clock, sent, events, heart } = setup();
    heart.send(BEAT);
    clock.advance(250);
    sent[0]?.({ ok: true, answer: ANSWER });
    expect(events).toEqual(["timeout"]);
  });

  it("fail when the store says so, once", () => {
    const { clock, sent, events, heart } = setup();
    heart.send(BEAT);
    sent[0]?.({ ok: false, error: new Error("connection reset") });
    clock.advance(1000);
    expect(events).toEqual(["error"]);
  });

  it("are one at a time: appointments made meanwhile do not count", () => {
    const { clock, sent, heart } = setup();
    heart.send(BEAT);
    heart.beatIn(0);
    clock.advance(100);
    expect(sent).toHaveLength(1);
  });

  it("keep their distance when replicas come and go, and none of that is forgotten while one is under way", () => {
    const { clock, sent, events, heart } = setup();
    heart.send(BEAT);
    clock.advance(10);
    heart.beatSoon(100);
    sent[0]?.({ ok: true, answer: ANSWER });
    clock.advance(1000);
    expect(events[0]).toBe("answer 10");
    expect(sent).toHaveLength(2);
    sent[1]?.({ ok: true, answer: ANSWER });
    heart.beatSoon(100);
    clock.advance(0);
    expect(sent).toHaveLength(3);
  });

  it("that were dropped say nothing more", () => {
    const { clock, sent, events, heart } = setup();
    heart.send(BEAT);
    heart.drop();
    sent[0]?.({ ok: true, answer: ANSWER });
    clock.advance(1000);
    expect(events).toEqual([]);
  });

  it("end when stopped", () => {
    const { clock, sent, heart } = setup();
    heart.beatIn(100);
    heart.stop();
    heart.beatIn(100);
    clock.advance(1000);
    expect(sent).toHaveLength(0);
  });
});
