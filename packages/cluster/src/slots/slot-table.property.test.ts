/** The rules of the books: over random histories, and over every history of a small world. */
import { sessionId } from "@obleth/fairshare";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INSTANCES, type SlotCommand, SOME_OWNER, slotHistories } from "../../test/slot-commands";
import { limitFields } from "./slot-fields";
import type { BatchAnswer, ClaimOperation, SlotOperation } from "./slot-store";
import { SlotTable } from "./slot-table";

const TTL_MS = 10_000;

const makeTable = () => new SlotTable({ onReleased: () => undefined, onMembership: () => undefined });

/** Totals as the parts and the held sessions give them. */
function sums(table: SlotTable): Map<string, number> {
  const result = new Map<string, number>();
  const add = (limit: string) => result.set(limit, (result.get(limit) ?? 0) + 1);
  for (const instance of table.replicas.keys()) {
    for (const [limit, count] of table.heldBy(instance) ?? []) result.set(limit, (result.get(limit) ?? 0) + count);
  }
  for (const id of table.holds.keys()) {
    const [pool = "", tenant = "", key = ""] = id.split("|");
    for (const limit of ["g", `p|${pool}`, `t|${pool}|${tenant}`, `k|${pool}|${key}`, `h|${pool}`, "H"]) add(limit);
  }
  return result;
}

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
          if (!isCorrupt) expect(new Map([...table.totals].sort())).toEqual(new Map([...sums(table)].sort()));
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

/** What can happen next in the small world; `truth` is what each replica really runs. */
type Move = "claim" | "lost-claim" | "finish" | "finish-again" | "hold" | "beat" | "crash" | "wait-turn" | "wait-ttl";
const MOVES: readonly Move[] = [
  "claim",
  "lost-claim",
  "finish",
  "finish-again",
  "hold",
  "beat",
  "crash",
  "wait-turn",
  "wait-ttl",
];

interface Step {
  readonly move: Move;
  readonly instance: string;
}

/** The small world after some steps: the table, and what each replica really runs. */
class World {
  readonly table = makeTable();
  readonly truth = new Map<string, number>();
  readonly #poolSize: number;
  #nowMs = 1_000_000;
  grants = 0;

  constructor(instances: readonly string[], poolSize: number) {
    this.#poolSize = poolSize;
    for (const instance of instances) this.#beat(instance);
  }

  get key(): string {
    return `${this.table.picture(this.#nowMs)}${JSON.stringify([...this.truth].sort())}`;
  }

  /** Makes one step, checking every rule; false when it cannot happen here. */
  take({ move, instance }: Step): boolean {
    const runs = this.truth.get(instance);
    switch (move) {
      case "claim":
      case "lost-claim":
        return runs !== undefined && this.#claim(instance, move === "lost-claim");
      case "finish":
        if (runs === undefined || runs === 0) return false;
        this.truth.set(instance, runs - 1);
        this.#run(instance, { kind: "release", ...SOME_OWNER });
        return true;
      case "finish-again":
        // A release repeated, or come too late: the books may give back only what they record.
        if (runs === undefined) return false;
        this.#run(instance, { kind: "release", ...SOME_OWNER });
        return true;
      case "hold":
        if (runs === undefined || runs === 0) return false;
        this.truth.set(instance, runs - 1);
        this.#run(instance, HOLD);
        return true;
      case "beat":
        if (runs === undefined) return false;
        this.#beat(instance);
        return true;
      case "crash":
        return this.truth.delete(instance);
      case "wait-turn":
        this.#nowMs += 260;
        return true;
      case "wait-ttl":
        this.#nowMs += TTL_MS;
        return true;
    }
  }

  #claim(instance: string, isLost: boolean): boolean {
    const totalBefore = this.table.totals.get("p|chat") ?? 0;
    const answer = this.#run(instance, { ...CLAIM, poolSize: this.#poolSize });
    if (answer.kind === "unregistered") return false;
    const [only] = answer.answers;
    const isIn = only?.kind === "claim" && (only.answer === "granted" || only.answer === "redeemed");
    const total = this.table.totals.get("p|chat") ?? 0;
    if (only?.kind === "claim" && only.answer === "granted") {
      must(total === totalBefore + 1 && total <= this.#poolSize, "a grant takes one slot within the pool");
      this.grants++;
    } else {
      must(total === totalBefore, "a denied or redeemed claim takes nothing");
    }
    if (isIn && !isLost) this.truth.set(instance, (this.truth.get(instance) ?? 0) + 1);
    return true;
  }

  #beat(instance: string): void {
    const runs = this.truth.get(instance) ?? 0;
    this.truth.set(instance, runs);
    const holdings = new Map(runs === 0 ? [] : limitFields(SOME_OWNER).map((limit) => [limit, runs] as const));
    this.table.heartbeat({ instance, ttlMs: TTL_MS, epoch: 1, holdings, asksOthers: false }, this.#nowMs);
    must((this.table.heldBy(instance)?.get("g") ?? 0) === runs, "a heartbeat puts on the books what runs");
  }

  #run(instance: string, operation: SlotOperation): BatchAnswer {
    const answer = this.table.run({ instance, epoch: 1, operations: [operation] }, this.#nowMs);
    const { totals } = this.table;
    const parts = sums(this.table);
    must(totals.size === parts.size, "totals are the sum of the parts");
    for (const [limit, count] of totals) must(parts.get(limit) === count, "totals are the sum of the parts");
    return answer;
  }
}

/** `expect` is too slow for millions of steps. */
function must(holds: boolean, rule: string): void {
  if (!holds) throw new Error(`broken: ${rule}`);
}

const CLAIM: ClaimOperation = {
  kind: "claim",
  ...SOME_OWNER,
  poolSize: 1,
  ceiling: 10,
  tenantCap: null,
  keyCap: null,
  session: sessionId("s"),
  sinceArrivalMs: 0,
  isForHoldOnly: false,
  isStarving: false,
};
const HOLD: SlotOperation = {
  kind: "hold",
  ...SOME_OWNER,
  session: sessionId("s"),
  sinceArrivalMs: 0,
  sinceLastFinishMs: 0,
  holdMs: 3000,
  keepMs: 3000,
  maxHeld: 1,
  maxJumps: 1,
};

/** Deeper searches take minutes: OBLETH_SEARCH_EXTRA=2 or more. */
const EXTRA_DEPTH = Number(process.env.OBLETH_SEARCH_EXTRA ?? 0);

describe("the books over every history of a small world", () => {
  it.each([
    { replicas: 2, poolSize: 1, depth: 7 + EXTRA_DEPTH },
    { replicas: 2, poolSize: 2, depth: 6 + EXTRA_DEPTH },
    { replicas: 3, poolSize: 1, depth: 5 + EXTRA_DEPTH },
  ])(
    "hold with $replicas replicas, $poolSize slots and $depth steps",
    { timeout: 3_600_000 },
    ({ replicas, poolSize, depth }) => {
      const instances = INSTANCES.slice(0, replicas);
      const seen = new Set<string>();
      let frontier: Step[][] = [[]];
      let grants = 0;
      for (let level = 0; level < depth; level++) {
        const next: Step[][] = [];
        for (const path of frontier) {
          for (const instance of instances) {
            for (const move of MOVES) {
              if (move.startsWith("wait") && instance !== instances[0]) continue;
              const world = new World(instances, poolSize);
              for (const step of path) world.take(step);
              if (!world.take({ move, instance })) continue;
              grants += world.grants;
              const { key } = world;
              if (seen.has(key)) continue;
              seen.add(key);
              next.push([...path, { move, instance }]);
            }
          }
        }
        frontier = next;
      }
      expect(seen.size).toBeGreaterThan(1000);
      expect(grants).toBeGreaterThan(1000);
    },
  );
});
