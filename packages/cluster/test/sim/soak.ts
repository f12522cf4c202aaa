/**
 * Random faults against a fleet on virtual time, from one seed: what H1 of the property catalogue asks for. After every
 * call that ran in the store its sums are checked; at each start at a backend, that the limit in force allowed it; in the
 * end, that everything was served and the books are empty.
 */
import { sumsOf } from "../small-world/sums";
import { Fleet, owner, type SimReplica } from "./fleet";

export interface SoakOptions {
  readonly seed: number;
  /** How long faults go on, virtual ms. */
  readonly durationMs: number;
  /** The product's engine schedules. */
  readonly withEngine: boolean;
}

export interface SoakReport {
  readonly served: number;
  /** Starts while every replica shared and no fault was near. */
  readonly quietStarts: number;
  /** Starts in `shared` mode that the backend saw above the configured pool size while the store answered everybody. */
  readonly overStarts: number;
  /** Slots that the books and the schedulers disagreed about while no fault was near. */
  readonly quietDrift: number;
  readonly faults: readonly string[];
}

const POOL_SIZE = 6;
const POOL = "p|chat";
const PHANTOMS = "phantom slots";
/** Two beats and the wait for the others: what the fleet may need to be exact again after a fault. */
const RECOVERY_MS = 6000;
/** How long load goes on when no fault comes any more and the fleet has had time to recover. */
const CALM_MS = 3000;

export function soak({ seed, durationMs, withEngine }: SoakOptions): SoakReport {
  let isCalm = false;
  const fleet = new Fleet({
    seed,
    withEngine,
    limits: { poolSize: POOL_SIZE, ceiling: 9, tenantCap: 5, keyCap: 4 },
    latencyMs: (rng) => (rng() < 0.02 && !isCalm ? rng() * 200 : rng() * 3),
    affinity: { holdMs: 300, maxHeld: 2, maxJumps: 2 },
  });
  const { rng, clock, server, backend } = fleet;
  const faults: string[] = [];
  let lastFaultMs = Number.NEGATIVE_INFINITY;
  let overStarts = 0;
  let quietStarts = 0;
  let quietDrift = 0;
  let arrived = 0;
  let lost = 0;
  const alive = () => fleet.replicas.filter((replica) => !replica.isGone);

  let phantomsUntilMs = Number.NEGATIVE_INFINITY;
  server.afterCall = () => {
    if (clock.monotonicMs() > phantomsUntilMs) checkBooks(fleet, replay(seed, durationMs));
  };
  const isQuiet = () => {
    // A slow answer that sends a replica into fallback is a fault like any other.
    const changedMs = Math.max(lastFaultMs, ...alive().map(({ modes }) => modes.at(-1)?.atMs ?? 0));
    return clock.monotonicMs() - changedMs > RECOVERY_MS && alive().every(({ mode }) => mode === "shared");
  };
  fleet.onRepair = ({ ownDrift, totalDrift }) => {
    if (isQuiet()) quietDrift += Math.abs(ownDrift) + Math.abs(totalDrift);
  };
  backend.onStart = (_, runningOf) => {
    if (!isQuiet()) return;
    quietStarts++;
    if (runningOf(POOL) > POOL_SIZE) overStarts++;
  };

  fleet.start(3);
  const arrive = (replica: SimReplica) => {
    arrived++;
    const tenant = rng() < 0.7 ? "acme" : "small";
    const who = owner(rng() < 0.8 ? "chat" : "embed", tenant, `${tenant}-${rng() < 0.5 ? 1 : 2}`);
    const session = rng() < 0.5 ? `session-${Math.floor(rng() * 4)}` : null;
    replica.arrive({ owner: who, serviceMs: 5 + rng() * 120, session: session as never });
  };
  const fault = (name: string) => {
    faults.push(`${Math.round(clock.monotonicMs())} ${name}`);
    lastFaultMs = clock.monotonicMs();
    if (name === PHANTOMS) phantomsUntilMs = lastFaultMs + RECOVERY_MS;
  };

  const keepBusyUntil = (stopMs: number) => {
    while (clock.monotonicMs() < stopMs) {
      clock.advance(rng() * 20);
      for (const replica of alive()) if (rng() < 0.5 && replica.queued < 20) arrive(replica);
    }
  };
  const untilMs = clock.monotonicMs() + durationMs;
  while (clock.monotonicMs() < untilMs) {
    const pauseMs = 2000 + rng() * 12_000;
    keepBusyUntil(Math.min(untilMs, clock.monotonicMs() + pauseMs));
    const mend = oneFault(fleet, fault);
    keepBusyUntil(clock.monotonicMs() + rng() * 5000);
    mend();
    lastFaultMs = clock.monotonicMs();
  }
  // However seldom the history was quiet: once nothing fails any more, the fleet must be exact again under load.
  isCalm = true;
  keepBusyUntil(clock.monotonicMs() + RECOVERY_MS + CALM_MS);
  for (const replica of fleet.replicas) if (replica.isGone) lost += replica.lost;
  const isDone = () =>
    backend.served + lost >= arrived && alive().every(({ running, queued }) => running + queued === 0);
  fleet.until(isDone, 120_000);
  clock.advance(RECOVERY_MS);
  const left = alive().reduce((sum, replica) => sum + replica.queued + replica.running, 0);
  if (left > 0) throw new Error(`${left} requests were never served (${replay(seed, durationMs)})`);
  if (server.table.totals.size > 0) {
    throw new Error(
      `the books are not empty: ${JSON.stringify([...server.table.totals])} (${replay(seed, durationMs)})`,
    );
  }
  return { served: backend.served, quietStarts, overStarts, quietDrift, faults };
}

/** The line that runs this very history again. */
export function replay(seed: number, durationMs: number): string {
  return `OBLETH_SIM_SEED=${seed} OBLETH_SIM_MS=${durationMs} npx vitest run --project property packages/cluster`;
}

/** Makes one fault and answers what mends it. */
function oneFault(fleet: Fleet, fault: (name: string) => void): () => void {
  const { rng, server } = fleet;
  const alive = fleet.replicas.filter((replica) => !replica.isGone);
  const victim = alive[Math.floor(rng() * alive.length)];
  if (victim === undefined) return () => undefined;
  const kind = Math.floor(rng() * 10);
  switch (kind) {
    case 0:
      fault("store stops");
      server.stop();
      return () => server.resume(rng() < 0.5);
    case 1:
      fault("store hangs");
      server.pause();
      return () => server.resume();
    case 2:
      fault("store is flushed");
      server.table.flush();
      return () => undefined;
    case 3:
      fault(`${victim.name} loses its requests`);
      victim.link.cut = "requests";
      return () => {
        victim.link.cut = "none";
      };
    case 4:
      fault(`${victim.name} loses its answers`);
      victim.link.cut = "replies";
      return () => {
        victim.link.cut = "none";
      };
    case 5:
      fault(`${victim.name} is reset`);
      victim.link.reset();
      return () => undefined;
    case 6:
      if (alive.length < 3) return () => undefined;
      fault(`${victim.name} is killed`);
      victim.crash();
      return () => void fleet.add();
    case 7:
      if (alive.length < 3) return () => undefined;
      fault(`${victim.name} leaves`);
      victim.shutDown();
      return () => void fleet.add();
    case 8:
      fault("announcements are lost");
      server.losesAnnouncements = true;
      return () => {
        server.losesAnnouncements = false;
      };
    default:
      fault(PHANTOMS);
      server.table.corrupt(POOL, 2);
      server.table.corrupt("g", 2);
      return () => undefined;
  }
}

/** C3: every total is the sum of the living replicas' parts and the held sessions, and none is 0 or less. */
function checkBooks({ server: { table } }: Fleet, again: string): void {
  const sums = sumsOf(table);
  for (const limit of new Set([...sums.keys(), ...table.totals.keys()])) {
    const total = table.totals.get(limit);
    if (total !== sums.get(limit) || (total ?? 1) <= 0) {
      throw new Error(`${limit} is ${total} and its parts are ${sums.get(limit)} (${again})`);
    }
  }
}
