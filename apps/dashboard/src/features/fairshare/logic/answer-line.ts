/** The one sentence under a page's title that answers its question. */
import { formatCount, formatExact, formatWait, plural } from "../../../lib/format";
import { noServersWords } from "../../../lib/no-servers";
import { inUse, type PoolLoad, type PoolTotals, poolBand } from "../../../lib/pool-state";

/** "410 running, 53 waiting. Busiest: llama-70b (32 of 32)." */
export function fairshareAnswer(totals: PoolTotals, busiest: PoolLoad | undefined): string {
  if (totals.pools === 0) return "No models yet, so there is nothing to share.";
  const waiting = totals.queued === 0 ? "nothing waiting" : `${formatCount(totals.queued)} waiting`;
  if (totals.inFlight === 0 && totals.held === 0 && totals.queued === 0) {
    return `No traffic. ${plural(totals.pools, "pool")}, all idle.`;
  }
  const running = `${formatExact(totals.inFlight)} running, ${waiting}.`;
  if (busiest === undefined) return running;
  return `${running} Busiest: ${busiest.model} (${formatExact(inUse(busiest))} of ${formatExact(busiest.cap)}).`;
}

export interface PoolFacts extends PoolLoad {
  readonly finishes_5m: number;
  readonly no_servers_cause: string | null;
  readonly tenants_below_share_urgent: number;
}

/** "32 of 32 in use, 41 waiting, oldest 38 s. 2 tenants are below their share." */
export function poolAnswer(pool: PoolFacts): string {
  if (poolBand(pool) === "no_servers") {
    const waits = pool.queued > 0 ? `${plural(pool.queued, "request waits", "requests wait")}.` : "Nothing waits.";
    return `Nothing serves this model: ${noServersWords(pool.no_servers_cause)}. ${waits}`;
  }
  const parts = [`${formatExact(inUse(pool))} of ${formatExact(pool.cap)} in use`];
  if (pool.queued > 0) parts.push(`${formatCount(pool.queued)} waiting, oldest ${formatWait(pool.oldest_wait_ms)}`);
  const below = pool.tenants_below_share_urgent;
  const unfair =
    below > 0 ? ` ${plural(below, "tenant waits", "tenants wait")} below ${below === 1 ? "its" : "their"} share.` : "";
  return `${parts.join(", ")}.${unfair}`;
}

/**
 * Finishes a second over the last five minutes, or a minute where a second has less than one: at that pace both units
 * read alike, so that a pool about to change them is not misread.
 */
export function paceText(finishes5m: number): string {
  if (finishes5m === 0) return "no finish in 5 min";
  const perMinute = finishes5m / 5;
  if (perMinute >= 60) return `${(perMinute / 60).toFixed(1)} finishes/s`;
  return `${perMinute >= 10 ? perMinute.toFixed(0) : perMinute.toFixed(1)} finishes/min`;
}

/** What screen readers are told when pools change state between two samples; null when nothing worth saying did. */
export function changeAnnouncement(before: readonly PoolLoad[], after: readonly PoolLoad[]): string | null {
  const known = new Map(before.map((pool) => [pool.model, poolBand(pool)]));
  const changed = after.filter((pool) => {
    const was = known.get(pool.model);
    const is = poolBand(pool);
    return was !== undefined && was !== is && (is === "full_waiting" || is === "no_servers");
  });
  const worst = changed[0];
  if (worst === undefined) return null;
  const others = changed.length > 1 ? ` and ${plural(changed.length - 1, "more pool")}` : "";
  const band = poolBand(worst);
  const words = band === "full_waiting" ? `is full, ${worst.queued} waiting` : `has no servers`;
  return `${worst.model}${others} ${words}`;
}
