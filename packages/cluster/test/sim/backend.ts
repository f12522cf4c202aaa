/** What the models' servers see: who really runs, and the most that ever ran at once. The judge of every limit. */

import { limitFields } from "../../src/slots/slot-fields";
import type { SlotOwner } from "../../src/slots/slot-store";

export class Backend {
  readonly #running = new Map<string, number>();
  readonly #highest = new Map<string, number>();
  served = 0;
  /** Called at each start with the running count of every limit it raised. */
  onStart: (owner: SlotOwner, runningOf: (limit: string) => number) => void = () => undefined;

  start(owner: SlotOwner): void {
    for (const limit of limitFields(owner)) {
      const count = this.running(limit) + 1;
      this.#running.set(limit, count);
      this.#highest.set(limit, Math.max(count, this.#highest.get(limit) ?? 0));
    }
    this.onStart(owner, (limit) => this.running(limit));
  }

  finish(owner: SlotOwner): void {
    this.served++;
    for (const limit of limitFields(owner)) this.#running.set(limit, this.running(limit) - 1);
  }

  running(limit = "g"): number {
    return this.#running.get(limit) ?? 0;
  }

  /** Most that ran at once since the last reset. */
  highest(limit = "g"): number {
    return this.#highest.get(limit) ?? 0;
  }

  resetHighest(): void {
    for (const [limit, count] of this.#running) this.#highest.set(limit, count);
  }
}
