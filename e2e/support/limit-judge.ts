/**
 * Whether a fleet kept a pool's size, by the backend's own record of who was there and by what each gateway says of its
 * modes. Rules, for a pool of `slots` and gateways that each get `part` of it under the split:
 *  - while all of them share, nobody starts when `slots` are in use;
 *  - a gateway on its own starts nobody when its part is in use on it;
 *  - while Redis is away for all, no more run than the parts, or what ran on a gateway when it went.
 */
import type { Visit } from "./visit-log";

export interface ModeChange {
  /** Wall clock. */
  readonly atMs: number;
  readonly mode: string;
}

export interface Outage {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Verdict {
  /** Most that were ever there together. */
  readonly highest: number;
  /** The same, over starts at which all gateways shared. */
  readonly highestShared: number;
  /** The same, per gateway and over starts at which it was on its own: the most of any. */
  readonly highestApart: number;
  /** What broke a rule, in words. */
  readonly faults: readonly string[];
}

/**
 * A request that was granted before a change may reach the backend after it: so long counts what held before, too. As
 * long as the slowest way from a gateway to the backend on a busy machine.
 */
const ON_THE_WAY_MS = 250;

export interface Trial {
  readonly visits: readonly Visit[];
  /** By the marker of its visits: when which mode began, oldest first. */
  readonly gateways: ReadonlyMap<string, readonly ModeChange[]>;
  readonly slots: number;
  readonly part: number;
  /** While Redis was away for every gateway, until all shared again. */
  readonly outages?: readonly Outage[];
}

export function judge({ visits, gateways, slots, part, outages = [] }: Trial): Verdict {
  const faults: string[] = [];
  const running = new Map<string, number>();
  let total = 0;
  const highest = { ever: 0, shared: 0, apart: 0 };
  const limits = outages.map((outage) => ({ ...outage, most: mostDuring(visits, outage, part) }));
  for (const { atMs, marker, by } of movements(visits)) {
    const here = (running.get(marker) ?? 0) + by;
    running.set(marker, here);
    total += by;
    if (by < 0) continue;
    highest.ever = Math.max(highest.ever, total);
    const modes = gateways.get(marker) ?? [];
    if ([...gateways.values()].every((changes) => wasAllAlong(changes, "shared", atMs))) {
      highest.shared = Math.max(highest.shared, total);
      if (total > slots) faults.push(`${total} at ${at(atMs)} although all shared`);
    }
    if (wasAllAlong(modes, "fallback", atMs)) {
      highest.apart = Math.max(highest.apart, here);
      if (here > part) faults.push(`${marker} started its number ${here} at ${at(atMs)} on its own`);
    }
    for (const { fromMs, toMs, most } of limits) {
      if (atMs > fromMs + ON_THE_WAY_MS && atMs < toMs && total > most) {
        faults.push(`${total} at ${at(atMs)} without Redis, where ${most} were allowed`);
      }
    }
  }
  return { highest: highest.ever, highestShared: highest.shared, highestApart: highest.apart, faults };
}

/** What may run while Redis is away: of each gateway its part, or what ran there when it went. */
function mostDuring(visits: readonly Visit[], { fromMs }: Outage, part: number): number {
  const markers = new Set(visits.map(({ marker }) => marker));
  const ran = (marker: string) =>
    visits.filter((visit) => visit.marker === marker && visit.fromMs <= fromMs + ON_THE_WAY_MS && visit.toMs > fromMs)
      .length;
  return [...markers].reduce((sum, marker) => sum + Math.max(part, ran(marker)), 0);
}

/** The mode held from a while before until this moment. */
function wasAllAlong(changes: readonly ModeChange[], mode: string, atMs: number): boolean {
  const since = changes.findLast((change) => change.atMs <= atMs - ON_THE_WAY_MS);
  if (since?.mode !== mode) return false;
  return changes.every((change) => change.mode === mode || change.atMs <= since.atMs || change.atMs > atMs);
}

/** Comings and goings in order; who goes at the same moment goes first. */
function movements(visits: readonly Visit[]): { atMs: number; marker: string; by: 1 | -1 }[] {
  return visits
    .flatMap(({ marker, fromMs, toMs }) => [
      { atMs: fromMs, marker, by: 1 as const },
      { atMs: toMs, marker, by: -1 as const },
    ])
    .filter(({ atMs }) => atMs !== Number.POSITIVE_INFINITY)
    .sort((a, b) => a.atMs - b.atMs || a.by - b.by);
}

function at(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}
