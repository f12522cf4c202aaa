/**
 * Every history of a small world: a few replicas, slots and requests, and each step that can happen next: a claim, one
 * whose answer is lost, an end, an end told twice or late, a hold, a heartbeat, a crash, time. States that behave alike
 * from here on are looked at once, so the search goes as deep as the states are many, not the histories. Of a state that is
 * to be gone on from only its history is kept, a letter a step: millions of them fit.
 */
import { createHash } from "node:crypto";
import { sessionId } from "@obleth/fairshare";
import { limitFields } from "../src/slots/slot-fields";
import type { BatchAnswer, ClaimOperation, SlotOperation } from "../src/slots/slot-store";
import { SlotTable } from "../src/slots/slot-table";
import { INSTANCES, SOME_OWNER } from "./slot-commands";

export interface SmallWorldOptions {
  readonly replicas: number;
  readonly slots: number;
  /** Requests that are ever granted a slot. */
  readonly requests: number;
  readonly depth: number;
}

export interface Found {
  /** The first history that breaks a rule, and which; null when none does. */
  readonly fault: string | null;
  /** Different states reached. */
  readonly states: number;
  readonly steps: number;
  readonly grants: number;
}

const MOVES = [
  "claim",
  "claim, answer lost",
  "finish",
  "finish again",
  "hold",
  "beat",
  "crash",
  "wait a turn",
  "wait a life",
] as const;

interface Step {
  readonly move: (typeof MOVES)[number];
  readonly instance: string;
}

/** All times are few of these, so that few differ. A mark of a waiting replica lives four. */
const TICK_MS = 260;
const TTL_MS = 4 * TICK_MS;
const HOLD_MS = 2 * TICK_MS;

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
const RELEASE: SlotOperation = { kind: "release", ...SOME_OWNER };
const HOLD: SlotOperation = {
  kind: "hold",
  ...SOME_OWNER,
  session: sessionId("s"),
  sinceArrivalMs: 0,
  sinceLastFinishMs: 0,
  holdMs: HOLD_MS,
  keepMs: HOLD_MS,
  maxHeld: 1,
  maxJumps: 1,
};
const FIELDS = limitFields(SOME_OWNER);

export function searchSmallWorld({ replicas, slots, requests, depth }: SmallWorldOptions): Found {
  const instances = INSTANCES.slice(0, replicas);
  const begin = () => World.begin(instances, { slots, requests });
  const steps: Step[] = MOVES.flatMap((move) =>
    (move.startsWith("wait") ? instances.slice(0, 1) : instances).map((instance) => ({ move, instance })),
  );
  const stepOf = (letter: string) => steps[letterIndex(letter)] ?? { move: "beat", instance: "a" };
  const seen = new Set([begin().key]);
  const found = { fault: null as string | null, states: 1, steps: 0, grants: 0 };
  let frontier = [""];
  for (let level = 0; level < depth; level++) {
    const next: string[] = [];
    for (const history of frontier) {
      const world = begin();
      for (const letter of history) world.take(stepOf(letter));
      for (const [index, step] of steps.entries()) {
        if (!world.allows(step)) continue;
        const after = world.copy();
        after.take(step);
        found.steps++;
        found.grants += after.grants - world.grants;
        const path = history + letterOf(index);
        if (after.fault !== null) return { ...found, fault: `${after.fault}: ${inWords(path, steps)}` };
        const { key } = after;
        if (seen.has(key)) continue;
        seen.add(key);
        // The last level is checked, not gone on from.
        if (level + 1 < depth) next.push(path);
      }
    }
    frontier = next;
  }
  return { ...found, states: seen.size };
}

const FIRST_LETTER = 65;
const letterOf = (index: number) => String.fromCharCode(FIRST_LETTER + index);
const letterIndex = (letter: string) => letter.charCodeAt(0) - FIRST_LETTER;

function inWords(path: string, steps: readonly Step[]): string {
  return [...path]
    .map((letter) => steps[letterIndex(letter)])
    .map((step) => `${step?.instance} ${step?.move}`)
    .join(", ");
}

/** Totals as the parts and the held sessions give them. */
export function sumsOf(table: SlotTable): Map<string, number> {
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

interface WorldParts {
  readonly table: SlotTable;
  readonly runs: Map<string, number>;
  readonly slots: number;
  readonly requests: number;
  readonly nowMs: number;
  readonly grants: number;
}

class World {
  readonly #table: SlotTable;
  /** What each living replica really runs. */
  readonly #runs: Map<string, number>;
  readonly #slots: number;
  readonly #requests: number;
  #nowMs: number;
  grants: number;
  fault: string | null = null;

  private constructor({ table, runs, slots, requests, nowMs, grants }: WorldParts) {
    this.#table = table;
    this.#runs = runs;
    this.#slots = slots;
    this.#requests = requests;
    this.#nowMs = nowMs;
    this.grants = grants;
  }

  static begin(instances: readonly string[], { slots, requests }: { slots: number; requests: number }): World {
    const table = new SlotTable({ onReleased: () => undefined, onMembership: () => undefined });
    const world = new World({ table, runs: new Map(), slots, requests, nowMs: 1_000_000, grants: 0 });
    for (const instance of instances) world.#beat(instance);
    return world;
  }

  /** Equal for states that behave alike from here on. */
  get key(): string {
    const text = `${this.#table.picture(this.#nowMs)}${JSON.stringify([...this.#runs].sort())}${this.grants}`;
    return createHash("sha1").update(text).digest("base64");
  }

  copy(): World {
    return new World({
      table: this.#table.copy(),
      runs: new Map(this.#runs),
      slots: this.#slots,
      requests: this.#requests,
      nowMs: this.#nowMs,
      grants: this.grants,
    });
  }

  allows({ move, instance }: Step): boolean {
    const runs = this.#runs.get(instance);
    if (move.startsWith("wait")) return true;
    if (move.startsWith("claim") && this.grants >= this.#requests) return false;
    return runs !== undefined && (runs > 0 || (move !== "finish" && move !== "hold"));
  }

  take({ move, instance }: Step): void {
    const runs = this.#runs.get(instance) ?? 0;
    switch (move) {
      case "claim":
      case "claim, answer lost":
        this.#claim(instance, runs, move !== "claim");
        break;
      case "finish":
        this.#runs.set(instance, runs - 1);
        this.#run(instance, RELEASE);
        break;
      case "finish again":
        // A release repeated, or come too late: the books may give back only what they record.
        this.#run(instance, RELEASE);
        break;
      case "hold":
        this.#runs.set(instance, runs - 1);
        this.#run(instance, HOLD);
        break;
      case "beat":
        this.#beat(instance);
        break;
      case "crash":
        this.#runs.delete(instance);
        break;
      case "wait a turn":
        this.#nowMs += TICK_MS;
        break;
      case "wait a life":
        this.#nowMs += TTL_MS;
        break;
    }
  }

  #claim(instance: string, runs: number, isLost: boolean): void {
    const before = this.#table.totals.get(FIELDS[1]) ?? 0;
    const answer = this.#run(instance, { ...CLAIM, poolSize: this.#slots });
    if (answer.kind === "unregistered") return;
    const [only] = answer.answers;
    const outcome = only?.kind === "claim" ? only.answer : undefined;
    const total = this.#table.totals.get(FIELDS[1]) ?? 0;
    if (outcome === "granted") {
      this.#must(total <= this.#slots, "C1: a grant stays within the pool");
      this.grants++;
    } else {
      // Held slots that ran out may have gone with the same call.
      this.#must(total <= before, "C2: a denied or redeemed claim takes nothing");
    }
    if (!isLost && (outcome === "granted" || outcome === "redeemed")) this.#runs.set(instance, runs + 1);
  }

  #beat(instance: string): void {
    const runs = this.#runs.get(instance) ?? 0;
    this.#runs.set(instance, runs);
    const holdings = new Map(runs === 0 ? [] : FIELDS.map((limit) => [limit, runs] as const));
    this.#table.heartbeat({ instance, ttlMs: TTL_MS, epoch: 1, holdings, asksOthers: false }, this.#nowMs);
    this.#must((this.#table.heldBy(instance)?.get("g") ?? 0) === runs, "C6: a heartbeat books what runs");
    this.#addsUp();
  }

  #run(instance: string, operation: SlotOperation): BatchAnswer {
    const held = this.#table.heldBy(instance)?.get("g") ?? 0;
    const answer = this.#table.run({ instance, epoch: 1, operations: [operation] }, this.#nowMs);
    const after = this.#table.heldBy(instance)?.get("g") ?? 0;
    if (operation.kind !== "claim") this.#must(after >= held - 1, "C4: one call gives one slot back");
    this.#addsUp();
    return answer;
  }

  #addsUp(): void {
    const { totals } = this.#table;
    const sums = sumsOf(this.#table);
    let isSame = totals.size === sums.size;
    for (const [limit, count] of totals) isSame &&= count > 0 && sums.get(limit) === count;
    this.#must(isSame, "C3: totals are the sum of the parts");
  }

  #must(holds: boolean, rule: string): void {
    if (!holds) this.fault ??= rule;
  }
}
