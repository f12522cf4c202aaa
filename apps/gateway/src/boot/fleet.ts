/** How this replica stands to the others. Alone: every limit is held here, and nobody else is asked. */
import type { Clock } from "@obleth/clock";
import { MemoryBudgets, type TokenBudgets } from "@obleth/cluster";
import type { Cluster } from "@obleth/contract";
import type { EngineSnapshot } from "@obleth/fairshare";
import type { FleetFacts, Moment, ReplicaFacts } from "../observe/moment";
import { ownMoment } from "../observe/moments";
import type { Build } from "./build";
import type { Foundation } from "./foundation";

export interface Fleet {
  readonly facts: () => FleetFacts;
  readonly moment: (snapshot: () => EngineSnapshot) => Moment;
  readonly budgets: TokenBudgets;
}

export function soloFleet(clock: Clock): Fleet {
  const modeSinceTsMs = clock.wallMs();
  const facts: FleetFacts = {
    mode: "local",
    modeSinceTsMs,
    replicas: 1,
    clusterInFlight: null,
    silentReplica: () => null,
  };
  return {
    facts: () => facts,
    moment: (snapshot) => ownMoment({ clock, snapshot, fleet: () => facts }, null),
    budgets: new MemoryBudgets(clock),
  };
}

export interface ClusterStateParts {
  readonly foundation: Pick<Foundation, "clock" | "database" | "settings">;
  readonly build: Build;
  readonly replica: ReplicaFacts;
  readonly fleet: Fleet;
  readonly snapshot: () => EngineSnapshot;
  readonly configVersion: () => number;
}

/** The cluster page's answer. */
export async function clusterState(parts: ClusterStateParts): Promise<Cluster> {
  const { foundation, build, replica, fleet, snapshot, configVersion } = parts;
  const { clock, database, settings } = foundation;
  const facts = fleet.facts();
  const engine = snapshot();
  return {
    ts_ms: clock.wallMs(),
    instance: replica.instance,
    version: build.version,
    mode: facts.mode,
    mode_since_ts_ms: facts.modeSinceTsMs,
    shared_slots: replica.sharedSlots,
    replica_aware: replica.replicaAware,
    replicas: [
      {
        instance: replica.instance,
        self: true,
        started_ts_ms: replica.startedTsMs,
        version: build.version,
        mode: facts.mode,
        heartbeat_age_ms: null,
        ttl_ms: settings.replicaTtlSecs * 1000,
        view_age_ms: null,
        in_flight: engine.inFlight,
        queued: engine.queued,
        booked_slots: null,
        config_version: configVersion(),
      },
    ],
    redis: null,
    postgres: { ...(await database.probe()), embedded: database.embedded !== null },
    config_version: configVersion(),
    mode_changes: [{ ts_ms: facts.modeSinceTsMs, mode: facts.mode }],
  };
}
