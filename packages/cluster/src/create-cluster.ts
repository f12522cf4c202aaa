/**
 * Makes the object of `cluster.ts` and wires it up: connections, scripts, slots, budgets, views, who lives. Without a
 * Redis it is the same object for one replica alone. Decides nothing itself: modes are the business of
 * `slots/shared-slots.ts`.
 */
import type { Clock } from "@obleth/clock";
import { MemoryBudgets } from "./budgets/memory-budgets";
import { RedisBudgets } from "./budgets/redis-budgets";
import type { BudgetBooks } from "./budgets/token-budget";
import type { Cluster, ClusterHost, ClusterMember, ClusterOptions, ModeChange, RedisState } from "./cluster";
import { heartbeatTimes, type ModeState } from "./membership/mode";
import { CallStats } from "./redis/call-stats";
import { type RedisClient, RedisConnection, type RedisSettings } from "./redis/connect";
import { evictionPolicy, mayEvict } from "./redis/eviction";
import { makeKeys } from "./redis/keys";
import { RedisScripts } from "./redis/scripts";
import { AloneSlots } from "./slots/alone-slots";
import type { SlotCall } from "./slots/cluster-slots";
import { RedisSlots } from "./slots/redis-slots";
import { listenForReleased } from "./slots/released-channel";
import { SharedSlots } from "./slots/shared-slots";
import { RedisViews } from "./views/redis-views";
import type { OtherViews } from "./views/view-store";

/** Mode changes kept for the cluster page. */
const CHANGES_KEPT = 50;

/** A cluster object; nothing is connected before `start`, except that budgets may be used at once. */
export function createCluster(options: ClusterOptions): Cluster {
  return options.settings.redis === null ? new Alone(options) : new RedisCluster(options, options.settings.redis);
}

/** Remembers the latest mode changes; repeated news of the mode in force is none. */
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

/** One gateway without a Redis: always `local`, its budgets in this process, nobody else to be seen. */
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

/**
 * One gateway among others. Two connections, as one that subscribes can send nothing else; both are kept up by
 * themselves. Owns all it makes and closes it in `leave`.
 */
class RedisCluster implements Cluster {
  readonly instance: string;
  readonly slots: SharedSlots;
  readonly budgets: RedisBudgets;
  readonly heartbeatMs: number;
  readonly ttlMs: number;
  readonly #options: ClusterOptions;
  readonly #connection: RedisConnection;
  /** For announcements alone. */
  readonly #subscriber: RedisConnection;
  readonly #stats: CallStats;
  readonly #modes: Modes;
  readonly #views: RedisViews;
  #host: ClusterHost | undefined;
  /** When the last heartbeat was answered, on both clocks: one for ages, one to be shown. */
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

  /** Ages by the books' clock as of the last heartbeat, and by this gateway's own from there. */
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

  /** Asked at each connection, as a failover may lead to a server with other settings. Silence is no reason to warn. */
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

  /** Books a slot call in the statistics before it is told to whoever counts calls. */
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

  /** Logged with what was found: each repair is a fault somewhere, a gateway that died or an answer that was lost. */
  #repaired(repair: { reclaimedSlots: number; ownDrift: number; totalDrift: number }): void {
    const { log, onRepair } = this.#options;
    log("info", repair.reclaimedSlots > 0 ? "cluster.slots_reclaimed" : "cluster.books_repaired", repair);
    onRepair?.(repair);
  }
}

/** A promise and what resolves it, for calls that answer by callback. */
function pending(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
