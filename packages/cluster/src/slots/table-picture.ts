/** A table's state as searches and tests look at it. Times are told from a moment, ms; what ran out is left out or 0. */

/** What a table knows besides its counts. With them it tells all that later calls depend on. */
export interface TablePicture {
  readonly marks: readonly MarkPicture[];
  readonly replicas: readonly { readonly name: string; readonly leftMs: number }[];
  readonly epochs: readonly { readonly name: string; readonly epoch: number }[];
  readonly kept: KeptPicture;
}

/** The mark of one limit. */
export interface MarkPicture {
  readonly limit: string;
  /** For whom a free slot is kept, and for how long yet, ms; in the order the slots came free. */
  readonly turns: readonly { readonly name: string; readonly leftMs: number }[];
  /** Who waits for how many slots more, longest first, and for how long the mark lasts, ms. */
  readonly waits: readonly { readonly name: string; readonly leftMs: number; readonly slots: number }[];
}

/** What is remembered of sessions, sorted by id. */
export interface KeptPicture {
  /** Pools in which nothing is held, and for how long yet, ms. */
  readonly starving: readonly (readonly [pool: string, leftMs: number])[];
  readonly holds: readonly (readonly [id: string, leftMs: number])[];
  readonly sessions: readonly (readonly [id: string, holdsInRow: number, sinceFinishMs: number])[];
}
