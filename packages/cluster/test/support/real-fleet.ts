/** Several clusters in one process on a real Redis, each with the small scheduler of the simulation and real time. */
import { SystemClock } from "@obleth/clock";
import type { EngineSnapshot } from "@obleth/fairshare";
import type { Cluster, ClusterSettings } from "../../src/cluster";
import { createCluster } from "../../src/create-cluster";
import { Backend } from "../sim/backend";
import { request } from "../sim/fleet";
import { type Limits, Replica } from "../sim/replica";

export interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface RealReplica {
  readonly cluster: Cluster;
  readonly replica: Replica;
  readonly log: LogLine[];
}

export class RealFleet {
  readonly clock = new SystemClock();
  readonly backend = new Backend();
  readonly replicas: RealReplica[] = [];
  readonly limits: Limits;
  readonly #settings: Omit<ClusterSettings, "redis">;

  constructor(prefix: string, options: { limits?: Partial<Limits>; settings?: Partial<ClusterSettings> } = {}) {
    this.limits = { poolSize: 20, ceiling: 4096, tenantCap: null, keyCap: null, ...options.limits };
    this.#settings = {
      prefix,
      // Longer than the default: on a busy machine an answer may take a quarter of a second, and tests of what is exact
      // while Redis answers would fall back without a fault.
      responseTimeoutMs: 1000,
      sharedSlots: true,
      replicaAware: true,
      heartbeatSecs: 1,
      ttlSecs: 3,
      ...options.settings,
    };
  }

  /** Starts one replica; resolves when it knows how limits hold. */
  async add(redis: Partial<NonNullable<ClusterSettings["redis"]>> & { readonly url: string }): Promise<RealReplica> {
    const name = `replica-${this.replicas.length + 1}`;
    const log: LogLine[] = [];
    const cluster = createCluster({
      settings: {
        ...this.#settings,
        redis: { isCluster: false, sentinels: [], sentinelName: null, connectTimeoutMs: 1000, ...redis },
      },
      instance: name,
      clock: this.clock,
      rng: Math.random,
      log: (level, event, fields) => log.push({ level, event, fields }),
    });
    const replica = new Replica({
      name,
      clock: this.clock,
      slots: cluster.slots,
      backend: this.backend,
      limits: this.limits,
    });
    const picture = () => ({ engine: pictureOf(replica), about: { version: "test" } });
    this.replicas.push({ cluster, replica, log });
    await cluster.start({ ...replica.host, picture });
    replica.decided();
    return { cluster, replica, log };
  }

  get modes(): string[] {
    return this.replicas.map(({ cluster }) => cluster.state.mode);
  }

  /** Keeps so many requests of `serviceMs` going at each replica, one after another, until the answer is called. */
  keepBusy(each: number, serviceMs: number): () => void {
    let isOver = false;
    for (const { replica } of this.replicas) {
      const next = () => {
        if (!isOver) replica.arrive(request(serviceMs), () => setTimeout(next, 5));
      };
      for (let i = 0; i < each; i++) next();
    }
    return () => {
      isOver = true;
    };
  }

  /** Nothing runs or waits anywhere. */
  get isQuiet(): boolean {
    return this.replicas.every(({ replica }) => replica.running + replica.queued === 0);
  }

  /** Ends every cluster, whatever state it is in. */
  async close(): Promise<void> {
    await Promise.all(this.replicas.map(({ cluster }) => cluster.leave()));
  }
}

/** As much of a picture as a view needs. */
function pictureOf(replica: Replica): EngineSnapshot {
  const { running, queued } = replica;
  return {
    algorithm: "hierarchical",
    ceiling: 4096,
    configuredCeiling: 4096,
    isCeilingReached: false,
    inFlight: running,
    queued,
    held: 0,
    borrowed: 0,
    pools: [],
  };
}
