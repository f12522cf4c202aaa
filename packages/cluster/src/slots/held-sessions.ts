/**
 * The table's memory of sessions: slots held for them, when their last step finished, and which pools may hold nothing
 * because somebody starves. Counts are the table's business.
 */
import { escapePart } from "../redis/keys";
import type { Limits } from "./slot-fields";
import type { SlotOwner } from "./slot-store";
import type { KeptPicture } from "./table-picture";

/** One slot that is held. */
export interface HeldSession {
  /** Field of the pool's count of held sessions. */
  readonly poolField: string;
  readonly limits: Limits;
  readonly expiresAtMs: number;
}

/** What is remembered of a session between its steps; times of the books' clock, ms. */
export interface Session {
  readonly finishedAtMs: number;
  readonly holdsInRow: number;
  readonly forgetAtMs: number;
}

/** How long a starving claim keeps its pool from being held, ms; its next claim starts the time anew. */
const STARVING_MS = 1000;
/** Holds that ran out and are freed by one batch; the rest waits for the next call. */
const EXPIRED_PER_CALL = 100;
/**
 * How much later than the next step's arrival a finish may be written down and still count as before it, ms: the client
 * has its answer before the finish has travelled to the books. Longer would take steps that ran side by side for steps
 * in a row.
 */
const FINISH_LAG_MS = 250;
/** The longest a slot is ever held, ms, whatever a replica asks for. */
const MAX_HOLD_MS = 60_000;
/** Sessions forgotten by one hold, which adds one at most. */
const FORGOTTEN_PER_HOLD = 2;

/** Held slots and sessions of the whole fleet, by id. */
export class HeldSessions {
  readonly holds = new Map<string, HeldSession>();
  readonly sessions = new Map<string, Session>();
  readonly #starvingUntil = new Map<string, number>();

  /** Nothing is held in the pool for a second from here. */
  starve(pool: string, nowMs: number): void {
    this.#starvingUntil.set(pool, nowMs + STARVING_MS);
  }

  /** Whether nothing may be held in the pool. A clock that stepped back far ends it: a second is all it may last. */
  isStarving(pool: string, nowMs: number): boolean {
    const untilMs = this.#starvingUntil.get(pool) ?? 0;
    return untilMs > nowMs && untilMs <= nowMs + STARVING_MS;
  }

  /** Holds that ran out, as many as one call frees, longest past first. */
  expired(nowMs: number): string[] {
    const expired = this.#inOrder().filter(([, hold]) => hold.expiresAtMs <= nowMs);
    return expired.slice(0, EXPIRED_PER_CALL).map(([id]) => id);
  }

  /** All holds of a pool, first to run out first. */
  ofPool(poolField: string): string[] {
    return this.#inOrder().flatMap(([id, hold]) => (hold.poolField === poolField ? [id] : []));
  }

  /** Removes holds that ran out, or lie further ahead than any was ever made; answers with them. */
  dropRunOut(nowMs: number): HeldSession[] {
    const gone = this.#inOrder().filter(
      ([, { expiresAtMs }]) => expiresAtMs <= nowMs || expiresAtMs > nowMs + MAX_HOLD_MS,
    );
    for (const [id] of gone) this.holds.delete(id);
    return gone.map(([, hold]) => hold);
  }

  /** From a session's last finish to the arrival of its next step; null when the step did not follow it. */
  sinceLastFinishMs(id: string, arrivedMs: number): number | null {
    const session = this.sessions.get(id);
    if (session === undefined) return null;
    const gapMs = arrivedMs - session.finishedAtMs;
    return gapMs >= -FINISH_LAG_MS ? Math.max(gapMs, 0) : null;
  }

  /** A step of the session is over; a few sessions whose time has come are forgotten. */
  finished(id: string, session: Session, nowMs: number): void {
    this.sessions.set(id, session);
    const due = [...this.sessions].filter(([, { forgetAtMs }]) => forgetAtMs <= nowMs);
    due.sort(([a, x], [b, y]) => x.forgetAtMs - y.forgetAtMs || byBytes(a, b));
    for (const [old] of due.slice(0, FORGOTTEN_PER_HOLD)) this.sessions.delete(old);
  }

  /** Drops what no later call could tell from nothing. */
  forget(nowMs: number): void {
    for (const pool of [...this.#starvingUntil.keys()]) {
      if (!this.isStarving(pool, nowMs)) this.#starvingUntil.delete(pool);
    }
    for (const [id, session] of this.sessions) if (session.forgetAtMs <= nowMs) this.sessions.delete(id);
  }

  /** One that goes its own way from here on. */
  copy(): HeldSessions {
    const copy = new HeldSessions();
    for (const [id, hold] of this.holds) copy.holds.set(id, hold);
    for (const [id, session] of this.sessions) copy.sessions.set(id, session);
    for (const [pool, untilMs] of this.#starvingUntil) copy.#starvingUntil.set(pool, untilMs);
    return copy;
  }

  /** Nothing is held or remembered, as after a flush of Redis. */
  clear(): void {
    for (const map of [this.holds, this.sessions, this.#starvingUntil]) map.clear();
  }

  /** All that counts, times told from `nowMs`. */
  picture(nowMs: number): KeptPicture {
    const ahead = (atMs: number) => Math.max(0, atMs - nowMs);
    return {
      starving: [...this.#starvingUntil].map(([pool, untilMs]) => [pool, ahead(untilMs)] as const).sort(),
      holds: [...this.holds].map(([id, { expiresAtMs }]) => [id, ahead(expiresAtMs)] as const).sort(),
      sessions: [...this.sessions]
        .map(([id, { finishedAtMs, holdsInRow }]) => [id, holdsInRow, nowMs - finishedAtMs] as const)
        .sort(),
    };
  }

  /** As Redis orders a sorted set: by expiry, then by name. */
  #inOrder(): [string, HeldSession][] {
    return [...this.holds].sort(([a, x], [b, y]) => x.expiresAtMs - y.expiresAtMs || byBytes(a, b));
  }
}

/** Names as Redis orders them: by their bytes, not by code units. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** What a session's hold is known by in the books. */
export function holdIdOf(owner: SlotOwner, session: string): string {
  return [owner.pool, owner.tenantId, owner.keyId, session].map(escapePart).join("|");
}
