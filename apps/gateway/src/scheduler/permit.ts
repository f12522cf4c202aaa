import type { WaiterId } from "@obleth/fairshare";

/** The right to have one request at the backend. */
export interface Permit {
  /**
   * Gives the slot back and lets the scheduler hand it on in the same turn. Later calls do nothing.
   * `actualTokens` is the real usage when it is already known (only matters with `OBLETH_FAIRSHARE_SETTLE=actual`).
   */
  release(actualTokens?: number): void;
  readonly isReleased: boolean;
}

/** What a permit needs of the scheduler. */
export interface SlotOwner {
  finish(waiterId: WaiterId, actualTokens: number | null): void;
}

/** A permit that gives its slot back the first time it is released, and only then. */
export class SlotPermit implements Permit {
  readonly #owner: SlotOwner;
  readonly #waiterId: WaiterId;
  #isReleased = false;

  constructor(owner: SlotOwner, waiterId: WaiterId) {
    this.#owner = owner;
    this.#waiterId = waiterId;
  }

  get isReleased(): boolean {
    return this.#isReleased;
  }

  release(actualTokens?: number): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#owner.finish(this.#waiterId, actualTokens ?? null);
  }
}
