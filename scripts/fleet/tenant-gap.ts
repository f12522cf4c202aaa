/** How unevenly equal tenants were served while all of them waited. */
import type { Visit } from "../../e2e/support/visit-log";

const WINDOW_MS = 30_000;

/**
 * Over windows of 30 s: the difference between the best and the worst served tenant's slot time, as a part of the mean, in
 * percent; the mean of the windows that lie within the visits. The tenant is the second word of a marker.
 */
export function tenantGap(visits: readonly Visit[]): number {
  const tenants = [...new Set(visits.map(({ marker }) => marker.split(" ")[1] ?? ""))];
  const startMs = Math.min(...visits.map(({ fromMs }) => fromMs));
  const endMs = Math.max(...visits.map(({ fromMs }) => fromMs));
  const gaps: number[] = [];
  for (let fromMs = startMs; fromMs + WINDOW_MS <= endMs; fromMs += WINDOW_MS) {
    const toMs = fromMs + WINDOW_MS;
    const held = tenants.map((tenant) =>
      visits
        .filter(({ marker }) => marker.split(" ")[1] === tenant)
        .reduce((sum, visit) => sum + Math.max(0, Math.min(visit.toMs, toMs) - Math.max(visit.fromMs, fromMs)), 0),
    );
    const mean = held.reduce((a, b) => a + b, 0) / held.length;
    if (mean > 0) gaps.push((Math.max(...held) - Math.min(...held)) / mean);
  }
  return gaps.length === 0 ? 0 : (100 * gaps.reduce((a, b) => a + b, 0)) / gaps.length;
}
