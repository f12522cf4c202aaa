/** Who held how many slots, from records of requests coming and going. */

/** One request at the backend, or in the queue before it; times on one clock. */
export interface Stay {
  readonly tenant: string;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The longest stretch in which every tenant has a request waiting. Undefined when there is none. */
export function contention(waiting: readonly Stay[], tenants: readonly string[]): Period | undefined {
  let best: Period | undefined;
  let since: number | undefined;
  const counts = new Map(tenants.map((tenant) => [tenant, 0]));
  for (const { atMs, tenant, delta } of moves(waiting)) {
    counts.set(tenant, (counts.get(tenant) ?? 0) + delta);
    const isContended = tenants.every((one) => (counts.get(one) ?? 0) > 0);
    if (isContended) since ??= atMs;
    else if (since !== undefined) {
      if (best === undefined || atMs - since > best.toMs - best.fromMs) best = { fromMs: since, toMs: atMs };
      since = undefined;
    }
  }
  return best;
}

/**
 * `period` without its beginning, until the last request that was running as it began has left: slots lent before the
 * other tenant came return only as those requests finish.
 */
export function settled(period: Period, running: readonly Stay[]): Period {
  const early = running.filter((stay) => stay.fromMs <= period.fromMs && stay.toMs > period.fromMs);
  return { fromMs: Math.max(period.fromMs, ...early.map((stay) => stay.toMs)), toMs: period.toMs };
}

export interface Held {
  /** Slots held on average over the period. */
  readonly mean: number;
  /** Most slots held at once in it. */
  readonly most: number;
}

/** What `tenant` held in `period`; 0 everywhere for an empty period. */
export function slotsHeld(running: readonly Stay[], tenant: string, period: Period): Held {
  const inside = running
    .filter((stay) => stay.tenant === tenant && stay.toMs > period.fromMs && stay.fromMs < period.toMs)
    .map((stay) => ({ ...stay, fromMs: Math.max(stay.fromMs, period.fromMs), toMs: Math.min(stay.toMs, period.toMs) }));
  let level = 0;
  let most = 0;
  for (const { delta } of moves(inside)) {
    level += delta;
    most = Math.max(most, level);
  }
  const slotMs = inside.reduce((sum, stay) => sum + stay.toMs - stay.fromMs, 0);
  const length = period.toMs - period.fromMs;
  return { mean: length > 0 ? slotMs / length : 0, most };
}

/** Comings and goings in order of time; who leaves at a moment does so before who comes. */
function moves(stays: readonly Stay[]): { atMs: number; tenant: string; delta: 1 | -1 }[] {
  return stays
    .flatMap(({ tenant, fromMs, toMs }) => [
      { atMs: fromMs, tenant, delta: 1 as const },
      { atMs: toMs, tenant, delta: -1 as const },
    ])
    .sort((a, b) => a.atMs - b.atMs || a.delta - b.delta);
}
