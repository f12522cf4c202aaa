/** What an explanation needs beside the engine's picture, gathered for one pool. */
import { type PoolId, UNROUTED } from "@obleth/fairshare";
import type { ExplainContext, NoServersCause } from "@obleth/fairshare/explain";
import type { ModelDirectory, NameDirectory } from "../policy-cache/records";
import { boostIn, capIn } from "../policy-cache/tenant-policy";
import type { Moment, ReplicaFacts } from "./moment";

export interface ExplainSources {
  readonly names: NameDirectory;
  readonly models: ModelDirectory;
  readonly replica: ReplicaFacts;
  /** Why a model has nowhere to send a request, by canonical name; null when it has. */
  readonly noServersCause: (pool: PoolId) => NoServersCause | null;
  /** Wait in ms after which nothing passes a request of the pool; null with affinity off there. */
  readonly maxBypassMs: (pool: PoolId) => number | null;
}

export function explainContextOf(moment: Moment, pool: PoolId, sources: ExplainSources): ExplainContext {
  const { names, models, replica } = sources;
  const { fleet } = moment;
  const maxBypassMs = sources.maxBypassMs(pool);
  const isAlone = fleet.mode === "local" || moment.scope === "cluster";
  return {
    mode: fleet.mode,
    modeSinceTsMs: fleet.modeSinceTsMs,
    replicas: fleet.replicas,
    fleetInUse: isAlone ? null : (fleet.clusterInFlight?.ofPool(pool) ?? null),
    isPartialView: fleet.replicas > 1 && moment.replicasReporting < fleet.replicas,
    noServersCause: sources.noServersCause(pool),
    queueWithoutServers: pool !== UNROUTED && (models.find(pool)?.queueWithoutServers ?? false),
    admissionTimeoutMs: replica.admissionTimeoutMs,
    refused: null,
    silentReplica: fleet.silentReplica(pool),
    lostClaims: (id) => fleet.lostClaims(pool, id),
    tenantName: (id) => names.tenant(id)?.name ?? id,
    keyName: (id) => names.keyName(id) ?? id,
    capSource: (id) => {
      const tenant = names.tenant(id);
      return (tenant === undefined ? null : capIn(tenant, pool).source) ?? "tenant";
    },
    configuredCap: (id) => {
      const tenant = names.tenant(id);
      return tenant === undefined ? null : capIn(tenant, pool).cap;
    },
    boost: (id) => {
      const tenant = names.tenant(id);
      const boost = tenant === undefined ? null : boostIn(tenant, pool, moment.tsMs);
      return boost === null ? null : { factor: boost.factor, expiresTsMs: boost.expiresAtMs };
    },
    affinity: () => (maxBypassMs === null ? null : { maxBypassMs, maxJumps: replica.maxJumps }),
  };
}
