/** The right to have one request at the backend. */
export interface Permit {
  /**
   * Gives the slot back and lets the scheduler hand it on in the same turn. Later calls do nothing.
   * `actualTokens` is the real usage when it is already known (only matters with `OBLETH_FAIRSHARE_SETTLE=actual`).
   */
  release(actualTokens?: number): void;
  readonly isReleased: boolean;
}
