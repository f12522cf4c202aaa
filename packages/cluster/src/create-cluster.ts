/**
 * Everything a gateway shares with others, behind one object: slots, budgets, views, who lives. Without a Redis it is the
 * same object for one replica alone. Makes connections; decides nothing itself.
 */
import type { Clock } from "@obleth/clock";
import type { EngineSnapshot } from "@obleth/fairshare";
import { MemoryBudgets } from "./budgets/memory-budgets";
import { RedisBudgets } from "./budgets/redis-budgets";
import type { BudgetBooks } from "./budgets/token-budget";
import { heartbeatTimes, type ModeState } from "./membership/mode";
import { CallStats } from "./redis/call-stats";
import { type RedisClient, RedisConnection, type RedisSettings } from "./redis/connect";
import { evictionPolicy, mayEvict } from "./redis/eviction";
import { makeKeys } from "./redis/keys";
import { RedisScripts } from "./redis/scripts";
import { AloneSlots } from "./slots/alone-slots";
import type { ClusterSlots, SlotCall, SlotsHost, SlotsListener } from "./slots/cluster-slots";
import { RedisSlots } from "./slots/redis-slots";
import { listenForReleased } from "./slots/released-channel";
import { SharedSlots } from "./slots/shared-slots";
import { RedisViews } from "./views/redis-views";
import type { OtherViews, ReplicaView } from "./views/view-store";

/**
 * How this gateway shares with others. Milliseconds from 1, seconds from 0: `heartbeatTimes` says what a 0 reads as.
 */
export interface ClusterSettings {
  /** null: no Redis, one replica. */
  readonly redis: RedisSettings | null;
  /** What every key begins with. */
  readonly prefix: string;
  readonly responseTimeoutMs: number;
  readonly sharedSlots: boolean;
  readonly replicaAware: boolean;
  readonly heartbeatSecs: number;
  readonly ttlSecs: number;
}

/** Takes one event with its fields; must not throw. */
export type ClusterLog = (level: "info" | "warn", event: string, fields: Readonly<Record<string, unknown>>) => void;

/** What a cluster object is made with. */
export interface ClusterOptions {
  readonly settings: ClusterSettings;
  /** Unlike that of every other process, this one's earlier runs included. */
  readonly instance: string;
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
  /** Since its last heartbeat, ms. */
  readonly heartbeatAgeMs: number;
}

/** How this gateway finds Redis. Latencies are of the last 512 calls, null before the first. */
export interface RedisState {
  readonly isReachable: boolean;
  readonly callP50Ms: number | null;
  readonly callP99Ms: number | null;
  readonly errorsPerMin: number;
  /** Wall clock of the last heartbeat that was answered; null before the first. */
  readonly lastReconcileMs: number | null;
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
  readonly instance: string;
  readonly slots: ClusterSlots;
  readonly budgets: BudgetBooks;
  readonly state: ModeState;
  /** The latest changes, oldest first; the first is the start. */
  readonly modeChanges: readonly ModeChange[];
  /** Living replicas by the last heartbeat, this one included. */
  readonly members: readonly ClusterMember[];
  /** Slots in use over the fleet by the last heartbeat; null outside shared mode. */
  readonly clusterInFlight: number | null;
  readonly views: OtherViews;
  /** null without a Redis. */
  readonly redis: RedisState | null;
  /** Heartbeat interval and expiry in force, ms. */
  readonly heartbeatMs: number;
  readonly ttlMs: number;
  /**
   * Joins the others. Resolves once it is known how limits hold, also when Redis does not answer; requests must not be
   * admitted before. Never rejects.
   */
  start(host: ClusterHost): Promise<void>;
  /** After draining: gives back what is left, removes heartbeat and view, closes. Bounded by the response timeout. */
  leave(): Promise<void>;
}

/** Mode changes kept for the cluster page. */
const CHANGES_KEPT = 50;

/** A cluster object; nothing is connected before `start`, except that budgets may be used at once. */
export function createCluster(options: ClusterOptions): Cluster {
  return options.settings.redis === null ? new Alone(options) : new RedisCluster(options, options.settings.redis);
}

/** Remembers mode changes and tells the host of them. */
class Modes {
  readonly #clock: Clock;
  changes: ModeChange[];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.changes = [{ atMs: clock.wallMs(), mode: "local" }];
  }

  changed({ mode }: ModeState): void {
    if (this.changes.at(-1)?.mode === mode) return;
    this.changes = [...this.changes, { atMs: this.#clock.wallMs(), mode }].slice(-CHANGES_KEPT);
  }
}

class Alone implements Cluster {
  readonly instance: string;
  readonly slots = new AloneSlots();
  readonly budgets: BudgetBooks;
  readonly state = this.slots.state;
  readonly modeChanges: readonly ModeChange[];
  readonly members: readonly ClusterMember[];
  readonly clusterInFlight = null;
  readonly views: OtherViews = { views: [], holds: [], reason: null };
  readonly redis = null;
  readonly heartbeatMs: number;
  readonly ttlMs: number;

  constructor({ instance, clock, settings }: ClusterOptions) {
    const times = heartbeatTimes(settings);
    this.instance = instance;
    this.heartbeatMs = times.intervalMs;
    this.ttlMs = times.ttlMs;
    this.budgets = new MemoryBudgets(clock);
    this.modeChanges = new Modes(clock).changes;
    this.members = [{ instance, heartbeatAgeMs: 0 }];
  }

  async start(): Promise<void> {}

  async leave(): Promise<void> {}
}

class RedisCluster implements Cluster {
  readonly instance: string;
  readonly slots: SharedSlots;
  readonly budgets: RedisBudgets;
  readonly heartbeatMs: number;
  readonly ttlMs: number;
  readonly #options: ClusterOptions;
  readonly #connection: RedisConnection;
  /** Another one for announcements: a subscribed connection can send nothing else. */
  readonly #subscriber: RedisConnection;
  readonly #stats: CallStats;
  readonly #modes: Modes;
  readonly #views: RedisViews;
  #host: ClusterHost | undefined;
  #lastBeatMonotonicMs: number | undefined;
  #lastReconcileMs: number | null = null;
  #evictionPolicy: string | null = null;

  constructor(options: ClusterOptions, redis: RedisSettings) {
    const { settings, instance, clock, rng, log } = options;
    const { intervalMs, ttlMs } = heartbeatTimes(settings);
    const { responseTimeoutMs: timeoutMs } = settings;
    const keys = makeKeys({ prefix: settings.prefix, isCluster: redis.isCluster });
    this.#options = options;
    this.instance = instance;
    this.heartbeatMs = intervalMs;
    this.ttlMs = ttlMs;
    this.#stats = new CallStats(clock);
    this.#modes = new Modes(clock);
    this.#connection = new RedisConnection(redis, (error) => {
      log("warn", "cluster.redis_error", { reason: error.message });
    });
    this.#subscriber = new RedisConnection(redis, () => undefined);
    const { client } = this.#connection;
    client.on("ready", () => void this.#checkEviction(client));
    const scripts = new RedisScripts(client);
    this.slots = new SharedSlots({
      store: new RedisSlots(scripts, keys),
      clock,
      rng,
      instance,
      settings: { ...settings, heartbeatMs: intervalMs, ttlMs, responseTimeoutMs: timeoutMs },
      defer: setImmediate,
      reconnect: () => {
        this.#connection.renew();
        this.#subscriber.renew();
      },
      listener: {
        onCall: (call, result, latencyMs) => this.#called(call, result, latencyMs),
        onHolds: (pool, change, count) => options.onHolds?.(pool, change, count),
        onRepair: (repair) => this.#repaired(repair),
        onModeChange: ({ mode, replicas }, reason) => log("info", "cluster.mode_changed", { mode, replicas, reason }),
        onReachable: (isReachable, reason) =>
          log(isReachable ? "info" : "warn", isReachable ? "cluster.redis_recovered" : "cluster.redis_lost", {
            reason,
          }),
      },
    });
    listenForReleased(this.#subscriber.client, keys, this.slots);
    this.budgets = new RedisBudgets({
      scripts,
      keys,
      clock,
      timeoutMs,
      ping: () => client.ping(),
      books: client,
      onAvailability: (isAvailable, reason) =>
        log(isAvailable ? "info" : "warn", isAvailable ? "cluster.budgets_recovered" : "cluster.budgets_lost", {
          reason: reason instanceof Error ? reason.message : undefined,
        }),
      onUnreadable: (message) => log("warn", "cluster.budget_unreadable", { reason: message }),
    });
    this.#views = new RedisViews({
      client,
      keys,
      clock,
      instance,
      heartbeatMs: intervalMs,
      timeoutMs,
      picture: () => {
        if (this.#host === undefined) throw new Error("the cluster has not been started");
        return this.#host.picture();
      },
      others: () => this.slots.members.map((member) => member.instance).filter((name) => name !== instance),
    });
  }

  get state(): ModeState {
    return this.slots.state;
  }

  get modeChanges(): readonly ModeChange[] {
    return this.#modes.changes;
  }

  get members(): readonly ClusterMember[] {
    const sinceBeatMs = this.#options.clock.monotonicMs() - (this.#lastBeatMonotonicMs ?? 0);
    const members = this.slots.members.map(({ instance, expiresAtMs }) => ({
      instance,
      heartbeatAgeMs: Math.max(0, Math.round(this.slots.storeTimeMs + sinceBeatMs - (expiresAtMs - this.ttlMs))),
    }));
    return members.length > 0 ? members : [{ instance: this.instance, heartbeatAgeMs: 0 }];
  }

  get clusterInFlight(): number | null {
    return this.state.mode === "shared" ? this.slots.totalSlots : null;
  }

  get views(): OtherViews {
    return this.#views.others;
  }

  get redis(): RedisState {
    return {
      isReachable: this.slots.isReachable && this.#connection.isReady,
      callP50Ms: this.#stats.quantile(0.5),
      callP99Ms: this.#stats.quantile(0.99),
      errorsPerMin: this.#stats.errorsPerMin,
      lastReconcileMs: this.#lastReconcileMs,
      evictionPolicy: this.#evictionPolicy,
    };
  }

  async start(host: ClusterHost): Promise<void> {
    this.#host = host;
    await this.#connected();
    const { promise, resolve } = pending();
    this.slots.start(
      {
        holdings: () => host.holdings(),
        retry: (pool) => host.retry(pool),
        onMode: (state) => {
          this.#modes.changed(state);
          host.onMode(state);
          this.#views.setActive(state.mode === "shared");
        },
      },
      resolve,
    );
    await promise;
  }

  async leave(): Promise<void> {
    this.#views.setActive(false);
    const { promise, resolve } = pending();
    this.slots.leave(resolve);
    await Promise.all([promise, this.budgets.close()]);
    this.#subscriber.close();
    this.#connection.close();
  }

  /** Once connected, or after the connect timeout. */
  #connected(): Promise<void> {
    const { promise, resolve } = pending();
    const { client } = this.#connection;
    if (this.#connection.isReady) resolve();
    const timer = this.#options.clock.setTimer(this.#options.settings.redis?.connectTimeoutMs ?? 0, resolve);
    client.once("ready", resolve);
    return promise.finally(() => {
      timer.cancel();
      client.off("ready", resolve);
    });
  }

  async #checkEviction(client: RedisClient): Promise<void> {
    try {
      this.#evictionPolicy = await evictionPolicy(client);
    } catch {
      return;
    }
    if (!mayEvict(this.#evictionPolicy)) return;
    this.#options.log("warn", "cluster.redis_may_evict", {
      policy: this.#evictionPolicy,
      advice: "set maxmemory-policy to noeviction: dropped counters lift limits until they are repaired",
    });
  }

  #called(call: SlotCall, result: string, latencyMs: number): void {
    const { clock, onSlotCall } = this.#options;
    if (result === "timeout" || result === "error" || result === "unanswered") this.#stats.failed();
    else this.#stats.answered(latencyMs);
    if (call === "heartbeat" && result === "done") {
      this.#lastBeatMonotonicMs = clock.monotonicMs();
      this.#lastReconcileMs = clock.wallMs();
    }
    onSlotCall?.(call, result, latencyMs);
  }

  #repaired(repair: { reclaimedSlots: number; ownDrift: number; totalDrift: number }): void {
    const { log, onRepair } = this.#options;
    log("info", repair.reclaimedSlots > 0 ? "cluster.slots_reclaimed" : "cluster.books_repaired", repair);
    onRepair?.(repair);
  }
}

function pending(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
