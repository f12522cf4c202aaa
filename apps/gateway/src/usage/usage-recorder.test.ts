import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@obleth/clock";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SpillFile } from "./spill-file";
import type { UsageRecord } from "./usage-record";
import { UsageRecorder, type UsageRecorderLimits } from "./usage-recorder";

function usage(requestId: string): UsageRecord {
  return {
    requestId,
    tsMs: 1,
    tenantId: null,
    keyId: null,
    model: null,
    endpointId: null,
    admission: "fast",
    outcome: "completed",
    weight: null,
    estimatedTokens: 0,
    inputTokens: null,
    cachedTokens: null,
    outputTokens: null,
    queueWaitMs: 0,
    ttftMs: null,
    totalMs: 1,
    statusCode: 200,
    costUsd: null,
    sessionId: null,
    sessionSource: "none",
    protocol: "openai",
    replica: "r",
  };
}

/** A database that can be away, or refuse single records. */
class Table {
  readonly ids = new Set<string>();
  readonly batches: number[] = [];
  isDown = false;
  refuses = "";

  readonly insert = async (batch: readonly UsageRecord[]): Promise<void> => {
    await Promise.resolve();
    if (this.isDown) throw new Error("down");
    if (batch.some((record) => record.requestId === this.refuses)) throw new Error("bad row");
    this.batches.push(batch.length);
    for (const { requestId } of batch) this.ids.add(requestId);
  };
}

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "usage-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function setUp(limits: Partial<UsageRecorderLimits> = {}) {
  const table = new Table();
  const clock = new VirtualClock();
  const path = join(folder, "spill.ndjson");
  const counts = { spilled: 0, dropped: 0, reasons: [] as string[] };
  const make = (isRefusal?: (error: unknown) => boolean) =>
    new UsageRecorder({
      insert: table.insert,
      ...(isRefusal === undefined ? {} : { isRefusal }),
      clock,
      spill: new SpillFile(path),
      limits,
      events: {
        spilled: (count) => {
          counts.spilled += count;
        },
        dropped: (count, reason) => {
          counts.dropped += count;
          counts.reasons.push(reason);
        },
        insertFailed: () => {},
      },
    });
  return { table, clock, path, counts, make, recorder: make() };
}

/** Lets real file work and promises finish, then moves virtual time on, until a condition holds. */
async function advanceUntil(clock: VirtualClock, holds: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + 15_000;
  while (!holds() && performance.now() < giveUpAt) {
    clock.advance(1000);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  expect(holds()).toBe(true);
}

const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `r${from + i}`);

describe("the usage recorder", () => {
  it("writes at half a batch, so that what waits and what is under way are no more than one", async () => {
    const { recorder, table, clock } = setUp({ batchSize: 10 });
    for (const id of ids(0, 14)) recorder.record(usage(id));
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(table.batches).toEqual([5]);
    await advanceUntil(clock, () => table.ids.size === 14);
    expect(table.batches).toEqual([5, 9]);
  });

  it("keeps records while the database is away, in memory and then on disk, and writes all of them once", async () => {
    const { recorder, table, clock, counts } = setUp({ batchSize: 10, maxQueued: 25 });
    table.isDown = true;
    for (const id of ids(0, 100)) recorder.record(usage(id));
    expect(recorder.queuedCount).toBeLessThanOrEqual(25);
    await advanceUntil(clock, () => counts.spilled >= 70);
    table.isDown = false;
    await advanceUntil(clock, () => table.ids.size === 100);
    expect(counts.dropped).toBe(0);
  });

  it("loses nothing on a clean stop, with the database there or away", async () => {
    const up = setUp({ batchSize: 10 });
    for (const id of ids(0, 37)) up.recorder.record(usage(id));
    await up.recorder.close(5000);
    expect(up.table.ids.size).toBe(37);

    up.table.isDown = true;
    const second = up.make();
    for (const id of ids(100, 137)) second.record(usage(id));
    await second.close(5000);
    second.record(usage("late"));
    await advanceUntil(up.clock, () => readFileSync(up.path, "utf8").match(/\{.+\n/g)?.length === 38);

    up.table.isDown = false;
    up.make();
    await advanceUntil(up.clock, () => up.table.ids.has("late") && up.table.ids.size === 75);
    expect(up.counts.dropped).toBe(0);
  });

  it("stops within its limit when the database hangs", async () => {
    const { recorder, table, clock, path } = setUp({ batchSize: 10 });
    Object.assign(table, { insert: table.insert });
    const hanging = new UsageRecorder({
      insert: () => new Promise(() => {}),
      clock,
      spill: new SpillFile(path),
      events: { spilled: () => {}, dropped: () => {}, insertFailed: () => {} },
    });
    hanging.record(usage("a"));
    hanging.record(usage("b"));
    const closed = hanging.close(3000);
    clock.advance(3001);
    await closed;
    await recorder.close(0);
  });

  it("waits for the batch under way when it stops, and keeps it on disk when it fails or takes too long", async () => {
    for (const how of ["succeeds", "fails", "hangs"]) {
      const { clock, path, recorder: other } = setUp();
      await other.close(0);
      rmSync(path, { force: true });
      const written: string[] = [];
      let end = (): void => {};
      const insert = (batch: readonly UsageRecord[]) =>
        new Promise<void>((resolve, reject) => {
          end = () => {
            if (how === "fails") return reject(new Error("connection ended"));
            written.push(...batch.map(({ requestId }) => requestId));
            resolve();
          };
        });
      const events = { spilled: () => {}, dropped: () => {}, insertFailed: () => {} };
      const recorder = new UsageRecorder({
        insert,
        clock,
        spill: new SpillFile(path),
        limits: { batchSize: 4 },
        events,
      });
      for (const id of ids(0, 2)) recorder.record(usage(id));
      let isClosed = false;
      const closed = recorder.close(5000).then(() => {
        isClosed = true;
      });
      await new Promise<void>((resolve) => setImmediate(resolve));
      expect([how, isClosed, recorder.unsavedCount]).toEqual([how, false, 2]);
      if (how === "hangs") clock.advance(5000);
      else end();
      await closed;
      const kept = existsSync(path)
        ? [...readFileSync(path, "utf8").matchAll(/"requestId":"(r\d)"/g)].map(([, id]) => id)
        : [];
      expect([how, ...written, ...kept]).toEqual([how, ...ids(0, 2)]);
    }
  });

  it("passes over lines that a crash cut off and counts them", async () => {
    const { table, clock, path, counts, make } = setUp();
    appendFileSync(path, `${JSON.stringify(usage("whole"))}\n{"requestId":"ha`);
    make();
    await advanceUntil(clock, () => counts.dropped === 1);
    expect([...table.ids]).toEqual(["whole"]);
  });

  it("loses nothing more to a cut-off line when further records follow it", async () => {
    const { table, clock, path, counts, make } = setUp();
    appendFileSync(path, `${JSON.stringify(usage("whole"))}\n{"requestId":"ha`);
    await new SpillFile(path).append([usage("next"), usage("next but one")]);
    appendFileSync(path, '{"requestId":"ha');
    new SpillFile(path).appendNow([usage("last")]);
    make();
    await advanceUntil(clock, () => counts.dropped === 2);
    expect([...table.ids]).toEqual(["whole", "next", "next but one", "last"]);
  });

  it("finds a record that the database says it will never take at once, from memory or the local file", async () => {
    const { table, path, clock, counts, make, recorder } = setUp({ batchSize: 64 });
    await recorder.close(0);
    table.refuses = "r5";
    appendFileSync(
      path,
      ids(0, 40)
        .map((id) => `${JSON.stringify(usage(id))}\n`)
        .join(""),
    );
    const certain = make((error) => error instanceof Error && error.message === "bad row");
    clock.advance(1000);
    await advanceUntil(clock, () => counts.dropped === 1 && table.ids.size === 39);
    await advanceUntil(clock, () => !existsSync(`${path}.replay`));
    for (const id of [...ids(50, 90), "r5"]) certain.record(usage(id));
    await advanceUntil(clock, () => counts.dropped === 2 && table.ids.size === 79);
    expect(counts.reasons.every((reason) => reason.includes("r5"))).toBe(true);
    expect(certain.unsavedCount).toBe(0);
  });

  it("lets one record that the database refuses go, and says which, instead of holding up the others", async () => {
    const { recorder, table, clock, counts } = setUp({ batchSize: 8 });
    table.refuses = "r5";
    for (const id of ids(0, 20)) recorder.record(usage(id));
    await advanceUntil(clock, () => table.ids.size === 19);
    await advanceUntil(clock, () => counts.dropped === 1);
    expect(counts.reasons[0]).toContain("r5");
  });
});
