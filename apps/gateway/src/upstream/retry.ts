/** When a failed try is worth repeating, and after how long. Pure. */

/** Answers that another try may turn into a good one. */
const RETRIABLE_STATUSES = new Set([408, 429, 500, 502, 503, 504]);

/** Longest wait before another try at the same endpoint; a backend that asks for more is passed over. Ms. */
export const LONGEST_BACKOFF_MS = 10_000;

export function isRetriable(status: number): boolean {
  return RETRIABLE_STATUSES.has(status);
}

export interface Backoff {
  /** Tries at this endpoint so far, from 1. */
  readonly tries: number;
  /** Wait before the second try, ms, before jitter. */
  readonly baseMs: number;
  /** What the backend asked for, ms; null when it did not. */
  readonly retryAfterMs: number | null;
  /** In [0, 1). */
  readonly random: number;
}

/**
 * Milliseconds to wait: the base doubled with each try, between half and all of it, but never less than the backend asked
 * for. Null when that would be longer than `LONGEST_BACKOFF_MS`.
 */
export function backoffMs({ tries, baseMs, retryAfterMs, random }: Backoff): number | null {
  const full = Math.min(baseMs * 2 ** (tries - 1), LONGEST_BACKOFF_MS);
  const waitMs = Math.max(full * (0.5 + random / 2), retryAfterMs ?? 0);
  return waitMs > LONGEST_BACKOFF_MS ? null : waitMs;
}

/** A `Retry-After` header in ms from now; null when absent or unreadable. */
export function retryAfterMs(header: string | undefined, wallMs: number): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? null : Math.max(0, moment - wallMs);
}
