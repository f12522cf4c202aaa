/**
 * The bounded log of decisions: what the engine did, for one listener and for comparing a replay. The engine writes
 * over records that exist already once the log is full; the oldest go first.
 */
import type { Owner } from "./events";
import type { SessionId, WaiterId } from "./ids";
import { ownerOf } from "./owner";
import type { Key, Waiter } from "./state";

/**
 * What can happen to a request or a held slot; the closed list, for metrics and the tests that cover it. `lent` comes
 * beside `admitted` when nobody under its share was waiting and the slot went to somebody above.
 */
export const DECISION_KINDS = [
  /** A request has a slot; `lent` beside it says that it borrowed. */
  "admitted",
  "lent",
  /** It waits in line. */
  "queued",
  /** It left without one: waited too long, its client went, the queue was full, no server. */
  "timed_out",
  "dropped",
  "queue_full",
  "no_servers",
  /** It is over and gave its slot back. */
  "released",
  /** Shared mode: the books had no slot for it; it is back in line. */
  "claim_refused",
  /** It passed older requests of its key because its session is warm. */
  "warm",
  /** Its slot is held for its session's next step, which took it, came too late, or must do without. */
  "held",
  "redeemed",
  "hold_expired",
  "hold_released",
  /** It went first although a warm one waited, as it had been passed or had waited enough. */
  "bypassed",
] as const;
export type DecisionKind = (typeof DECISION_KINDS)[number];

/** One line of the log as readers get it. */
export interface Decision {
  /** 1 for the engine's first, then rising by 1. */
  readonly sequence: number;
  /** On the scale of the events. */
  readonly atMs: number;
  readonly kind: DecisionKind;
  /** The request it is about; for a held slot, the step that left it. */
  readonly waiterId: WaiterId;
  /** Looked up on reading: of a tenant that changed groups since, the present group. */
  readonly owner: Owner;
  /** As the request named it, whether or not its pool favours sessions; null for none. */
  readonly session: SessionId | null;
  /** From that request's arrival to this decision, ms. */
  readonly sinceArrivalMs: number;
}

/** A decision as it is kept: the key stands for the names, which are only looked up when somebody reads. */
interface Entry {
  sequence: number;
  atMs: number;
  kind: DecisionKind;
  waiterId: WaiterId;
  key: Key;
  session: SessionId | null;
  sinceArrivalMs: number;
}

/** What an entry is made from. */
type Subject = Pick<Waiter, "id" | "arrivedMs" | "sessionId" | "key">;

/**
 * The engine's log: a ring of entries that are written over, so it costs the same however long it runs. Reading copies;
 * a slow reader misses the oldest and sees it from the gap in the sequence.
 */
export class Decisions {
  readonly #limit: number;
  readonly #ring: Entry[] = [];
  #latest = 0;

  /** Keeps the latest `limit` decisions; 0 keeps none. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Sequence of the latest decision kept; 0 before the first. */
  get latest(): number {
    return this.#latest;
  }

  /** Adds one. Only the modules behind `step` may. O(1), without allocation once the log is full. */
  write(kind: DecisionKind, subject: Subject, atMs: number): void {
    if (this.#limit === 0) return;
    this.#latest += 1;
    const record = this.#ring[(this.#latest - 1) % this.#limit];
    const sinceArrivalMs = atMs - subject.arrivedMs;
    if (record === undefined) {
      const { id: waiterId, sessionId: session, key } = subject;
      this.#ring.push({ sequence: this.#latest, atMs, kind, waiterId, key, session, sinceArrivalMs });
      return;
    }
    record.sequence = this.#latest;
    record.atMs = atMs;
    record.kind = kind;
    record.waiterId = subject.id;
    record.key = subject.key;
    record.session = subject.sessionId;
    record.sinceArrivalMs = sinceArrivalMs;
  }

  /** The decisions kept that came after `sequence`, oldest first; copies, safe to keep. */
  since(sequence: number): Decision[] {
    const found: Decision[] = [];
    for (let next = Math.max(sequence, this.#latest - this.#limit) + 1; next <= this.#latest; next++) {
      const record = this.#ring[(next - 1) % this.#limit];
      if (record === undefined) continue;
      const { key, ...rest } = record;
      found.push({ ...rest, owner: ownerOf(key) });
    }
    return found;
  }
}
