/** Builds what shows the scheduler's state: live answers, history, metrics and the picture that explanations rest on. */
import type { Clock } from "@obleth/clock";
import type { Settings } from "@obleth/config";
import { type EngineSnapshot, type PoolId, type PoolSample, poolId, UNROUTED } from "@obleth/fairshare";
import type { ExplainContext } from "@obleth/fairshare/explain";
import type { Log } from "../log";
import { explainContextOf } from "../observe/explain-facts";
import { History } from "../observe/history";
import { LiveAnswers } from "../observe/live";
import type { LiveSources } from "../observe/live-state";
import { Metrics } from "../observe/metrics";
import type { FleetFacts, Moment, ReplicaFacts } from "../observe/moment";
import type { AffinityTally } from "./affinity-counts";
import type { Policies } from "./policies";

export interface ObservationOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly replica: ReplicaFacts;
  readonly policies: Policies;
  readonly sample: () => readonly PoolSample[];
  readonly log: Log;
  readonly moment: () => Moment;
  readonly affinity: AffinityTally;
}

export interface Observation {
  readonly live: LiveAnswers;
  readonly history: History;
  readonly sources: LiveSources;
  readonly explainContext: (moment: Moment, pool: PoolId) => ExplainContext;
}

export function observe(options: ObservationOptions): Observation {
  const { settings, clock, replica, policies, sample, moment, affinity, log } = options;
  const { limits, models, names } = policies;
  const sources: LiveSources = {
    names,
    models,
    replica,
    noServersCause: (pool) => limits.noServersCause(pool),
    maxBypassMs: (pool) => limits.maxBypassMs(pool),
    poolSize: (pool) => limits.poolSize(pool),
    configVersion: policies.configVersion,
  };
  const history = new History({
    clock,
    retentionMs: settings.fairshareHistorySecs * 1000,
    replica,
    sample,
    pools: () => enabledPools(policies),
    onFault: (error) => log.error({ err: error }, "history.sample_failed"),
    affinity: (pool) => affinity.ofPool(pool),
    canonical: (name) => models.find(name)?.name ?? name,
  });
  return {
    live: new LiveAnswers({ moment, sources, clock }),
    history,
    sources,
    explainContext: (at, pool) => explainContextOf(at, pool, sources),
  };
}

function* enabledPools({ models, limits }: Policies): Generator<readonly [string, number]> {
  for (const { name, enabled } of models.list()) if (enabled) yield [name, limits.poolSize(poolId(name)).size];
}

export interface MetricsOptions {
  readonly snapshot: () => EngineSnapshot;
  readonly fleet: () => FleetFacts;
  readonly policies: () => Policies | undefined;
  readonly isReady: () => boolean;
  readonly isEndpointHealthy: (endpointId: string) => boolean;
  readonly usageQueued: () => number;
  readonly heldBodyBytes: () => number;
  readonly version: string;
}

/** Made first, because everything else reports to it; what it reads appears while the process starts. */
export function makeMetrics(options: MetricsOptions): Metrics {
  const endpoints = () =>
    options
      .policies()
      ?.models.list()
      .flatMap((model) => model.endpoints) ?? [];
  return new Metrics({
    snapshot: options.snapshot,
    fleet: options.fleet,
    isKnownModel: (name) => name === UNROUTED || options.policies()?.models.find(name) !== undefined,
    usageQueued: options.usageQueued,
    heldBodyBytes: options.heldBodyBytes,
    unhealthyEndpoints: () => endpoints().filter(({ id, enabled }) => enabled && !options.isEndpointHealthy(id)).length,
    configVersion: () => options.policies()?.configVersion() ?? 0,
    isReady: options.isReady,
    version: options.version,
  });
}
