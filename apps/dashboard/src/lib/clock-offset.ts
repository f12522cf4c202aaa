/**
 * How far this browser's clock is from the server's, learnt from `Date` headers. A header names a second, so each
 * answer bounds the offset from both sides; together they narrow it well below a second. A clock that is set anew makes
 * the bounds cross, and learning starts over.
 */
export interface ClockOffset {
  /** Server time minus browser time is at least this, in milliseconds. */
  readonly lowMs: number;
  /** And at most this. */
  readonly highMs: number;
}

export const UNKNOWN_OFFSET: ClockOffset = { lowMs: -Infinity, highMs: Infinity };

/** Bounds after one more answer: asked at `sentMs`, answered at `receivedMs`, stamped `dateMs` by the server. */
export function learnOffset(
  known: ClockOffset,
  answer: { sentMs: number; receivedMs: number; dateMs: number },
): ClockOffset {
  const lowMs = answer.dateMs - answer.receivedMs;
  const highMs = answer.dateMs + 1000 - answer.sentMs;
  const low = Math.max(known.lowMs, lowMs);
  const high = Math.min(known.highMs, highMs);
  return low <= high ? { lowMs: low, highMs: high } : { lowMs, highMs };
}

/** The best guess, 0 while nothing is known. */
export function offsetMs(offset: ClockOffset): number {
  return Number.isFinite(offset.lowMs) && Number.isFinite(offset.highMs) ? (offset.lowMs + offset.highMs) / 2 : 0;
}
