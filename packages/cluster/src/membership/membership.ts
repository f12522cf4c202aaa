/**
 * What this replica knows of the others, from the answers to its heartbeats. A heartbeat that fails changes nothing:
 * the last count stays. All times are the Redis clock's, so a replica whose own clock is off is judged no differently.
 */
import type { HeartbeatAnswer, Member } from "../slots/slot-store";

/** The living replicas as one of them knows them. Never counts fewer than 1. */
export class Membership {
  readonly #instance: string;
  readonly #ttlMs: number;
  #members: readonly Member[] = [];
  /** Others that lived when this replica was last in touch with Redis. */
  #peersBefore: ReadonlySet<string> = new Set();
  /** Redis time of the last answer before this replica lost touch; undefined before the first. */
  #lostTouchAtMs: number | undefined;
  #lastAnswerAtMs: number | undefined;
  #hasBeenApart = false;

  constructor(instance: string, ttlMs: number) {
    this.#instance = instance;
    this.#ttlMs = ttlMs;
  }

  /** Living replicas as last known, this one and those whose return is awaited included; 1 before the first answer. */
  get liveCount(): number {
    const missing = [...this.#peersBefore].filter((peer) => !this.#members.some(({ instance }) => instance === peer));
    return Math.max(1, this.#members.length + missing.length);
  }

  /** As the last answer had them, this replica included; empty before the first. */
  get members(): readonly Member[] {
    return this.#members;
  }

  /** Other living replicas as last known. */
  get others(): readonly string[] {
    return this.#members.map((member) => member.instance).filter((name) => name !== this.#instance);
  }

  /** Redis time of the last answer, ms; 0 before the first. */
  get lastAnswerAtMs(): number {
    return this.#lastAnswerAtMs ?? 0;
  }

  /** Some answer of the books carried this Redis time. */
  heard(nowMs: number): void {
    this.#lastAnswerAtMs = nowMs;
  }

  /** Redis stopped answering this replica in time. */
  lostTouch(): void {
    this.#hasBeenApart ||= this.#lastAnswerAtMs !== undefined;
    this.#lostTouchAtMs = this.#lastAnswerAtMs;
    this.#peersBefore = new Set([...this.#peersBefore, ...this.others]);
  }

  /** Takes in who lives. Before the first answer nothing is known, so only heartbeats after it count as recent. */
  update(answer: HeartbeatAnswer): void {
    this.#lostTouchAtMs ??= answer.nowMs;
    this.heard(answer.nowMs);
    this.#members = answer.members;
  }

  /** Every other replica that lived at the last answer is in this one, too: the books were not lost meanwhile. */
  isAllIn({ members }: HeartbeatAnswer): boolean {
    return this.others.every((name) => members.some(({ instance }) => instance === name));
  }

  /**
   * True when what every other replica holds is on the books for certain: each has sent a heartbeat since this one lost
   * touch, and nobody who lived before is missing. Until then the books may lack what others admitted by the split.
   */
  get isSettled(): boolean {
    const lostTouchAtMs = this.#lostTouchAtMs ?? Number.POSITIVE_INFINITY;
    const beatSince = new Set<string>();
    for (const { instance, expiresAtMs } of this.#members) {
      if (instance === this.#instance) continue;
      if (expiresAtMs - this.#ttlMs <= lostTouchAtMs) return false;
      beatSince.add(instance);
    }
    for (const peer of this.#peersBefore) if (!beatSince.has(peer)) return false;
    return true;
  }

  /** Nobody is missing who lived when touch was lost. */
  get isComplete(): boolean {
    return this.liveCount === Math.max(1, this.#members.length);
  }

  /** This replica was in touch with Redis and lost it at least once. */
  get hasBeenApart(): boolean {
    return this.#hasBeenApart;
  }

  /** Stops waiting for replicas that did not come back. */
  forgetMissing(): void {
    this.#peersBefore = new Set();
  }
}
