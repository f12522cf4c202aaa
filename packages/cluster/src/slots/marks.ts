/**
 * Which replicas wait for which limit, and whose turn the next free slot is. Without turns a replica that frees a slot
 * and claims in the same moment would always win, and one that waits elsewhere would starve.
 */
import type { MarkPicture } from "./table-picture";

/** How long a denial keeps a replica marked as waiting. It must outlast the longest pause between two tries (250 ms). */
export const WAIT_MS = 1000;
/** How long a freed slot is kept for the replica that has waited longest: an announcement and a claim on a slow link. */
export const TURN_MS = 250;

interface Mark {
  /** Who may claim a freed slot until `turnUntilMs`; undefined when nobody. */
  turn: string | undefined;
  turnUntilMs: number;
  /** Waiting replicas with the moment their mark runs out, longest waiting first. */
  readonly waits: Map<string, number>;
}

/** The marks of all limits. Times are the books' clock, ms. */
export class Marks {
  readonly #marks = new Map<string, Mark>();

  /** Some replica waits for the limit, or has the turn. */
  isAwaited(limit: string, nowMs: number): boolean {
    const mark = this.#current(limit, nowMs);
    return mark !== undefined && (mark.turn !== undefined || mark.waits.size > 0);
  }

  /** Until when the next free slot of the limit is kept from `instance`; null when it is not. */
  keptFromUntil(limit: string, instance: string, nowMs: number): number | null {
    const mark = this.#current(limit, nowMs);
    return mark?.turn !== undefined && mark.turn !== instance ? mark.turnUntilMs : null;
  }

  /** `instance` was denied: it waits from here on, behind those who waited before. Its turn, if it had it, is over. */
  wait(limit: string, instance: string, nowMs: number): void {
    const mark = this.#current(limit, nowMs) ?? { turn: undefined, turnUntilMs: 0, waits: new Map() };
    this.#marks.set(limit, mark);
    mark.waits.set(instance, nowMs + WAIT_MS);
    if (mark.turn === instance) mark.turn = undefined;
  }

  /** `instance` got a slot: it waits no more. */
  served(limit: string, instance: string, nowMs: number): void {
    this.#current(limit, nowMs)?.waits.delete(instance);
    this.endTurn(limit, instance, nowMs);
  }

  /** The turn, if `instance` has it, is over. */
  endTurn(limit: string, instance: string, nowMs: number): void {
    const mark = this.#current(limit, nowMs);
    if (mark?.turn === instance) mark.turn = undefined;
  }

  /** A slot came free: the longest waiting gets the turn unless somebody has it. True when anybody waits. */
  freed(limit: string, nowMs: number): boolean {
    const mark = this.#current(limit, nowMs);
    if (mark === undefined) return false;
    if (mark.turn !== undefined) return true;
    const first = mark.waits.keys().next();
    if (first.done) return false;
    mark.waits.delete(first.value);
    mark.turn = first.value;
    mark.turnUntilMs = nowMs + TURN_MS;
    return true;
  }

  /** The marks that count, times told from `nowMs`. */
  picture(nowMs: number): MarkPicture[] {
    return [...this.#marks.keys()].sort().flatMap((limit) => {
      const mark = this.#current(limit, nowMs);
      if (mark === undefined || !this.isAwaited(limit, nowMs)) return [];
      const waits = [...mark.waits].map(([name, untilMs]) => ({ name, leftMs: untilMs - nowMs }));
      return [{ limit, turn: mark.turn, turnLeftMs: mark.turn === undefined ? 0 : mark.turnUntilMs - nowMs, waits }];
    });
  }

  prune(nowMs: number): void {
    for (const limit of [...this.#marks.keys()]) if (!this.isAwaited(limit, nowMs)) this.#marks.delete(limit);
  }

  /** One that goes its own way from here on. */
  copy(): Marks {
    const copy = new Marks();
    for (const [limit, mark] of this.#marks) copy.#marks.set(limit, { ...mark, waits: new Map(mark.waits) });
    return copy;
  }

  clear(): void {
    this.#marks.clear();
  }

  /** The mark without what has run out, or lies further ahead than it was ever set: the clock stepped back. */
  #current(limit: string, nowMs: number): Mark | undefined {
    const mark = this.#marks.get(limit);
    if (mark === undefined) return undefined;
    if (mark.turnUntilMs <= nowMs || mark.turnUntilMs > nowMs + TURN_MS) mark.turn = undefined;
    for (const [instance, untilMs] of mark.waits) {
      if (untilMs <= nowMs || untilMs > nowMs + WAIT_MS) mark.waits.delete(instance);
    }
    return mark;
  }
}
