/** The farewell of a replica: everything it holds goes back in one call, which is given no longer than any other. */
import type { Clock } from "@obleth/clock";
import type { SlotStore } from "../slots/slot-store";

/** Who leaves which store, and how long it waits for the answer, ms. */
export interface LeaveOptions {
  readonly store: SlotStore;
  readonly clock: Clock;
  readonly instance: string;
  readonly timeoutMs: number;
}

/**
 * `done` runs once, with `done`, `error` or `timeout`, when the store has answered or has had its time. After the last
 * two the replica may still be on the books, until it expires.
 */
export function leaveStore({ store, clock, instance, timeoutMs }: LeaveOptions, done: (result: string) => void): void {
  let isDone = false;
  const finish = (result: string) => {
    if (isDone) return;
    isDone = true;
    timer.cancel();
    done(result);
  };
  const timer = clock.setTimer(timeoutMs, () => finish("timeout"));
  store.leave(instance, (result) => finish(result.ok ? "done" : "error"));
}
