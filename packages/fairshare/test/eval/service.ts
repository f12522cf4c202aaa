/** Measures of service over a finished run. */
import type { OpenRequest, Outcome } from "../sim/open-loop";

export interface Run {
  readonly requests: readonly OpenRequest[];
  readonly outcomes: readonly Outcome[];
  /** True cost of each request, in tokens; what it was charged may differ. */
  readonly workOf: (index: number) => number;
}

/** As the artifact of the paper has it: the first 30 s are left out, and 19 ticks are spread over what is left. */
export const WARM_UP_MS = 30_000;
const TICKS = 20;
const WINDOW_MS = 60_000;

/**
 * The service difference of the VTC paper (Sheng et al., OSDI 2024, section 5): at each tick, over a window of 60 s
 * around it, the sum over users of how far each is behind the best served one, counting no more than it asked for.
 * Tokens per second. A request's work is spread evenly over its run.
 */
export function serviceDifference(run: Run, lengthMs: number): { average: number; most: number } {
  const users = [...new Set(run.requests.map((request) => request.tenant.id))];
  const differences: number[] = [];
  for (let tick = 1; tick < TICKS; tick++) {
    const centre = WARM_UP_MS + ((lengthMs - WARM_UP_MS) * tick) / TICKS;
    const from = centre - WINDOW_MS / 2;
    const until = centre + WINDOW_MS / 2;
    const asked = new Map<string, number>(users.map((user) => [user, 0]));
    const served = new Map<string, number>(users.map((user) => [user, 0]));
    run.requests.forEach(({ tenant, atMs }, index) => {
      const work = run.workOf(index);
      if (atMs >= from && atMs <= until) asked.set(tenant.id, (asked.get(tenant.id) ?? 0) + work);
      const { startMs, endMs } = run.outcomes[index] ?? { startMs: null, endMs: null };
      if (startMs === null || endMs === null || endMs <= startMs) return;
      const overlap = Math.max(0, Math.min(until, endMs) - Math.max(from, startMs));
      served.set(tenant.id, (served.get(tenant.id) ?? 0) + (work * overlap) / (endMs - startMs));
    });
    const best = Math.max(...served.values());
    let difference = 0;
    for (const user of users) {
      const got = served.get(user) ?? 0;
      difference += Math.min(best - got, Math.abs((asked.get(user) ?? 0) - got));
    }
    differences.push(difference / (WINDOW_MS / 1000));
  }
  const average = differences.reduce((a, b) => a + b, 0) / differences.length;
  return { average, most: Math.max(...differences) };
}

/**
 * Widest gap between the normalised service of any two tenants over any interval in which all of them wait all the
 * time after the warm-up; service counts when it is admitted. Tokens per weight.
 *
 * The warm-up is for the first slots: they go to whoever comes while they are free, before anybody waits, and what was
 * lent that way comes back as those requests finish.
 */
export function widestGap(run: Run, weightOf: (tenant: string) => number): number {
  const tenants = [...new Set(run.requests.map((request) => request.tenant.id))];
  const points: { atMs: number; order: number; tenant: string; waiting: number; served: number }[] = [];
  run.requests.forEach((request, index) => {
    const tenant = request.tenant.id;
    const startMs = run.outcomes[index]?.startMs ?? null;
    // Of one moment, service comes before arrivals: a request admitted at once never waited.
    points.push({ atMs: request.atMs, order: 1, tenant, waiting: 1, served: 0 });
    if (startMs === null) return;
    const served = run.workOf(index) / weightOf(tenant);
    points.push({ atMs: startMs, order: startMs === request.atMs ? 2 : 0, tenant, waiting: -1, served });
  });
  points.sort((a, b) => a.atMs - b.atMs || a.order - b.order);
  const waiting = new Map<string, number>();
  let served = new Map<string, number>();
  let low = new Map<string, number>();
  let high = new Map<string, number>();
  let worst = 0;
  let isOpen = false;
  const pairs = tenants.flatMap((a, i) => tenants.slice(i + 1).map((b): [string, string] => [a, b]));
  for (const point of points) {
    const wasOpen = isOpen;
    if (wasOpen && point.served > 0) {
      served.set(point.tenant, (served.get(point.tenant) ?? 0) + point.served);
      for (const [a, b] of pairs) {
        const name = `${a} ${b}`;
        const distance = (served.get(a) ?? 0) - (served.get(b) ?? 0);
        low.set(name, Math.min(low.get(name) ?? 0, distance));
        high.set(name, Math.max(high.get(name) ?? 0, distance));
        worst = Math.max(worst, (high.get(name) ?? 0) - (low.get(name) ?? 0));
      }
    }
    waiting.set(point.tenant, (waiting.get(point.tenant) ?? 0) + point.waiting);
    isOpen = point.atMs >= WARM_UP_MS && tenants.every((tenant) => (waiting.get(tenant) ?? 0) > 0);
    if (isOpen && wasOpen) continue;
    served = new Map();
    low = new Map();
    high = new Map();
  }
  return worst;
}

/** Tokens admitted to each tenant while all wait. */
export function servedWhileAllWait(run: Run, fromMs: number, untilMs: number): Map<string, number> {
  const served = new Map<string, number>();
  run.outcomes.forEach(({ startMs }, index) => {
    const tenant = run.requests[index]?.tenant.id;
    if (tenant === undefined || startMs === null || startMs < fromMs || startMs >= untilMs) return;
    served.set(tenant, (served.get(tenant) ?? 0) + run.workOf(index));
  });
  return served;
}

/** Jain's index of the values: 1 when all are equal, 1 / n when one has everything. */
export function jain(values: readonly number[]): number {
  const sum = values.reduce((a, b) => a + b, 0);
  const squares = values.reduce((a, b) => a + b * b, 0);
  return squares === 0 ? 1 : (sum * sum) / (values.length * squares);
}

/** Mean and 95th percentile of the waits, in seconds. */
export function waits(run: Run): { meanSecs: number; p95Secs: number } {
  const list = run.outcomes
    .map(({ startMs }, index) => (startMs === null ? null : (startMs - (run.requests[index]?.atMs ?? 0)) / 1000))
    .filter((wait): wait is number => wait !== null)
    .sort((a, b) => a - b);
  const meanSecs = list.reduce((a, b) => a + b, 0) / Math.max(1, list.length);
  return { meanSecs, p95Secs: list[Math.min(list.length - 1, Math.floor(0.95 * list.length))] ?? 0 };
}

/** Output tokens per second from the first arrival to the last finish. */
export function throughput(run: Run, outputOf: (index: number) => number): number {
  let tokens = 0;
  let lastMs = 0;
  run.outcomes.forEach(({ endMs }, index) => {
    if (endMs === null) return;
    tokens += outputOf(index);
    lastMs = Math.max(lastMs, endMs);
  });
  return tokens / (lastMs / 1000);
}
