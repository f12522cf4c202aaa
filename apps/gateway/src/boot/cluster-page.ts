/** What the cluster page shows: every living gateway, how limits hold, and the stores behind them. */
import { effectiveSettings } from "@obleth/config";
import type { Cluster, ClusterReplica } from "@obleth/contract";
import type { EngineSnapshot } from "@obleth/fairshare";
import { OTHER_SETTINGS_FIELD } from "../observe/cluster-settings";
import type { ReplicaFacts } from "../observe/moment";
import type { Fleet } from "./fleet";
import type { Foundation } from "./foundation";

export interface ClusterPageParts {
  readonly foundation: Foundation;
  readonly replica: ReplicaFacts;
  readonly fleet: Fleet;
  readonly snapshot: () => EngineSnapshot;
  readonly configVersion: () => number;
}

type About = Readonly<Record<string, string | number | boolean | null>>;

/** What this replica says of itself in its view. */
export function aboutSelf({ foundation, replica, fleet, configVersion }: ClusterPageParts): About {
  const changed = effectiveSettings(foundation.settings).filter((setting) => !setting.isDefault);
  return {
    version: foundation.build.version,
    mode: fleet.cluster.state.mode,
    started_ts_ms: replica.startedTsMs,
    config_version: configVersion(),
    [OTHER_SETTINGS_FIELD]: JSON.stringify(Object.fromEntries(changed.map(({ name, value }) => [name, value]))),
  };
}

export async function clusterPage(parts: ClusterPageParts): Promise<Cluster> {
  const { foundation, replica, fleet, configVersion } = parts;
  const { clock, database, settings, build } = foundation;
  const { cluster } = fleet;
  const facts = fleet.facts();
  const { redis } = cluster;
  return {
    ts_ms: clock.wallMs(),
    instance: replica.instance,
    version: build.version,
    mode: facts.mode,
    mode_since_ts_ms: facts.modeSinceTsMs,
    shared_slots: replica.sharedSlots,
    replica_aware: replica.replicaAware,
    replicas: cluster.members.map(({ instance, heartbeatAgeMs }) =>
      instance === replica.instance ? selfRow(parts, heartbeatAgeMs) : otherRow(parts, { instance, heartbeatAgeMs }),
    ),
    redis:
      redis === null
        ? null
        : {
            reachable: redis.isReachable,
            call_p50_ms: redis.callP50Ms,
            call_p99_ms: redis.callP99Ms,
            errors_per_min: redis.errorsPerMin,
            last_reconcile_ts_ms: redis.lastReconcileMs,
            eviction_policy: redis.evictionPolicy,
            response_timeout_ms: settings.redisResponseTimeoutMs,
          },
    postgres: { ...(await database.probe()), embedded: database.embedded !== null },
    config_version: configVersion(),
    mode_changes: cluster.modeChanges.map(({ atMs, mode }) => ({ ts_ms: atMs, mode })),
  };
}

function selfRow(parts: ClusterPageParts, heartbeatAgeMs: number): ClusterReplica {
  const { foundation, replica, fleet, snapshot, configVersion } = parts;
  const engine = snapshot();
  const isShared = fleet.cluster.state.mode === "shared";
  return {
    instance: replica.instance,
    self: true,
    started_ts_ms: replica.startedTsMs,
    version: foundation.build.version,
    mode: fleet.cluster.state.mode,
    heartbeat_age_ms: fleet.cluster.redis === null ? null : heartbeatAgeMs,
    ttl_ms: fleet.cluster.ttlMs,
    view_age_ms: isShared ? 0 : null,
    in_flight: engine.inFlight,
    queued: engine.queued,
    booked_slots: isShared ? engine.inFlight + engine.held : null,
    config_version: configVersion(),
  };
}

/** What another gateway last said of itself; unknown where its view cannot be read. */
function otherRow({ fleet }: ClusterPageParts, member: { instance: string; heartbeatAgeMs: number }): ClusterReplica {
  const read = fleet.cluster.views.views.find(({ view }) => view.instance === member.instance);
  const about: About = read?.view.about ?? {};
  const engine = read?.view.engine;
  return {
    instance: member.instance,
    self: false,
    started_ts_ms: numberIn(about, "started_ts_ms"),
    version: typeof about.version === "string" ? about.version : null,
    mode: modeIn(about),
    heartbeat_age_ms: member.heartbeatAgeMs,
    ttl_ms: fleet.cluster.ttlMs,
    view_age_ms: read === undefined ? null : Math.round(read.ageMs),
    in_flight: engine?.inFlight ?? null,
    queued: engine?.queued ?? null,
    booked_slots: engine === undefined ? null : engine.inFlight + engine.held,
    config_version: numberIn(about, "config_version"),
  };
}

function numberIn(about: About, field: string): number | null {
  const value = about[field];
  return typeof value === "number" ? value : null;
}

function modeIn({ mode }: About): ClusterReplica["mode"] {
  return mode === "local" || mode === "shared" || mode === "fallback" || mode === "split" ? mode : null;
}
