/** A pending timer. Cancelling one that has fired, or cancelling twice, does nothing. */
export interface Timer {
  cancel(): void;
}

/**
 * The source of time for whatever decides, waits or records in packages and gateway. Only what watches a program
 * outside start or answer (a database server, a provider that is tried out) asks the machine itself.
 *
 * Two clocks in one, because they answer different questions: `monotonicMs` never steps and measures waits, holds and
 * timeouts; `wallMs` is what people and other machines call the time and goes into records and responses.
 */
export interface Clock {
  /** Milliseconds since an arbitrary start, fractional, never decreasing. */
  monotonicMs(): number;
  /** Whole milliseconds since the Unix epoch. May step in either direction. */
  wallMs(): number;
  /** Runs `fire` once, at least `delayMs` (0 or more) from now. A pending timer never keeps the process alive. */
  setTimer(delayMs: number, fire: () => void): Timer;
}
