/**
 * When a replica that is apart may count slots with the others again: Redis answers promptly, and what the other
 * replicas admitted meanwhile is on the books, or they have had their time to put it there.
 */
import type { Membership } from "./membership";

/**
 * How long replicas that are on the books get for a fresh heartbeat, ms: each of them asks Redis once a second. Their
 * part is reserved meanwhile, only perhaps a little behind. Those that are missing from the books have nothing reserved
 * and get as long as a silent replica always gets, its time to live.
 */
const PEER_WAIT_MS = 1000;
/**
 * Part of the response timeout within which an answer must come soon after a timeout. Without this margin the mode
 * would flap while answers take about as long as the timeout.
 */
const PROMPT_PART = 0.6;
/** How long after a timeout that margin is asked for, ms. */
const CAUTIOUS_MS = 10_000;
/** Shortest stretch apart after a timeout, ms: bounds how often the mode changes when single answers are late. */
const APART_MS = 900;

/** What holds a replica up, for the log. */
export const WAY_REASONS = {
  open: "alone, or slots not shared",
  "peers-missing": "waiting for the others' heartbeats",
  "too-slow": "answers come too close to the timeout",
} as const;

/** Why touch was lost, for the log. */
export function lossReason(reason: string, error: unknown): string {
  return error instanceof Error ? `${reason}: ${error.message}` : reason;
}

/** What the way back is judged by; times in ms, as in force. */
export interface WayBackOptions {
  readonly membership: Membership;
  readonly responseTimeoutMs: number;
  readonly heartbeatMs: number;
  readonly ttlMs: number;
}

/** One replica's way back to shared slots, from each loss to the next. */
export class WayBack {
  readonly #options: WayBackOptions;
  /** When the wait for the others ends; undefined until Redis answers. */
  #peersUntilMs: number | undefined;
  /** The same for replicas that are missing from the books. */
  #missingUntilMs = 0;
  #cautiousUntilMs = Number.NEGATIVE_INFINITY;
  #apartUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: WayBackOptions) {
    this.#options = options;
  }

  /** Touch was lost, or never found. */
  lost(reason: "timeout" | "error" | "unregistered", nowMs: number): void {
    if (reason === "timeout") {
      this.#cautiousUntilMs = nowMs + CAUTIOUS_MS;
      this.#apartUntilMs = nowMs + APART_MS;
    }
    this.#peersUntilMs = undefined;
  }

  /**
   * A heartbeat was answered after `latencyMs`, and the membership has taken its answer in. `open` means that slots may
   * be shared from here on; any other answer is to be followed by another heartbeat.
   */
  answered(nowMs: number, latencyMs: number): keyof typeof WAY_REASONS {
    const { membership, responseTimeoutMs, heartbeatMs, ttlMs } = this.#options;
    if (nowMs < this.#apartUntilMs && membership.liveCount > 1) return "too-slow";
    if (this.#peersUntilMs === undefined) {
      // A replica that has never been in touch may have to wait for the others' next regular heartbeat.
      this.#peersUntilMs = nowMs + PEER_WAIT_MS + (membership.hasBeenApart ? 0 : heartbeatMs);
      this.#missingUntilMs = nowMs + ttlMs;
    }
    const untilMs = membership.isComplete ? this.#peersUntilMs : this.#missingUntilMs;
    if (!membership.isSettled && nowMs < untilMs) return "peers-missing";
    membership.forgetMissing();
    const isSlow = nowMs < this.#cautiousUntilMs && latencyMs > responseTimeoutMs * PROMPT_PART;
    if (isSlow && membership.liveCount > 1) return "too-slow";
    this.#peersUntilMs = undefined;
    return "open";
  }

  /** Redis has answered since touch was lost, and the wait for the others has begun. */
  get isWaiting(): boolean {
    return this.#peersUntilMs !== undefined;
  }
}
