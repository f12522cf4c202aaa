/**
 * What a gateway shares with others, as the rest of the program sees it: the settings and services it takes, and the
 * object it gives. `create-cluster.ts` makes one; whoever holds it neither knows nor asks whether there is a Redis.
 */
import type { Clock } from "@obleth/clock";
import type { EngineSnapshot } from "@obleth/fairshare";
import type { BudgetBooks } from "./budgets/token-budget";
import type { ModeState } from "./membership/mode";
import type { RedisSettings } from "./redis/connect";
import type { ClusterSlots, SlotCall, SlotsHost, SlotsListener } from "./slots/cluster-slots";
import type { OtherViews, ReplicaView } from "./views/view-store";

/**
 * How this gateway shares with others. Milliseconds from 1, seconds from 0: `heartbeatTimes` says what a 0 reads as.
 */
export interface ClusterSettings {
  /** null: no Redis, one replica. */
  readonly redis: RedisSettings | null;
  /** What every key begins with. */
  readonly prefix: string;
  /**
   * Longest wait for an answer of Redis, ms. A request that needs one waits no longer; a Redis slower than this counts
   * as silent, so too small a value sends the fleet into `fallback`.
   */
  readonly responseTimeoutMs: number;
  /** Slots are counted in Redis. With this off each gateway has its part of every limit, if `replicaAware` is on. */
  readonly sharedSlots: boolean;
  /** Limits are divided by the number of gateways while slots are not shared. Off, each gateway has all of them. */
  readonly replicaAware: boolean;
  /** Time between two heartbeats. Drift on the books is repaired once in it. */
  readonly heartbeatSecs: number;
  /**
   * How long a silent gateway keeps its slots. Too short, and a pause of the process loses them; too long, and those of
   * a gateway that died stay booked.
   */
  readonly ttlSecs: number;
}

/** Takes one event with its fields; must not throw. */
export type ClusterLog = (level: "info" | "warn", event: string, fields: Readonly<Record<string, unknown>>) => void;

/** What a cluster object is made with. */
export interface ClusterOptions {
  readonly settings: ClusterSettings;
  /** Unlike that of every other process, this one's earlier runs included. */
  readonly instance: string;
  /** Monotonic for deadlines and intervals, wall for what is shown; neither is ever compared with another gateway's. */
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly rng: () => number;
  readonly log: ClusterLog;
  /** Called for every slot call; for metrics. */
  readonly onSlotCall?: (call: SlotCall, result: string, latencyMs: number) => void;
  /** Called when held slots come or go untaken; for metrics. */
  readonly onHolds?: NonNullable<SlotsListener["onHolds"]>;
  /** Called when slots were repaired or taken back from expired replicas; for metrics. */
  readonly onRepair?: (repair: { reclaimedSlots: number; ownDrift: number; totalDrift: number }) => void;
}

/** What the cluster needs of the gateway. */
export interface ClusterHost extends SlotsHost {
  /** This replica's picture at this moment, and what it says of itself to the others. */
  picture(): { engine: EngineSnapshot; about: ReplicaView["about"] };
}

/** One living gateway. */
export interface ClusterMember {
  readonly instance: string;
  /** Since its last heartbeat, ms from 0, told by the Redis clock. */
  readonly heartbeatAgeMs: number;
}

/** How this gateway finds Redis. Latencies are of the last 512 calls, ms; null before the first. */
export interface RedisState {
  /** Connected, and the last slot call or heartbeat was answered in time. */
  readonly isReachable: boolean;
  readonly callP50Ms: number | null;
  readonly callP99Ms: number | null;
  /** Calls of the last minute that failed or came too late. */
  readonly errorsPerMin: number;
  /** Wall clock of the last heartbeat that was answered; null before the first. */
  readonly lastReconcileMs: number | null;
  /** The server's `maxmemory-policy`; null when it does not say. Any but `noeviction` may drop what counts. */
  readonly evictionPolicy: string | null;
}

/** When limits began to hold in another way here. */
export interface ModeChange {
  /** Wall clock, ms. */
  readonly atMs: number;
  readonly mode: ModeState["mode"];
}

/** A gateway's whole share in the fleet. None of it throws or rejects because Redis is away. */
export interface Cluster {
  /** This gateway's name among the others. */
  readonly instance: string;
  readonly slots: ClusterSlots;
  /** May be used before `start`. */
  readonly budgets: BudgetBooks;
  /** How limits hold here at this moment; `local` until `start` has learnt better. */
  readonly state: ModeState;
  /** The latest 50 changes, oldest first; the start counts as one. */
  readonly modeChanges: readonly ModeChange[];
  /** Living replicas by the last heartbeat, this one included. */
  readonly members: readonly ClusterMember[];
  /** Slots in use over the fleet by the last heartbeat; null outside shared mode. */
  readonly clusterInFlight: number | null;
  /** What the others published, as last read, each with its age; empty outside shared mode. */
  readonly views: OtherViews;
  /** null without a Redis. */
  readonly redis: RedisState | null;
  /** Time between heartbeats in force, ms. */
  readonly heartbeatMs: number;
  /** Time in force after which a silent gateway's slots go to others, ms; at least two heartbeats. */
  readonly ttlMs: number;
  /**
   * Joins the others. Resolves once it is known how limits hold, also when Redis does not answer; requests must not be
   * admitted before. Never rejects. To be called once.
   */
  start(host: ClusterHost): Promise<void>;
  /** After draining: gives back what is left, removes heartbeat and view, closes. Bounded by the response timeout. */
  leave(): Promise<void>;
}
