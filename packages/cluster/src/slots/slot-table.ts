/**
 * The books in memory, step by step what the scripts do in Redis. The reference of the contract suite and the shared
 * table of simulations; a change here is a change there. Time is given with every call.
 *
 * Invariant after every call: each total is the sum of the living replicas' holdings and the held sessions.
 */
import type { PoolId } from "@obleth/fairshare";
import { escapePart } from "../redis/keys";
import { HeldSessions, holdIdOf } from "./held-sessions";
import { Marks } from "./marks";
import {
  addTo,
  CEILING_FIELD,
  holdsAll,
  type Limits,
  limitFields,
  othersWaitingAt,
  poolNamed,
  poolOf,
  poolOfLimit,
  sizesOf,
} from "./slot-fields";
import type {
  BatchAnswer,
  ClaimAnswer,
  ClaimOperation,
  Heartbeat,
  HeartbeatAnswer,
  HoldOperation,
  LostHolds,
  SlotAnnouncements,
  SlotAnswer,
  SlotBatch,
  SlotOperation,
} from "./slot-store";
import { OvertakenError } from "./slot-store";
import type { TablePicture } from "./table-picture";

interface Held {
  readonly epoch: number;
  readonly counts: Map<string, number>;
}

const DENIALS = ["ceiling", "pool", "tenant", "key"] as const satisfies readonly ClaimAnswer[];

/** The books of one fleet. Each method is one atomic step; the caller gives the time, ms, which may step back. */
export class SlotTable {
  readonly #announce: SlotAnnouncements;
  readonly #totals = new Map<string, number>();
  #marks = new Marks();
  readonly #replicas = new Map<string, number>();
  readonly #held = new Map<string, Held>();
  #kept = new HeldSessions();
  #announced = new Set<string>();
  /** Holds that the present call frees untaken, by pool. */
  #lost = new Map<PoolId, LostHolds>();

  constructor(announce: SlotAnnouncements) {
    this.#announce = announce;
  }

  /** Totals per limit, held sessions included. */
  get totals(): ReadonlyMap<string, number> {
    return this.#totals;
  }

  /** What the books say one replica holds; undefined when it is unknown. */
  heldBy(instance: string): ReadonlyMap<string, number> | undefined {
    return this.#held.get(instance)?.counts;
  }

  /** Held sessions, those that ran out and were not freed yet included. */
  get holds(): ReadonlyMap<string, { readonly expiresAtMs: number }> {
    return this.#kept.holds;
  }

  get sessions(): ReadonlyMap<string, { readonly holdsInRow: number }> {
    return this.#kept.sessions;
  }

  /** Living and expired replicas with their expiry. */
  get replicas(): ReadonlyMap<string, number> {
    return this.#replicas;
  }

  /** Which marks, sessions and replicas there are, times told from `nowMs`, run out counted as 0. For searches. */
  picture(nowMs: number): TablePicture {
    const replicas = [...this.#replicas].map(([name, untilMs]) => ({ name, leftMs: Math.max(0, untilMs - nowMs) }));
    const epochs = [...this.#held].map(([name, { epoch }]) => ({ name, epoch }));
    return { marks: this.#marks.picture(nowMs), replicas, epochs, kept: this.#kept.picture(nowMs) };
  }

  /** One that goes its own way from here on, and tells nobody. For searches through many histories. */
  copy(): SlotTable {
    const copy = new SlotTable({ onReleased: () => undefined, onMembership: () => undefined });
    for (const [limit, slots] of this.#totals) copy.#totals.set(limit, slots);
    for (const [name, expiresAtMs] of this.#replicas) copy.#replicas.set(name, expiresAtMs);
    for (const [name, { epoch, counts }] of this.#held) copy.#held.set(name, { epoch, counts: new Map(counts) });
    copy.#marks = this.#marks.copy();
    copy.#kept = this.#kept.copy();
    return copy;
  }

  run(batch: SlotBatch, nowMs: number): BatchAnswer {
    const held = this.#held.get(batch.instance);
    const expiresAtMs = this.#replicas.get(batch.instance) ?? Number.NEGATIVE_INFINITY;
    if (held === undefined || expiresAtMs <= nowMs || held.epoch !== batch.epoch) return { kind: "unregistered" };
    if ((held.counts.get("g") ?? 0) > (this.#totals.get("g") ?? 0)) return { kind: "unregistered" };
    this.#freeExpiredHolds(nowMs);
    const answers = batch.operations.map((operation) => this.#operate(operation, batch.instance, held, nowMs));
    for (const limit of this.#marks.callEnded(batch.instance, nowMs)) this.#announced.add(poolOfLimit(limit));
    this.#publish();
    return { kind: "done", nowMs, answers, lostHolds: this.#takeLost() };
  }

  /**
   * Throws `OvertakenError` when the books are of a later epoch. The living replica first by name adds everything up;
   * besides it whoever finds that something is not as its last heartbeat left it.
   */
  heartbeat(beat: Heartbeat, nowMs: number): HeartbeatAnswer {
    const { instance, holdings, epoch, ttlMs } = beat;
    const before = new Map(this.#totals);
    const booked = this.#held.get(instance);
    if (booked !== undefined && booked.epoch > epoch) throw new OvertakenError();
    const wasRegistered = booked !== undefined && (this.#replicas.get(instance) ?? 0) > nowMs;
    const reclaimed = this.#reclaim(instance, ttlMs, nowMs);
    this.#replicas.set(instance, nowMs + ttlMs);
    this.#held.set(instance, { epoch, counts: new Map(holdings) });
    const dropped = this.#kept.dropRunOut(nowMs);
    for (const { limits } of dropped) this.#countLost(limits, "expired");
    const ranOut = dropped.length;
    const mine = holdings.get("g") ?? 0;
    const bookedMine = booked?.counts.get("g") ?? 0;
    const isFirst = [...this.#replicas.keys()].every((name) => instance <= name);
    const isOdd = !wasRegistered || reclaimed.isAny || ranOut > 0 || bookedMine > (before.get("g") ?? 0);
    let totalDrift = 0;
    if (isFirst || isOdd) {
      this.#addUp();
      this.#forget(nowMs);
      this.#announceFalls(before, nowMs);
      const expected = (this.#totals.get("g") ?? 0) - mine + bookedMine + reclaimed.slots + ranOut;
      totalDrift = (before.get("g") ?? 0) - expected;
    } else {
      for (const limit of new Set([...holdings.keys(), ...(booked?.counts.keys() ?? [])])) {
        this.#add(limit, (holdings.get(limit) ?? 0) - (booked?.counts.get(limit) ?? 0));
      }
      if (bookedMine > mine) this.#announce.onReleased(null);
    }
    if (!wasRegistered || beat.asksOthers) this.#announce.onMembership();
    return {
      nowMs,
      wasRegistered,
      reclaimedSlots: reclaimed.slots,
      ownDrift: bookedMine - mine,
      totalDrift,
      heldSessions: this.#kept.holds.size,
      totalSlots: this.#totals.get("g") ?? 0,
      lostHolds: this.#takeLost(),
      members: [...this.#replicas].map(([name, expiresAtMs]) => ({ instance: name, expiresAtMs })),
    };
  }

  leave(instance: string): number {
    const counts = this.#held.get(instance)?.counts ?? new Map<string, number>();
    for (const [limit, count] of counts) this.#add(limit, -count);
    this.#replicas.delete(instance);
    this.#held.delete(instance);
    const freed = counts.get("g") ?? 0;
    this.#announce.onMembership();
    if (freed > 0) this.#announce.onReleased(null);
    return freed;
  }

  /** Loses everything, as a flush or a restart without persistence does. */
  flush(): void {
    for (const part of [this.#totals, this.#replicas, this.#held, this.#kept, this.#marks]) part.clear();
  }

  /** Adds `slots` to one total behind the books' back, as a bug or an operator might. */
  corrupt(limit: string, slots: number): void {
    this.#add(limit, slots);
  }

  /** Takes expired replicas off the books; `isAny` also when one lay further ahead than anybody sets it. */
  #reclaim(instance: string, ttlMs: number, nowMs: number): { slots: number; isAny: boolean } {
    let slots = 0;
    let isAny = false;
    for (const [other, expiresAtMs] of [...this.#replicas]) {
      // Further ahead than anybody sets it: the clock stepped back.
      const isAhead = expiresAtMs > nowMs + 2 * ttlMs;
      if (other === instance || (expiresAtMs > nowMs && !isAhead)) continue;
      isAny = true;
      if (isAhead) {
        this.#replicas.set(other, nowMs + ttlMs);
        continue;
      }
      slots += this.#held.get(other)?.counts.get("g") ?? 0;
      this.#replicas.delete(other);
      this.#held.delete(other);
    }
    return { slots, isAny };
  }

  #operate(operation: SlotOperation, instance: string, held: Held, nowMs: number): SlotAnswer {
    switch (operation.kind) {
      case "claim":
        return this.#claim(operation, instance, held, nowMs);
      case "release": {
        const limits = limitFields(operation);
        if (!holdsAll(held.counts, limits)) return { kind: "release", answer: "not-held" };
        addTo(held.counts, limits, -1);
        this.#giveBack(limits, nowMs);
        return { kind: "release", answer: "freed" };
      }
      case "hold":
        return { kind: "hold", answer: this.#hold(operation, held, nowMs) };
      case "drop-holds":
        this.#dropHolds(escapePart(operation.pool), nowMs);
        return { kind: "drop-holds" };
      case "withdraw": {
        const limit = operation.pool === null ? CEILING_FIELD : `p|${escapePart(operation.pool)}`;
        if (this.#marks.withdraw(limit, instance, nowMs)) this.#announced.add(poolOfLimit(limit));
        return { kind: "withdraw" };
      }
    }
  }

  #claim(claim: ClaimOperation, instance: string, held: Held, nowMs: number): SlotAnswer {
    const limits = limitFields(claim);
    const pool = escapePart(claim.pool);
    if (claim.isStarving) {
      this.#kept.starve(pool, nowMs);
      this.#dropHolds(pool, nowMs);
    }
    if (claim.freesKeyHolds === true) this.#dropHolds(pool, nowMs, limits);
    const holdId = claim.session === null ? undefined : holdIdOf(claim, claim.session);
    const sizes = sizesOf(claim);
    if (holdId !== undefined && this.#kept.holds.has(holdId)) {
      if (limits.every((limit, level) => (this.#totals.get(limit) ?? 0) <= (sizes[level] ?? 0))) {
        this.#endHold(holdId);
        addTo(held.counts, limits, 1);
        return this.#granted("redeemed", holdId, nowMs - claim.sinceArrivalMs);
      }
      this.#freeHold(holdId, nowMs, "released");
    }
    if (claim.isForHoldOnly) return { kind: "claim", answer: "none", retryMs: null, sinceLastFinishMs: null };
    for (const [level, limit] of limits.entries()) {
      const used = this.#totals.get(limit) ?? 0;
      const size = sizes[level] ?? 0;
      const free = size - used;
      const keptUntilMs = free < 1 ? null : this.#marks.keptFromUntil(limit, instance, { free, nowMs });
      if (free >= 1 && keptUntilMs === null) continue;
      for (const above of limits.slice(0, level)) {
        if (this.#marks.giveUp(above, instance, nowMs)) this.#announced.add(pool);
      }
      this.#marks.wait(limit, { instance, slots: othersWaitingAt(level, claim) }, nowMs);
      const retryMs = keptUntilMs === null ? null : keptUntilMs - nowMs;
      return { kind: "claim", answer: DENIALS[level] ?? "pool", retryMs, sinceLastFinishMs: null };
    }
    for (const [level, limit] of limits.entries()) {
      this.#add(limit, 1);
      this.#marks.served(limit, { instance, slots: othersWaitingAt(level, claim) }, nowMs);
    }
    addTo(held.counts, limits, 1);
    return this.#granted("granted", holdId, nowMs - claim.sinceArrivalMs);
  }

  #granted(answer: "granted" | "redeemed", holdId: string | undefined, arrivedMs: number): SlotAnswer {
    const sinceLastFinishMs = holdId === undefined ? null : this.#kept.sinceLastFinishMs(holdId, arrivedMs);
    return { kind: "claim", answer, retryMs: null, sinceLastFinishMs };
  }

  #hold(hold: HoldOperation, held: Held, nowMs: number): "held" | "renewed" | "freed" | "not-held" {
    const limits = limitFields(hold);
    if (!holdsAll(held.counts, limits)) return "not-held";
    const id = holdIdOf(hold, hold.session);
    const pool = escapePart(hold.pool);
    const session = this.#kept.sessions.get(id);
    const holdsInRow = session?.holdsInRow ?? 0;
    const arrivedMs = nowMs - hold.sinceArrivalMs;
    const gapMs = hold.sinceLastFinishMs ?? this.#kept.sinceLastFinishMs(id, arrivedMs) ?? -1;
    const isAwaited = this.#marks.isAwaited(limits[0], nowMs) || this.#marks.isAwaited(limits[1], nowMs);
    const stands = this.#kept.holds.has(id);
    const heldCount = this.#totals.get(`h|${pool}`) ?? 0;
    const mayHold =
      gapMs >= 0 &&
      gapMs <= hold.holdMs &&
      hold.holdMs > 0 &&
      !this.#kept.isStarving(pool, nowMs) &&
      (stands ? heldCount <= hold.maxHeld : heldCount < hold.maxHeld) &&
      !(isAwaited && holdsInRow >= hold.maxJumps);
    addTo(held.counts, limits, -1);
    if (mayHold) this.#kept.holds.set(id, { poolField: `h|${pool}`, limits, expiresAtMs: nowMs + hold.holdMs });
    const isNew = mayHold && !stands;
    if (isNew) {
      this.#add(`h|${pool}`, 1);
      this.#add("H", 1);
    } else {
      this.#giveBack(limits, nowMs);
    }
    const finish = {
      finishedAtMs: nowMs,
      holdsInRow: mayHold && isAwaited ? holdsInRow + 1 : 0,
      forgetAtMs: nowMs + hold.keepMs,
    };
    this.#kept.finished(id, finish, nowMs);
    return isNew ? "held" : mayHold ? "renewed" : "freed";
  }

  /** One slot is free again: who has waited longest gets the turn, and everybody who waits is told. */
  #giveBack(limits: Limits, nowMs: number): void {
    for (const limit of limits) {
      this.#add(limit, -1);
      if (this.#marks.freed(limit, nowMs)) this.#announced.add(poolOf(limits));
    }
  }

  #endHold(id: string): void {
    const hold = this.#kept.holds.get(id);
    if (hold === undefined) return;
    this.#kept.holds.delete(id);
    this.#add(hold.poolField, -1);
    this.#add("H", -1);
  }

  #freeHold(id: string, nowMs: number, why: "expired" | "released"): void {
    const hold = this.#kept.holds.get(id);
    if (hold === undefined) return;
    this.#endHold(id);
    this.#countLost(hold.limits, why);
    this.#giveBack(hold.limits, nowMs);
  }

  /** All of a pool, or those that count against the same key. */
  #dropHolds(pool: string, nowMs: number, ofKey?: Limits): void {
    for (const id of this.#kept.ofPool(`h|${pool}`)) {
      const limits = this.#kept.holds.get(id)?.limits;
      if (ofKey === undefined || (limits?.[2] === ofKey[2] && limits[3] === ofKey[3])) {
        this.#freeHold(id, nowMs, "released");
      }
    }
  }

  #freeExpiredHolds(nowMs: number): void {
    for (const id of this.#kept.expired(nowMs)) this.#freeHold(id, nowMs, "expired");
  }

  #countLost(limits: Limits, why: "expired" | "released"): void {
    const pool = poolNamed(poolOf(limits));
    const lost = this.#lost.get(pool) ?? { pool, expired: 0, released: 0 };
    this.#lost.set(pool, { ...lost, [why]: lost[why] + 1 });
  }

  #takeLost(): LostHolds[] {
    const lost = [...this.#lost.values()];
    this.#lost = new Map();
    return lost;
  }

  #add(field: string, by: number): void {
    const count = (this.#totals.get(field) ?? 0) + by;
    if (count > 0) this.#totals.set(field, count);
    else this.#totals.delete(field);
  }

  #addUp(): void {
    this.#totals.clear();
    for (const { counts } of this.#held.values()) for (const [limit, count] of counts) this.#add(limit, count);
    for (const hold of this.#kept.holds.values()) {
      for (const limit of hold.limits) this.#add(limit, 1);
      this.#add(hold.poolField, 1);
      this.#add("H", 1);
    }
  }

  #forget(nowMs: number): void {
    this.#marks.prune(nowMs);
    this.#kept.forget(nowMs);
  }

  #announceFalls(before: ReadonlyMap<string, number>, nowMs: number): void {
    for (const [limit, count] of before) {
      if (!/^(g|[ptk]\|.*)$/s.test(limit)) continue;
      if (count <= (this.#totals.get(limit) ?? 0) || !this.#marks.isAwaited(limit, nowMs)) continue;
      this.#announced.add(poolOfLimit(limit));
    }
    this.#publish();
  }

  #publish(): void {
    const announced = this.#announced;
    this.#announced = new Set();
    for (const pool of announced) {
      this.#announce.onReleased(pool === "" ? null : poolNamed(pool));
    }
  }
}
