import type { Clock } from "@obleth/clock";

/** The answer did not come in time; the call may still run on the server. */
export class DeadlineError extends Error {
  readonly code = "redis_deadline";

  /** `limitMs`: how long was waited. */
  constructor(readonly limitMs: number) {
    super(`Redis did not answer within ${limitMs} ms`);
    this.name = "DeadlineError";
  }
}

/**
 * The answer of `call`, or a `DeadlineError` after `limitMs` (from 1). The call itself is not stopped. After a stall of
 * this process its timers run before it reads what has come in long since: that still counts.
 */
export function withDeadline<Answer>(clock: Clock, limitMs: number, call: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(limitMs, () => setImmediate(() => reject(new DeadlineError(limitMs))));
    call.then(
      (answer) => {
        timer.cancel();
        resolve(answer);
      },
      (error: unknown) => {
        timer.cancel();
        reject(error);
      },
    );
  });
}
