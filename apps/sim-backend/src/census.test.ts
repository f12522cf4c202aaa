import { describe, expect, it } from "vitest";
import { Census } from "./census";

function clockedCensus() {
  const clock = { ms: 0 };
  return { clock, census: new Census(() => clock.ms) };
}

describe("Census", () => {
  it("remembers the most that ever ran together, overall, per model and per marker", () => {
    const { census } = clockedCensus();
    const visits = ["a", "a", "b"].map((model) => {
      const visit = census.enter("/v1/chat/completions");
      census.identify(visit, { model, marker: "chatbot" });
      return visit;
    });
    for (const visit of visits) census.leave(visit, "completed");
    const again = census.enter("/v1/chat/completions");
    census.identify(again, { model: "a", marker: "api-batch" });
    expect(census.total).toEqual({ running: 1, highWater: 3 });
    expect(census.models.get("a")).toEqual({ running: 1, highWater: 2 });
    expect(census.models.get("b")).toEqual({ running: 0, highWater: 1 });
    expect(census.markers.get("chatbot")).toEqual({ running: 0, highWater: 3, requests: 3 });
  });

  it("counts a request that leaves twice once", () => {
    const { census } = clockedCensus();
    const visit = census.enter("/");
    census.identify(visit, { model: "a", marker: "" });
    census.leave(visit, "aborted");
    census.leave(visit, "completed");
    expect(census.total.running).toBe(0);
    expect(census.runningOf("a")).toBe(0);
    expect(census.endings).toEqual({ completed: 0, failed: 0, aborted: 1 });
  });

  it("never counts one that left before its body named the model", () => {
    const { census } = clockedCensus();
    const visit = census.enter("/");
    census.leave(visit, "aborted");
    census.identify(visit, { model: "a", marker: "" });
    expect(census.runningOf("a")).toBe(0);
    expect(visit.model).toBe("");
  });

  it("keeps when each request came and went, so that anyone can work out who held how many slots when", () => {
    const { census, clock } = clockedCensus();
    const visit = census.enter("/");
    census.identify(visit, { model: "a", marker: "x" });
    clock.ms = 40;
    census.leave(visit, "completed");
    expect(census.visits).toMatchObject([{ model: "a", marker: "x", startedMs: 0, endedMs: 40 }]);
  });

  it("resets marks to what still runs", () => {
    const { census } = clockedCensus();
    const done = census.enter("/");
    census.enter("/");
    census.leave(done, "completed");
    census.reset();
    expect(census.total).toEqual({ running: 1, highWater: 1 });
    expect(census.visits).toHaveLength(1);
    expect(census.endings.completed).toBe(0);
  });

  it("bounds what made-up names and long runs can keep", () => {
    const { census } = clockedCensus();
    for (let i = 0; i < 3000; i++) {
      const visit = census.enter("/");
      census.identify(visit, { model: `model ${i}`, marker: `marker ${i}` });
      census.leave(visit, "completed");
    }
    expect(census.models.size).toBeLessThanOrEqual(1001);
    expect(census.markers.size).toBeLessThanOrEqual(1001);
    expect(census.visits.length).toBeLessThanOrEqual(1250);
    expect(census.total.running).toBe(0);
    expect([...census.models.values()].every((level) => level.running === 0)).toBe(true);
  });
});
