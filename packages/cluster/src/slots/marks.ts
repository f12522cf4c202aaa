/**
 * Which replicas wait for which limit and for how many slots, and whose turn each freed slot is. Without turns a replica
 * that frees a slot and claims in the same moment would always win, and one that waits elsewhere would starve.
 *
 * A slot that comes free is kept for the replica that has waited longest, which then goes behind the others, or out of
 * the line when it waits for no more. So replicas that wait get slots in turn, each of them as many at a time as are freed
 * while its claims are on their way; a replica has never more turns than it says it has requests.
 */
import type { MarkPicture } from "./table-picture";

/** How long a denial keeps a replica marked as waiting. It must outlast the longest pause between two tries (250 ms). */
export const WAIT_MS = 1000;
/**
 * How long a freed slot is kept for a replica: an announcement and a claim with 200 ms on the way each. Shorter, and a
 * replica that far from the books gets next to nothing; longer, and the slots of one that is gone stay idle for longer.
 */
export const TURN_MS = 500;

/** One slot kept for one replica. */
interface Turn {
  readonly name: string;
  readonly untilMs: number;
}

interface Wait {
  untilMs: number;
  /** Slots it waits for beyond those that are kept for it, from 1. */
  slots: number;
}

/** Who waits for how many slots, those that are kept for it among them. */
interface Standing {
  readonly instance: string;
  readonly slots: number;
}

interface Mark {
  /** Slots that are kept, in the order they came free. */
  turns: Turn[];
  /** Waiting replicas, longest waiting first. */
  readonly waits: Map<string, Wait>;
}

/** The marks of all limits. Times are the books' clock, ms. */
export class Marks {
  readonly #marks = new Map<string, Mark>();
  /** In the present call: claims that each limit denied, and slots that its replica waits for by its latest claim. */
  readonly #denied = new Map<string, number>();
  readonly #waitsFor = new Map<string, number>();

  /** Some replica waits for the limit, or has a turn. */
  isAwaited(limit: string, nowMs: number): boolean {
    const mark = this.#current(limit, nowMs);
    return mark !== undefined && (mark.turns.length > 0 || mark.waits.size > 0);
  }

  /** Until when all of the limit's `free` slots (from 1) are kept from `instance`; null when one is not. */
  keptFromUntil(limit: string, instance: string, { free, nowMs }: { free: number; nowMs: number }): number | null {
    const turns = this.#current(limit, nowMs)?.turns.filter(({ name }) => name !== instance) ?? [];
    return turns[turns.length - free]?.untilMs ?? null;
  }

  /**
   * `instance` was denied: it waits for a slot, behind those who waited before, and for so many besides. A turn it had is
   * over.
   */
  wait(limit: string, { instance, slots }: Standing, nowMs: number): void {
    const mark = this.#current(limit, nowMs) ?? { turns: [], waits: new Map() };
    this.#marks.set(limit, mark);
    takeTurn(mark, instance);
    const denied = (this.#denied.get(limit) ?? 0) + 1;
    this.#denied.set(limit, denied);
    this.#waitsFor.set(limit, slots + denied);
    stand(mark, { instance, slots: slots + denied }, nowMs);
  }

  /** `instance` got a slot and waits for so many more, if it waited before. */
  served(limit: string, { instance, slots }: Standing, nowMs: number): void {
    const mark = this.#current(limit, nowMs);
    if (mark === undefined) return;
    this.#waitsFor.set(limit, slots);
    const hadTurn = takeTurn(mark, instance);
    if (hadTurn || mark.waits.has(instance)) stand(mark, { instance, slots }, nowMs);
  }

  /** A turn, if `instance` has one, is the next one's. True when somebody has it. */
  giveUp(limit: string, instance: string, nowMs: number): boolean {
    const mark = this.#current(limit, nowMs);
    return mark !== undefined && takeTurn(mark, instance) && giveTurn(mark, nowMs);
  }

  /** `instance` has nothing to claim: it waits no more, and its turns are others'. True when somebody has one of them. */
  withdraw(limit: string, instance: string, nowMs: number): boolean {
    this.#current(limit, nowMs)?.waits.delete(instance);
    return this.#keepAtMost(limit, { instance, slots: 0 }, nowMs);
  }

  /**
   * All that `instance` said in one call is known: turns beyond what it waits for by its latest claim are others'.
   * @returns the limits of which somebody has one by that.
   */
  callEnded(instance: string, nowMs: number): string[] {
    const said = [...this.#waitsFor];
    this.#waitsFor.clear();
    this.#denied.clear();
    return said.flatMap(([limit, slots]) => (this.#keepAtMost(limit, { instance, slots }, nowMs) ? [limit] : []));
  }

  /** A slot came free: the longest waiting gets the turn. True when anybody waits or has a turn. */
  freed(limit: string, nowMs: number): boolean {
    const mark = this.#current(limit, nowMs);
    if (mark === undefined) return false;
    giveTurn(mark, nowMs);
    return mark.turns.length > 0;
  }

  /** The marks that count, times told from `nowMs`. */
  picture(nowMs: number): MarkPicture[] {
    return [...this.#marks.keys()].sort().flatMap((limit) => {
      const mark = this.#current(limit, nowMs);
      if (mark === undefined || !this.isAwaited(limit, nowMs)) return [];
      const turns = mark.turns.map(({ name, untilMs }) => ({ name, leftMs: untilMs - nowMs }));
      const waits = [...mark.waits].map(([name, { untilMs, slots }]) => ({ name, leftMs: untilMs - nowMs, slots }));
      return [{ limit, turns, waits }];
    });
  }

  prune(nowMs: number): void {
    for (const limit of [...this.#marks.keys()]) if (!this.isAwaited(limit, nowMs)) this.#marks.delete(limit);
  }

  /** One that goes its own way from here on. */
  copy(): Marks {
    const copy = new Marks();
    for (const [limit, { turns, waits }] of this.#marks) {
      const waitsCopy = new Map([...waits].map(([name, wait]) => [name, { ...wait }]));
      copy.#marks.set(limit, { turns: [...turns], waits: waitsCopy });
    }
    return copy;
  }

  clear(): void {
    this.#marks.clear();
  }

  #keepAtMost(limit: string, { instance, slots }: Standing, nowMs: number): boolean {
    const mark = this.#current(limit, nowMs);
    const tooMany = mark === undefined ? 0 : turnsOf(mark, instance) - slots;
    if (mark === undefined || tooMany <= 0) return false;
    mark.waits.delete(instance);
    let isHandedOn = false;
    for (let i = 0; i < tooMany; i++) {
      takeTurn(mark, instance);
      isHandedOn = giveTurn(mark, nowMs) || isHandedOn;
    }
    return isHandedOn;
  }

  /**
   * The mark without what has run out, or lies further ahead than it was ever set: the clock stepped back. Who let a turn
   * run out waits no more: it is gone, or its next denial says otherwise.
   */
  #current(limit: string, nowMs: number): Mark | undefined {
    const mark = this.#marks.get(limit);
    if (mark === undefined) return undefined;
    const isOver = ({ untilMs }: Turn) => untilMs <= nowMs || untilMs > nowMs + TURN_MS;
    for (const { name } of mark.turns.filter(isOver)) mark.waits.delete(name);
    mark.turns = mark.turns.filter((turn) => !isOver(turn));
    for (const [instance, { untilMs }] of mark.waits) {
      if (untilMs <= nowMs || untilMs > nowMs + WAIT_MS) mark.waits.delete(instance);
    }
    return mark;
  }
}

function turnsOf(mark: Mark, instance: string): number {
  return mark.turns.filter(({ name }) => name === instance).length;
}

/** Ends the oldest turn of `instance`. False when it has none. */
function takeTurn(mark: Mark, instance: string): boolean {
  const at = mark.turns.findIndex(({ name }) => name === instance);
  if (at >= 0) mark.turns.splice(at, 1);
  return at >= 0;
}

/** Keeps a slot for the longest waiting, which goes behind the others. False when nobody waits. */
function giveTurn(mark: Mark, nowMs: number): boolean {
  const first = mark.waits.entries().next();
  if (first.done) return false;
  const [name, wait] = first.value;
  mark.turns.push({ name, untilMs: nowMs + TURN_MS });
  mark.waits.delete(name);
  if (wait.slots > 1) mark.waits.set(name, { ...wait, slots: wait.slots - 1 });
  return true;
}

/** `instance` waits for `slots` in all: for those that are not kept for it already it stands in line. */
function stand(mark: Mark, { instance, slots }: Standing, nowMs: number): void {
  const more = slots - turnsOf(mark, instance);
  if (more > 0) mark.waits.set(instance, { untilMs: nowMs + WAIT_MS, slots: more });
  else mark.waits.delete(instance);
}
