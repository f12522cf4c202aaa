/**
 * Runs a list of requests with known arrival and service times through a system on virtual time, or a few closed loops
 * of threads that run, think and come back. Nothing is random here: the same requests give the same outcomes.
 */
import type { AffinitySettings, EngineEvent } from "../../src/events";
import { groupId, keyId, poolId, tenantId, waiterId } from "../../src/ids";
import type { KeyPolicy, TenantPolicy } from "../../src/policy";
import { Agenda } from "./agenda";
import type { SystemEffect } from "./systems";

/** All that a run needs of what it drives. */
export interface Stepper {
  step(event: EngineEvent, nowMs: number): readonly SystemEffect[];
}

export interface OpenRequest {
  readonly atMs: number;
  readonly pool: string;
  readonly tenant: TenantPolicy;
  readonly key: KeyPolicy;
  readonly costTokens: number;
  readonly runMs: number;
  readonly timeoutMs?: number | null;
}

export interface Outcome {
  /** Null: refused or still waiting at the end. */
  startMs: number | null;
  endMs: number | null;
  isRefused: boolean;
}

/** Number of a request is its place in the list plus one. Runs until nothing is left to happen, or to `untilMs`. */
export function runOpenLoop(
  system: Stepper,
  requests: readonly OpenRequest[],
  options: { pools: readonly { id: string; size: number }[]; untilMs?: number },
): Outcome[] {
  const outcomes = requests.map((): Outcome => ({ startMs: null, endMs: null, isRefused: false }));
  const agenda = new Agenda<EngineEvent>();
  for (const { id, size } of options.pools) agenda.add(Number.NEGATIVE_INFINITY, sizeOf(id, size));
  requests.forEach((request, index) => {
    agenda.add(request.atMs, arrivalOf(request, index + 1));
    const { timeoutMs } = request;
    if (typeof timeoutMs === "number") agenda.add(request.atMs + timeoutMs, { kind: "wake" });
  });
  const untilMs = options.untilMs ?? Number.POSITIVE_INFINITY;
  for (let next = agenda.take(); next !== undefined && next.atMs <= untilMs; next = agenda.take()) {
    const nowMs = Math.max(0, next.atMs);
    for (const effect of system.step(next.item, nowMs)) {
      const outcome = outcomes[effect.waiterId - 1];
      const request = requests[effect.waiterId - 1];
      if (outcome === undefined || request === undefined) throw new Error(`unknown request ${effect.waiterId}`);
      if (effect.kind === "refuse") outcome.isRefused = true;
      else {
        outcome.startMs = nowMs;
        outcome.endMs = nowMs + request.runMs;
        agenda.add(outcome.endMs, { kind: "finish", waiterId: waiterId(effect.waiterId), actualTokens: null });
      }
    }
  }
  return outcomes;
}

/** A flow of threads, each of which runs, thinks and asks again; a negative think time asks before it finishes. */
export interface ClosedFlow {
  readonly tenant: TenantPolicy;
  readonly key: KeyPolicy;
  readonly threads: number;
  readonly runMs: number;
  readonly thinkMs: number;
  readonly costTokens: number;
  /** When its threads are there; always by default. */
  readonly fromMs?: number;
  readonly untilMs?: number;
}

/** Time spent running by each flow between `fromMs` and `untilMs`, in slot-milliseconds. */
export function runClosedLoop(
  system: Stepper,
  flows: readonly ClosedFlow[],
  options: { pool: string; size: number; fromMs: number; untilMs: number },
): number[] {
  const agenda = new Agenda<EngineEvent>();
  const flowOf = new Map<number, number>();
  const startMs = new Map<number, number>();
  const busyMs = flows.map(() => 0);
  let latestId = 0;
  const ask = (flow: ClosedFlow, index: number, atMs: number) => {
    if (atMs >= (flow.untilMs ?? Number.POSITIVE_INFINITY)) return;
    latestId += 1;
    flowOf.set(latestId, index);
    const { tenant, key, costTokens, runMs } = flow;
    agenda.add(atMs, arrivalOf({ atMs, pool: options.pool, tenant, key, costTokens, runMs }, latestId));
  };
  agenda.add(Number.NEGATIVE_INFINITY, sizeOf(options.pool, options.size));
  flows.forEach((flow, index) => {
    for (let thread = 0; thread < flow.threads; thread++) ask(flow, index, flow.fromMs ?? 0);
  });
  const clip = (atMs: number) => Math.min(options.untilMs, Math.max(options.fromMs, atMs));
  for (let next = agenda.take(); next !== undefined && next.atMs <= options.untilMs; next = agenda.take()) {
    const nowMs = Math.max(0, next.atMs);
    for (const effect of system.step(next.item, nowMs)) {
      if (effect.kind !== "grant") continue;
      const index = flowOf.get(effect.waiterId) ?? 0;
      const flow = flows[index];
      if (flow === undefined) continue;
      startMs.set(effect.waiterId, nowMs);
      const endMs = nowMs + flow.runMs;
      busyMs[index] = (busyMs[index] ?? 0) + clip(endMs) - clip(nowMs);
      agenda.add(endMs, { kind: "finish", waiterId: waiterId(effect.waiterId), actualTokens: null });
      ask(flow, index, endMs + flow.thinkMs);
    }
  }
  return busyMs;
}

/** A tenant policy with plain defaults, for building requests. */
export function plainTenant(id: string, given: Partial<{ group: string; groupWeight: number; weight: number }> = {}) {
  const { group = id, groupWeight = 100, weight = 100 } = given;
  const tenant: TenantPolicy = {
    id: tenantId(id),
    group: { id: groupId(group), weight: groupWeight },
    weight,
    boostFactor: 1,
    maxInFlight: null,
  };
  return tenant;
}

export function plainKey(id: string, weight = 100): KeyPolicy {
  return { id: keyId(id), weight, maxInFlight: null };
}

export function sizeOf(pool: string, size: number, affinity: AffinitySettings | null = null): EngineEvent {
  return {
    kind: "pool_changed",
    pool: poolId(pool),
    size,
    admissionWeight: 100,
    affinity,
    routed: true,
    hasServers: true,
    queueWithoutServers: false,
  };
}

function arrivalOf(request: OpenRequest, id: number): EngineEvent {
  const { pool, tenant, key, costTokens, timeoutMs = null } = request;
  return {
    kind: "arrive",
    waiterId: waiterId(id),
    pool: poolId(pool),
    tenant,
    key,
    costTokens,
    session: null,
    timeoutMs,
  };
}
