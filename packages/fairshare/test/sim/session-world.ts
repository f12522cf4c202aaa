/** Agents that send one step after another beside one-shots, in a pool that favours sessions. */
import type { AffinitySettings, EngineEvent } from "../../src/events";
import { groupId, keyId, poolId, sessionId, tenantId, waiterId } from "../../src/ids";
import type { KeyPolicy, TenantPolicy } from "../../src/policy";
import { Agenda } from "./agenda";
import type { Rng } from "./rng";
import type { SystemEffect } from "./systems";
import { WEIGHTS } from "./workload";

export const WARM_MS = 500;
export const MAX_JUMPS = 3;

interface Owner {
  readonly tenant: TenantPolicy;
  readonly key: KeyPolicy;
}

export interface SessionWorld {
  readonly algorithm: "hierarchical" | "weighted";
  readonly size: number;
  readonly affinity: AffinitySettings;
  readonly owners: readonly Owner[];
  readonly sessions: number;
  readonly meanRunMs: number;
  readonly meanThinkMs: number;
  readonly shotGapMs: number;
  readonly timeoutMs: number | null;
  /** Chance that a step is sent beside the one before instead of after it. */
  readonly overlapChance: number;
  /** Mean gap between changes of size and settings; null for none. */
  readonly changeGapMs: number | null;
}

export function randomSessionWorld(rng: Rng): SessionWorld {
  const owners = Array.from(
    { length: rng.int(1, 4) },
    (_, i): Owner => ({
      tenant: {
        id: tenantId(`t${i >> 1}`),
        group: { id: groupId(`g${(i >> 1) % 2}`), weight: 100 },
        weight: WEIGHTS[i >> 1] ?? 1,
        boostFactor: 1,
        maxInFlight: i >> 1 === 0 && rng.chance(0.3) ? 2 : null,
      },
      key: { id: keyId(`k${i}`), weight: WEIGHTS[i] ?? 1, maxInFlight: i === 1 && rng.chance(0.5) ? 1 : null },
    }),
  );
  return {
    algorithm: rng.pick(["hierarchical", "weighted"]),
    size: rng.int(1, 6),
    affinity: randomAffinity(rng),
    owners,
    sessions: rng.int(1, 8),
    meanRunMs: rng.int(5, 40),
    meanThinkMs: rng.pick([5, 30, 120]),
    shotGapMs: rng.pick([8, 30, 100]),
    timeoutMs: rng.chance(0.3) ? 400 : null,
    overlapChance: rng.pick([0, 0.2]),
    changeGapMs: rng.chance(0.3) ? 200 : null,
  };
}

export function randomAffinity(rng: Rng): AffinitySettings {
  return {
    holdMs: rng.pick([0, 20, 100, 100, 300]),
    maxHeldPercent: rng.pick([0, 25, 50, 50, 100]),
    maxBypassMs: rng.pick([60, 200, 1000]),
  };
}

export interface SessionDriver {
  /** Takes one event; answers with its effects. */
  send(event: EngineEvent, nowMs: number): readonly SystemEffect[];
}

/** Plays the world until so many events were sent. `stripSessions` sends the same requests without their sessions. */
export function playSessions(given: {
  rng: Rng;
  world: SessionWorld;
  driver: SessionDriver;
  events: number;
  stripSessions?: boolean;
  affinity?: AffinitySettings | null;
}): void {
  const { rng, world, driver, events, stripSessions = false } = given;
  const agenda = new Agenda<() => void>();
  const stepOf = new Map<number, { session: number; owner: Owner }>();
  let nowMs = 0;
  let sent = 0;
  let latestId = 0;
  let settings = given.affinity === undefined ? world.affinity : given.affinity;
  const after = (delayMs: number, run: () => void) => agenda.add(nowMs + Math.round(delayMs), run);
  const send = (event: EngineEvent) => {
    sent += 1;
    for (const effect of driver.send(event, nowMs)) {
      if (effect.kind !== "grant") continue;
      const id = effect.waiterId;
      after(rng.exponential(world.meanRunMs), () => finish(id));
    }
  };
  const pool = (size: number) =>
    send({
      kind: "pool_changed",
      pool: poolId("pool"),
      size,
      admissionWeight: 100,
      affinity: settings,
      routed: true,
      hasServers: true,
      queueWithoutServers: false,
    });
  const arrive = (owner: Owner, session: number | null) => {
    latestId += 1;
    if (session !== null) stepOf.set(latestId, { session, owner });
    const name = session === null || stripSessions ? null : sessionId(`s${session}`);
    const { timeoutMs } = world;
    const costTokens = rng.pick([1, 50, 100]);
    const id = waiterId(latestId);
    send({ kind: "arrive", waiterId: id, pool: poolId("pool"), ...owner, costTokens, session: name, timeoutMs });
    if (rng.chance(0.03)) after(rng.exponential(20), () => send({ kind: "cancel", waiterId: id }));
    if (session !== null && rng.chance(world.overlapChance)) after(rng.int(0, 20), () => arrive(owner, session));
  };
  const finish = (id: number) => {
    send({ kind: "finish", waiterId: waiterId(id), actualTokens: null });
    const step = stepOf.get(id);
    if (step === undefined) return;
    stepOf.delete(id);
    const isLate = rng.chance(0.2);
    after(rng.exponential(isLate ? 4 * world.meanThinkMs : world.meanThinkMs), () => arrive(step.owner, step.session));
  };
  const shoot = () => {
    arrive(rng.pick(world.owners), null);
    after(rng.exponential(world.shotGapMs), shoot);
  };
  const tick = () => {
    send({ kind: "wake" });
    after(rng.int(5, 15), tick);
  };
  const change = () => {
    if (given.affinity === undefined) settings = rng.chance(0.2) ? null : randomAffinity(rng);
    pool(rng.int(1, 6));
    if (world.changeGapMs !== null) after(rng.exponential(world.changeGapMs), change);
  };
  pool(world.size);
  for (let session = 0; session < world.sessions; session++) {
    const owner = rng.pick(world.owners);
    after(rng.int(0, 50), () => arrive(owner, session));
  }
  after(0, shoot);
  after(0, tick);
  if (world.changeGapMs !== null) after(world.changeGapMs, change);
  while (sent < events) {
    const next = agenda.take();
    if (next === undefined) return;
    nowMs = next.atMs;
    next.item();
  }
}
