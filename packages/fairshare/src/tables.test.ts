/** The small containers: requests by number, deadlines, finishes, decisions. */
import { describe, expect, it } from "vitest";
import { EngineRun } from "../test/engine-run";
import { Deadlines } from "./deadlines";
import { decisionsSince, waitingTags } from "./engine";
import type { Arrive } from "./events";
import { countFinish, finishesUpTo, makeFinishCounts } from "./finish-counts";
import { groupId, keyId, poolId, sessionId, tenantId, waiterId } from "./ids";
import type { Key, Waiter } from "./state";
import { WaiterRecords } from "./waiter-records";
import { WaiterTable } from "./waiter-table";

function waiter(id: number, arrivedMs = 0): Waiter {
  return { id: waiterId(id), arrivedMs, state: "queued" } as Waiter;
}

describe("requests by number", () => {
  it("are found while they are in, and only then, however many there are", () => {
    const table = new WaiterTable();
    const ids = Array.from({ length: 2_000 }, (_, i) => 1 + 3 * i);
    for (const id of ids) table.add(waiter(id));
    expect(table.size).toBe(2_000);
    for (const id of ids) expect(table.get(waiterId(id))?.id).toBe(id);
    expect(table.get(waiterId(2))).toBeUndefined();
    for (const id of ids) if (id % 2 === 0) table.delete(waiterId(id));
    expect([...table.values()].length).toBe(table.size);
    expect(table.get(waiterId(4))).toBeUndefined();
    expect(table.get(waiterId(7))?.id).toBe(7);
  });

  it("ignore a delete of what is not in, and refuse a number twice", () => {
    const table = new WaiterTable();
    table.add(waiter(5));
    table.delete(waiterId(5));
    table.delete(waiterId(5));
    table.delete(waiterId(700));
    expect(table.size).toBe(0);
    table.add(waiter(6));
    expect(() => table.add(waiter(6))).toThrow("used once");
  });

  it("are found when they stay while many thousands come and go, also past 2^32", () => {
    const table = new WaiterTable();
    const first = 2 ** 32 - 5_000;
    const stayers = [first, first + 1, first + 256, first + 700];
    for (let id = first; id < first + 20_000; id++) {
      table.add(waiter(id));
      if (id - first >= 30 && !stayers.includes(id - 30)) table.delete(waiterId(id - 30));
    }
    for (const id of stayers) expect(table.get(waiterId(id))?.id).toBe(id);
    expect(table.get(waiterId(first + 2))).toBeUndefined();
    expect(table.size).toBe(34);
    expect(() => table.add(waiter(first))).toThrow("used once");
    for (const id of stayers) table.delete(waiterId(id));
    for (const id of stayers) expect(table.get(waiterId(id))).toBeUndefined();
    expect([...table.values()].length).toBe(30);
  });

  it("take no more than eight places each, and give room back when a burst is over", () => {
    const table = new WaiterTable();
    for (let id = 1; id <= 50_000; id++) table.add(waiter(id));
    expect(table.room).toBe(131_072);
    for (let id = 1; id <= 49_990; id++) {
      table.delete(waiterId(id));
      expect(table.room).toBeLessThanOrEqual(Math.max(256, 8 * table.size));
    }
    expect(table.room).toBe(256);
    for (let id = 49_991; id <= 50_000; id++) expect(table.get(waiterId(id))?.id).toBe(id);
  });
});

describe("records of requests", () => {
  const arrival: Arrive = {
    kind: "arrive",
    waiterId: waiterId(1),
    pool: poolId("m"),
    tenant: { id: tenantId("t"), group: { id: groupId("g"), weight: 1 }, weight: 1, boostFactor: 1, maxInFlight: null },
    key: { id: keyId("k"), weight: 1, maxInFlight: null },
    costTokens: 5,
    session: sessionId("s"),
    timeoutMs: null,
    tag: "first",
  };
  const key = { id: keyId("k") } as Key;

  it("carry nothing over from the request they stood for before, and meanwhile name neither its key nor its tag", () => {
    const records = new WaiterRecords();
    const used = records.make(arrival, key, 10);
    used.sinceLastFinishMs = 3;
    used.state = "running";
    records.takeBack(used);
    expect(used).toMatchObject({ key: null, tag: undefined, state: "gone" });
    const later: Arrive = { ...arrival, waiterId: waiterId(2), costTokens: 7, session: null, tag: "second" };
    const again = records.make(later, key, 20);
    expect(again).toBe(used);
    expect(again).toEqual(new WaiterRecords().make(later, key, 20));
  });

  it("are used again only once each is over", () => {
    const run = new EngineRun({ defaultPoolSize: 1 });
    const first = run.ask({ tag: "first" });
    const second = run.ask({ tag: "second" });
    const third = run.ask({ tag: "third" });
    run.cancel(second);
    const fourth = run.ask({ tag: "fourth" });
    expect(waitingTags(run.state).toSorted()).toEqual(["fourth", "third"]);
    run.finish(first);
    run.finish(third);
    expect(run.granted).toEqual([first, third, fourth]);
  });
});

describe("deadlines", () => {
  it("come in the order they fall due, over several timeouts, the older of two at one moment first", () => {
    const table = new WaiterTable();
    const deadlines = new Deadlines(table);
    const added = [
      [1, 0, 500],
      [2, 100, 100],
      [3, 200, 300],
      [4, 400, 100],
      [5, 450, 50],
    ] as const;
    for (const [id, arrivedMs, timeoutMs] of added) {
      table.add(waiter(id, arrivedMs));
      deadlines.add(waiter(id, arrivedMs), timeoutMs);
    }
    const order: number[] = [];
    for (let next = deadlines.next(); next !== undefined; next = deadlines.next()) {
      expect(deadlines.nextMs()).toBe(next.dueMs);
      order.push(next.waiter.id);
      table.delete(next.waiter.id);
    }
    expect(order).toEqual([2, 1, 3, 4, 5]);
    expect(deadlines.nextMs()).toBe(Number.POSITIVE_INFINITY);
  });

  it("pass over requests that wait no longer, and keep no more numbers than twice those that do", () => {
    const table = new WaiterTable();
    const deadlines = new Deadlines(table);
    table.add(waiter(1));
    deadlines.add(waiter(1), 60_000);
    for (let id = 2; id < 50_000; id++) {
      table.add(waiter(id));
      deadlines.add(waiter(id), 60_000);
      table.delete(waiterId(id));
      expect(deadlines.count).toBeLessThanOrEqual(1024);
    }
    expect(deadlines.next()?.waiter.id).toBe(1);
  });

  it("are none for what is no length of time", () => {
    const deadlines = new Deadlines(new WaiterTable());
    for (const timeoutMs of [Number.NaN, -1, Number.POSITIVE_INFINITY]) deadlines.add(waiter(1), timeoutMs);
    expect(deadlines.next()).toBeUndefined();
    expect(deadlines.count).toBe(0);
  });
});

describe("finishes", () => {
  it("are counted for five minutes and forgotten after", () => {
    const finishes = makeFinishCounts();
    for (let second = 0; second < 300; second++) countFinish(finishes, second * 1000);
    expect(finishesUpTo(finishes, 299_000)).toBe(300);
    expect(finishesUpTo(finishes, 449_999)).toBe(155);
    expect(finishesUpTo(finishes, 605_000)).toBe(0);
    countFinish(finishes, 700_000);
    expect(finishesUpTo(finishes, 700_000)).toBe(1);
  });

  it("show in the pool's picture", () => {
    const run = new EngineRun();
    run.nowMs = 1_000_000;
    for (let i = 0; i < 3; i++) run.finish(run.ask());
    expect(run.poolPicture().finishes5m).toBe(3);
  });
});

describe("decisions", () => {
  it("are kept up to the bound, oldest dropped first, each with its names and its age", () => {
    const run = new EngineRun({ decisionLimit: 4, defaultPoolSize: 1 });
    const first = run.ask({ tenant: "a", key: "k", session: "s" });
    const second = run.ask({ tenant: "b" });
    run.nowMs = 30;
    run.finish(first);
    const kept = decisionsSince(run.state, 0);
    expect(kept.map(({ sequence, kind, waiterId: id }) => [sequence, kind, id])).toEqual([
      [1, "admitted", first],
      [2, "queued", second],
      [3, "released", first],
      [4, "admitted", second],
    ]);
    expect(kept[3]).toMatchObject({ atMs: 30, sinceArrivalMs: 30, owner: { pool: "m", tenantId: "b", groupId: "b" } });
    expect(kept[0]).toMatchObject({ session: "s", owner: { keyId: "k" } });
    run.finish(second);
    expect(decisionsSince(run.state, 0).map(({ sequence }) => sequence)).toEqual([2, 3, 4, 5]);
    expect(decisionsSince(run.state, 4)).toHaveLength(1);
  });

  it("are none with a bound of 0", () => {
    const run = new EngineRun({ decisionLimit: 0 });
    run.ask();
    expect(decisionsSince(run.state, 0)).toEqual([]);
  });

  it("are equal for equal histories", () => {
    const logs = [1, 2].map(() => {
      const run = new EngineRun({ defaultPoolSize: 2 });
      for (let i = 0; i < 200; i++) {
        run.nowMs = i * 3.7;
        run.ask({ tenant: `t${(i * 5) % 7}`, cost: (i * 31) % 90, timeoutMs: 200 });
        if (i % 2 === 0) run.finish([...run.running][0] ?? 0);
      }
      return decisionsSince(run.state, 0);
    });
    expect(logs[0]).toEqual(logs[1]);
  });
});
