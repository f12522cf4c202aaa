/**
 * A small world: a few replicas, slots and requests on one pool, and each step that can happen next: a claim, one whose
 * answer is lost or that runs late, an end, an end told twice, a hold, a heartbeat, a crash, books that are lost, time.
 * After every step the rules of the books are checked.
 *
 * Requests are alike but for the replica they run on: one owner, one session. Replicas are alike but for their names.
 */
import { sessionId } from "@obleth/fairshare";
import { TURN_MS } from "../../src/slots/marks";
import { limitFields } from "../../src/slots/slot-fields";
import { type BatchAnswer, type ClaimOperation, OvertakenError, type SlotOperation } from "../../src/slots/slot-store";
import { SlotTable } from "../../src/slots/slot-table";
import { PLAIN_CLAIM, SOME_OWNER } from "../slot-commands";
import type { Step } from "./steps";
import { sumsOf } from "./sums";

/** A fault put into the books on purpose, to see that it is found. */
export interface PlantedFault {
  /** Slots that a claim is told the pool has beyond what it has. */
  extraSlots?(table: SlotTable, nowMs: number): number;
  /** Called after each operation on the table. */
  afterRun?(table: SlotTable, operation: SlotOperation, answer: BatchAnswer): void;
  /** Called after each heartbeat with the slots it took back from others. */
  afterBeat?(table: SlotTable, reclaimedSlots: number): void;
}

/** The limits of a claim, in the order of their fields. */
export const LIMITS = ["ceiling", "poolSize", "tenantCap", "keyCap"] as const;

export interface WorldOptions {
  readonly instances: readonly string[];
  readonly slots: number;
  /** Which of the limits the slots are those of; the others leave room. Left out: the pool's size. */
  readonly limit?: (typeof LIMITS)[number];
  /** Requests that are ever granted a slot. */
  readonly requests: number;
  /** Sessions are forgotten soon, by the heartbeat of the first by name. Left out: not within any history. */
  readonly forgets?: boolean;
  readonly planted?: PlantedFault;
}

/** All times are few of these, so that few differ. A slot is kept for less than one; a mark of a waiting replica lives two. */
const TICK_MS = TURN_MS + 10;
const TTL_MS = 4 * TICK_MS;
const HOLD_MS = 2 * TICK_MS;
/** Longer than all histories. */
const NEVER_MS = 3_600_000;
const EPOCH = 1;
const MAX_JUMPS = 1;

const CLAIM = { ...PLAIN_CLAIM, session: sessionId("s") };
const RELEASE: SlotOperation = { kind: "release", ...SOME_OWNER };
const HOLD = {
  kind: "hold",
  ...SOME_OWNER,
  session: sessionId("s"),
  sinceArrivalMs: 0,
  sinceLastFinishMs: 0,
  holdMs: HOLD_MS,
  maxHeld: 1,
  maxJumps: MAX_JUMPS,
} as const;
const FIELDS = limitFields(SOME_OWNER);

export class World {
  readonly #options: WorldOptions;
  readonly #table: SlotTable;
  /** What each living replica really runs. */
  readonly #runs: Map<string, number>;
  #nowMs: number;
  grants: number;
  fault: string | null = null;

  /** A world in which every replica has just come, or a copy of `other` that goes its own way from there. */
  constructor(options: WorldOptions, other?: World) {
    this.#options = options;
    this.#table =
      other === undefined
        ? new SlotTable({ onReleased: () => undefined, onMembership: () => undefined })
        : other.#table.copy();
    this.#runs = new Map(other === undefined ? [] : other.#runs);
    this.#nowMs = other === undefined ? 1_000_000 : other.#nowMs;
    this.grants = other === undefined ? 0 : other.grants;
    if (other === undefined) for (const instance of options.instances) this.#beat(instance);
  }

  copy(): World {
    return new World(this.#options, this);
  }

  /** Equal for states that behave alike from here on; replicas count by their names. */
  get exactKey(): string {
    const { ofReplica, ofFleet } = this.#parts(true);
    return [ofFleet, ...this.#options.instances.map((name) => `${name}=${ofReplica.get(name)}`)].join("/");
  }

  /**
   * Equal for states that are the same but for the names of replicas. When a session last finished is left out: it
   * counts for nothing where sessions are not forgotten, because every hold tells the gap itself.
   */
  get canonicalKey(): string {
    const { ofReplica, ofFleet } = this.#parts(false);
    return [ofFleet, ...[...ofReplica.values()].sort()].join("/");
  }

  /** Totals are left out: they are the sums of the rest, or a rule is broken. */
  #parts(withFinishes: boolean): { ofReplica: Map<string, string>; ofFleet: string } {
    const { marks, replicas, epochs, kept } = this.#table.picture(this.#nowMs);
    const ofReplica = new Map(this.#options.instances.map((name) => [name, `${this.#runs.get(name) ?? "-"}`]));
    const tell = (name: string, text: string) => ofReplica.set(name, `${ofReplica.get(name) ?? ""};${text}`);
    for (const { name, leftMs } of replicas) tell(name, `${leftMs}`);
    for (const { name, epoch } of epochs) {
      const held = this.#table.heldBy(name);
      tell(name, `e${epoch}:${FIELDS.map((limit) => held?.get(limit) ?? 0).join()}`);
    }
    for (const { limit, turns, waits } of marks) {
      for (const [place, { name, leftMs }] of turns.entries()) tell(name, `${limit}!${place}:${leftMs}`);
      for (const [place, { name, leftMs, slots }] of waits.entries())
        tell(name, `${limit}#${place}:${leftMs}:${slots}`);
    }
    const sessions = withFinishes ? kept.sessions : kept.sessions.map(([id, holdsInRow]) => [id, holdsInRow]);
    return { ofReplica, ofFleet: `${this.grants};${kept.starving};${kept.holds};${sessions}` };
  }

  allows({ move, instance }: Step): boolean {
    const runs = this.#runs.get(instance);
    switch (move) {
      case "claim":
      case "claim, one more waits":
      case "claim, answer lost":
        return runs !== undefined && this.grants < this.#options.requests;
      case "finish":
      case "hold":
        return runs !== undefined && runs > 0;
      case "claim, late":
      case "withdraw":
      case "finish again":
      case "beat, late":
      case "crash":
        return runs !== undefined;
      // Of a replica that crashed: it comes again.
      case "beat":
      case "books are lost":
      case "wait a turn":
      case "wait a life":
        return true;
    }
  }

  take({ move, instance }: Step): void {
    const runs = this.#runs.get(instance) ?? 0;
    switch (move) {
      case "claim":
      case "claim, one more waits":
      case "claim, answer lost":
        this.#claim(instance, runs, move);
        break;
      case "withdraw":
        this.#withdraw(instance);
        break;
      case "claim, late":
        this.#lateClaim(instance);
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
        this.#hold(instance);
        break;
      case "beat":
        this.#beat(instance);
        break;
      case "beat, late":
        this.#lateBeat(instance);
        break;
      case "crash":
        this.#runs.delete(instance);
        break;
      case "books are lost":
        this.#table.flush();
        break;
      case "wait a turn":
        this.#nowMs += TICK_MS;
        break;
      case "wait a life":
        this.#nowMs += TTL_MS;
        break;
    }
  }

  #claim(instance: string, runs: number, move: Step["move"]): void {
    const { slots, planted } = this.#options;
    const before = this.#table.totals.get(this.#field) ?? 0;
    const claim = this.#claimOf(slots + (planted?.extraSlots?.(this.#table, this.#nowMs) ?? 0));
    const answer = this.#run(instance, { ...claim, othersWaiting: move === "claim, one more waits" ? 1 : 0 });
    if (answer.kind === "unregistered") return;
    const [only] = answer.answers;
    const outcome = only?.kind === "claim" ? only.answer : undefined;
    const total = this.#table.totals.get(this.#field) ?? 0;
    if (outcome === "granted") {
      this.#must(total <= slots, "C1: a grant stays within the limit");
      this.grants++;
    } else {
      // Held slots that ran out may have gone with the same call.
      this.#must(total <= before, "C2: a denied or redeemed claim takes nothing");
      this.#must(outcome !== "redeemed" || total <= slots, "C1: nothing starts while more runs than the limit allows");
      if (outcome !== "redeemed") this.#mustBeKept(instance, slots - total);
    }
    if (move !== "claim, answer lost" && (outcome === "granted" || outcome === "redeemed"))
      this.#runs.set(instance, runs + 1);
  }

  #claimOf(slots: number): ClaimOperation {
    return { ...CLAIM, [this.#options.limit ?? "poolSize"]: slots };
  }

  /** Of the limit that the slots are those of. */
  get #field(): string {
    return FIELDS[LIMITS.indexOf(this.#options.limit ?? "poolSize")] ?? FIELDS[1];
  }

  /** A denied claim found as many slots kept for others as are free: none is idle but for somebody's turn. */
  #mustBeKept(instance: string, free: number): void {
    const { marks } = this.#table.picture(this.#nowMs);
    const mark = marks.find(({ limit }) => limit === this.#field);
    const kept = mark?.turns.filter(({ name }) => name !== instance) ?? [];
    this.#must(kept.length >= free, "T1: a claim is denied only where every free slot is kept for another");
    const isExpected = [...(mark?.turns ?? []), ...(mark?.waits ?? [])].some(({ name }) => name === instance);
    this.#must(isExpected, "T2: a replica that was denied stands in line, or a slot is kept for it");
  }

  #withdraw(instance: string): void {
    const pool = this.#options.limit === "ceiling" ? null : SOME_OWNER.pool;
    const answer = this.#run(instance, { kind: "withdraw", pool });
    if (answer.kind === "unregistered") return;
    const field = pool === null ? "g" : FIELDS[1];
    const mark = this.#table.picture(this.#nowMs).marks.find(({ limit }) => limit === field);
    const stands = [...(mark?.turns ?? []), ...(mark?.waits ?? [])].some(({ name }) => name === instance);
    this.#must(!stands, "T3: nothing is kept for a replica that has nothing to claim");
  }

  /** One that was sent before the replica's last reconcile and runs after it. */
  #lateClaim(instance: string): void {
    const { slots } = this.#options;
    const isCurrent = this.#isCurrent(instance);
    const before = this.#table.totals.get(this.#field) ?? 0;
    const operations = [this.#claimOf(slots)];
    const { kind } = this.#table.run({ instance, epoch: EPOCH - 1, operations }, this.#nowMs);
    const total = this.#table.totals.get(this.#field) ?? 0;
    if (isCurrent) {
      this.#must(kind === "unregistered" && total === before, "C11: a claim of an earlier epoch changes nothing");
    }
    this.#must(total <= Math.max(before, slots), "C1: a late claim stays within the limit");
    this.#addsUp();
  }

  #hold(instance: string): void {
    this.#run(instance, { ...HOLD, keepMs: this.#options.forgets === true ? HOLD_MS : NEVER_MS });
    for (const { holdsInRow } of this.#table.sessions.values()) {
      this.#must(holdsInRow <= MAX_JUMPS, "C15: no more holds in a row than may be while others wait");
    }
  }

  #beat(instance: string): void {
    const runs = this.#runs.get(instance) ?? 0;
    this.#runs.set(instance, runs);
    const holdings = new Map(runs === 0 ? [] : FIELDS.map((limit) => [limit, runs] as const));
    const others = [...this.#table.replicas].filter(([name]) => name !== instance);
    const heldBefore = new Map(others.map(([name]) => [name, this.#heldBy(name)]));
    const beat = { instance, ttlMs: TTL_MS, epoch: EPOCH, holdings, asksOthers: false };
    const { reclaimedSlots } = this.#table.heartbeat(beat, this.#nowMs);
    this.#options.planted?.afterBeat?.(this.#table, reclaimedSlots);
    this.#must(this.#heldBy(instance) === runs, "C6: a heartbeat books what runs");
    for (const [name, expiresAtMs] of others) {
      const isLiving = expiresAtMs > this.#nowMs;
      this.#must(this.#table.replicas.has(name) === isLiving, "C5: who expired is gone, and nobody else");
      if (isLiving) this.#must(this.#heldBy(name) === heldBefore.get(name), "C5: nothing of the living is taken back");
    }
    this.#addsUp();
  }

  /** One that was sent before the replica's last reconcile, when it ran one request, and runs after it. */
  #lateBeat(instance: string): void {
    const isCurrent = this.#isCurrent(instance);
    const before = this.exactKey;
    const holdings = new Map(FIELDS.map((limit) => [limit, 1] as const));
    try {
      const beat = { instance, ttlMs: TTL_MS, epoch: EPOCH - 1, holdings, asksOthers: false };
      this.#table.heartbeat(beat, this.#nowMs);
      this.#must(!isCurrent, "C11: a heartbeat of an earlier epoch books nothing");
    } catch (error) {
      if (!(error instanceof OvertakenError)) throw error;
      this.#must(this.exactKey === before, "C11: a heartbeat that is refused changes nothing");
    }
    this.#addsUp();
  }

  #run(instance: string, operation: SlotOperation): BatchAnswer {
    const held = this.#heldBy(instance);
    const answer = this.#table.run({ instance, epoch: EPOCH, operations: [operation] }, this.#nowMs);
    this.#options.planted?.afterRun?.(this.#table, operation, answer);
    this.#mustKeepInTurn();
    if (operation.kind !== "claim") this.#must(this.#heldBy(instance) >= held - 1, "C4: one call gives one slot back");
    if (answer.kind === "done") {
      for (const { expiresAtMs } of this.#table.holds.values()) {
        this.#must(expiresAtMs > this.#nowMs, "C14: a hold that ran out is free after the next call");
      }
    }
    this.#addsUp();
    return answer;
  }

  #mustKeepInTurn(): void {
    for (const { turns, waits } of this.#table.picture(this.#nowMs).marks) {
      this.#must(
        turns.every(({ leftMs }) => leftMs > 0 && leftMs <= TURN_MS),
        "T4: no slot is kept for longer than a turn",
      );
      this.#must(
        waits.every(({ slots }) => slots > 0),
        "T5: who stands in line waits for a slot",
      );
    }
  }

  /** The books are of the replica's last reconcile. */
  #isCurrent(instance: string): boolean {
    return this.#table.picture(this.#nowMs).epochs.some(({ name, epoch }) => name === instance && epoch === EPOCH);
  }

  #heldBy(instance: string): number {
    return this.#table.heldBy(instance)?.get("g") ?? 0;
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
