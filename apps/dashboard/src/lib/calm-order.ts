/**
 * A live list that stays readable: re-sorted seldom, and not at all while the reader is in it. Between sorts rows that
 * leave are dropped and new ones go to the end.
 */
export interface CalmOrder {
  /** Row ids in the order shown. */
  readonly ids: readonly string[];
  readonly sortedAtMs: number;
  /** Names the sort; another name sorts at once. */
  readonly sortKey: string;
  /** The order the numbers ask for differs from the one shown. */
  readonly hasPending: boolean;
}

export const EMPTY_ORDER: CalmOrder = {
  ids: [],
  sortedAtMs: Number.NEGATIVE_INFINITY,
  sortKey: "",
  hasPending: false,
};

/** Longer makes the list misleading, shorter makes it hard to read. */
export const RESORT_INTERVAL_MS = 5000;

export interface OrderInput {
  /** Row ids in the order the numbers ask for. */
  readonly wanted: readonly string[];
  readonly nowMs: number;
  /** Pointer or focus is in the list. */
  readonly isFrozen: boolean;
  readonly sortKey: string;
  /** The reader asked for the wanted order now. */
  readonly isForced?: boolean;
}

/** The order to show; the previous object itself when nothing changes. */
export function nextOrder(previous: CalmOrder, input: OrderInput): CalmOrder {
  const { wanted, sortKey, nowMs } = input;
  const isFirst = previous.ids.length === 0 || previous.sortKey !== sortKey;
  const isDue = nowMs - previous.sortedAtMs >= RESORT_INTERVAL_MS && !input.isFrozen;
  const ids = isFirst || isDue || input.isForced ? wanted : keepOrder(previous.ids, wanted);
  const hasPending = !isSame(ids, wanted);
  const isSorted = ids === wanted;
  const shown = isSame(ids, previous.ids) ? previous.ids : ids;
  if (shown === previous.ids && hasPending === previous.hasPending && sortKey === previous.sortKey && !isSorted) {
    return previous;
  }
  return { ids: shown, sortedAtMs: isSorted ? nowMs : previous.sortedAtMs, sortKey, hasPending };
}

function keepOrder(shown: readonly string[], wanted: readonly string[]): readonly string[] {
  const present = new Set(wanted);
  const known = new Set(shown);
  const kept = shown.filter((id) => present.has(id));
  const added = wanted.filter((id) => !known.has(id));
  return [...kept, ...added];
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}
