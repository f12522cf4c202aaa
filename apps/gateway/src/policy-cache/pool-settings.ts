/** What a model's configuration means for its pool: the engine's `pool_changed`, with every default filled in. */
import { type AffinitySettings, type NoServersCause, type PoolChanged, poolId, UNROUTED } from "@obleth/fairshare";
import type { ModelRecord } from "./records";

/** Gateway-wide values that a model falls back to. */
export interface PoolDefaults {
  /** Slots of a model that has no size of its own, and of the unrouted pool. */
  readonly size: number;
  readonly affinity: AffinitySettings & { readonly isEnabled: boolean };
}

export interface PoolFacts {
  readonly defaults: PoolDefaults;
  /** Slots that capacity discovery gives the model; undefined when it is not discovered. */
  readonly discoveredSize?: number | undefined;
  /** A watched backend has nothing ready. */
  readonly hasNoReadyReplica?: boolean;
}

/** Why the model has nowhere to send a request; null when it has somewhere. */
export function noServersCause(model: ModelRecord, hasNoReadyReplica = false): NoServersCause | null {
  if (model.endpoints.length === 0) return "no_base_url";
  if (!model.endpoints.some((endpoint) => endpoint.enabled)) return "no_enabled_endpoint";
  return hasNoReadyReplica ? "no_ready_replica" : null;
}

/** Slots asked for. A size of 0 or less reads as unset. */
export function configuredSize(model: ModelRecord, facts: PoolFacts): number {
  const own = model.maxInFlight !== null && model.maxInFlight > 0 ? model.maxInFlight : facts.defaults.size;
  return facts.discoveredSize ?? own;
}

export function poolSettings(model: ModelRecord, facts: PoolFacts): PoolChanged {
  return {
    kind: "pool_changed",
    pool: poolId(model.name),
    size: configuredSize(model, facts),
    admissionWeight: model.admissionWeight,
    affinity: spreadsRequests(model) ? null : affinityOf(model.sessionAffinity, facts.defaults),
    routed: model.enabled,
    hasServers: noServersCause(model, facts.hasNoReadyReplica) === null,
    queueWithoutServers: model.queueWithoutServers,
  };
}

/** The pool that unregistered names share: everything as the gateway has it; open only where there is an upstream. */
export function unroutedSettings(facts: PoolFacts, hasUpstream: boolean): PoolChanged {
  return {
    kind: "pool_changed",
    pool: UNROUTED,
    size: facts.defaults.size,
    admissionWeight: 100,
    affinity: affinityOf({}, facts.defaults),
    routed: hasUpstream,
    hasServers: hasUpstream,
    queueWithoutServers: false,
  };
}

/** A model that is gone: its pool goes with its last request, which keeps its slot until then. */
export function removedSettings(model: ModelRecord, facts: PoolFacts): PoolChanged {
  return { ...poolSettings(model, facts), routed: false };
}

/** A session's next step would not reach the same backend, so that favouring it is of no use. */
function spreadsRequests({ endpoints, endpointSelection }: ModelRecord): boolean {
  return endpointSelection === "load_balance" && endpoints.filter((endpoint) => endpoint.enabled).length > 1;
}

function affinityOf(own: ModelRecord["sessionAffinity"], defaults: PoolDefaults): AffinitySettings | null {
  if (!(own.enabled ?? defaults.affinity.isEnabled)) return null;
  return {
    holdMs: own.holdMs ?? defaults.affinity.holdMs,
    maxHeldPercent: own.maxHeldPercent ?? defaults.affinity.maxHeldPercent,
    maxBypassMs: own.maxBypassSecs === undefined ? defaults.affinity.maxBypassMs : own.maxBypassSecs * 1000,
  };
}
