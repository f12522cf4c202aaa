/** The rules of the books over random histories. Over every history of a small world: `test/small-world/`. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SlotCommand, slotHistories } from "../../test/slot-commands";
import { sumsOf } from "../../test/small-world/sums";
import { limitFields } from "./slot-fields";
import type { BatchAnswer, SlotOperation } from "./slot-store";
import { SlotTable } from "./slot-table";

const TTL_MS = 10_000;

const makeTable = () => new SlotTable({ onReleased: () => undefined, onMembership: () => undefined });

describe("the books over random histories", () => {
  it("have totals that are the sum of holdings and held sessions, and let no claim past a limit", () => {
    fc.assert(
      fc.property(slotHistories(60), (commands) => {
        const table = makeTable();
        const epochs = new Map<string, number>();
        let nowMs = 1_000_000;
        // A corruption breaks the sums on purpose; the next heartbeat of the first by name must mend them.
        let isCorrupt = false;
        for (const command of commands) {
          if (command.kind === "pass") nowMs += command.ms;
          if (command.kind === "corrupt") {
            table.corrupt("g", command.slots);
            isCorrupt = true;
          }
          if (command.kind === "flush") table.flush();
          if (command.kind === "leave") table.leave(command.instance);
          if (command.kind === "heartbeat") {
            const epoch = (epochs.get(command.instance) ?? 0) + 1;
            epochs.set(command.instance, epoch);
            const holdings = new Map(table.heldBy(command.instance) ?? []);
            table.heartbeat({ instance: command.instance, ttlMs: TTL_MS, epoch, holdings, asksOthers: false }, nowMs);
            const first = [...table.replicas.keys()].sort()[0];
            if (first === command.instance) isCorrupt = false;
          }
          if (command.kind === "run") runOneByOne(table, command, epochs.get(command.instance) ?? 0, nowMs);
          if (!isCorrupt) expect(new Map([...table.totals].sort())).toEqual(new Map([...sumsOf(table)].sort()));
          for (const count of table.totals.values()) expect(count).toBeGreaterThan(0);
        }
      }),
      { numRuns: Number(process.env.OBLETH_TEST_RUNS ?? 500) },
    );
  });
});

function runOneByOne(table: SlotTable, command: SlotCommand & { kind: "run" }, epoch: number, nowMs: number): void {
  for (const operation of command.operations) {
    const before = new Map(table.totals);
    const heldBefore = new Map(table.heldBy(command.instance) ?? []);
    const batch = { instance: command.instance, epoch: command.isStale ? epoch - 1 : epoch, operations: [operation] };
    const answer = table.run(batch, nowMs);
    if (answer.kind === "unregistered") {
      expect(table.totals).toEqual(before);
      continue;
    }
    checkAnswer(table, operation, answer, before);
    const [only] = answer.answers;
    if (only?.kind === "release" && only.answer === "not-held") {
      expect(new Map(table.heldBy(command.instance) ?? [])).toEqual(heldBefore);
    }
  }
}

function checkAnswer(
  table: SlotTable,
  operation: SlotOperation,
  answer: BatchAnswer & { kind: "done" },
  before: ReadonlyMap<string, number>,
): void {
  const [only] = answer.answers;
  if (operation.kind === "claim" && only?.kind === "claim") {
    if (only.answer === "granted") {
      const sizes = [operation.ceiling, operation.poolSize, operation.tenantCap, operation.keyCap];
      for (const [i, limit] of limitFields(operation).entries()) {
        expect(table.totals.get(limit) ?? 0).toBeLessThanOrEqual(sizes[i] ?? Number.POSITIVE_INFINITY);
      }
    } else if (!operation.isStarving) {
      // Denied or redeemed: nothing was added. (Holds that ran out may have been freed by the same call.)
      for (const limit of limitFields(operation)) {
        expect(table.totals.get(limit) ?? 0).toBeLessThanOrEqual(before.get(limit) ?? 0);
      }
    }
  }
  if (operation.kind === "hold" && only?.kind === "hold" && only.answer === "held") {
    expect(table.totals.get(`h|${limitFields(operation)[1].slice(2)}`)).toBeLessThanOrEqual(operation.maxHeld);
  }
}
