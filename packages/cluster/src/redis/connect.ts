/**
 * Makes Redis clients: one server, Sentinel, or Cluster. Rules every client keeps, because a slot call that runs late
 * is worse than one that fails: nothing is queued while disconnected, nothing is sent again after a reconnect, and
 * no automatic pipelining (it can send scripts to the wrong node, and was slower). Deadlines are the caller's.
 */
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from "ioredis";

/** Where Redis is: one server, Sentinel when there are addresses of it, or Cluster. */
export interface RedisSettings {
  /** `redis://` or `rediss://` address; with Cluster the first node to ask. */
  readonly url: string;
  readonly isCluster: boolean;
  /** Sentinel addresses; empty without Sentinel. */
  readonly sentinels: readonly { readonly host: string; readonly port: number }[];
  /** What the primary is called there; null for `mymaster`, which most installations call it. */
  readonly sentinelName: string | null;
  /** Longest wait for a connection, ms. */
  readonly connectTimeoutMs: number;
}

/** Either kind of client; both send what they are given at once or reject. */
export type RedisClient = Redis | Cluster;

/** Longest pause between two attempts to connect, ms: recovery within two seconds needs several tries a second. */
const RECONNECT_MAX_MS = 250;

/** What every connection is made with. A test pins these: each one guards against a fault. */
export function connectionOptions(settings: RedisSettings): RedisOptions {
  return {
    enableAutoPipelining: false,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: settings.connectTimeoutMs,
    // A connection that is given up may be one that swallows packets: do not wait for its farewell.
    disconnectTimeout: 50,
    keepAlive: 10_000,
    enableReadyCheck: true,
    retryStrategy: (attempt) => Math.min(attempt * 50, RECONNECT_MAX_MS),
    // After a failover the old primary refuses writes: connect anew, without sending the command again.
    reconnectOnError: (error) => error.message.startsWith("READONLY"),
  };
}

/** A connection that is kept up for ever, until it is closed. */
export class RedisConnection {
  readonly client: RedisClient;
  readonly #onError: (error: Error) => void;
  #isClosed = false;
  #hasReported = false;

  /**
   * Connects in the background. Never throws for lack of a server: commands reject until it is connected. `onError` is
   * told the first error of each stretch without a connection.
   */
  constructor(settings: RedisSettings, onError: (error: Error) => void) {
    this.#onError = onError;
    this.client = makeClient(settings);
    this.client.on("error", (error: Error) => this.#report(error));
    this.client.on("ready", () => {
      this.#hasReported = false;
    });
    // The client gives up for good when an attempt is interrupted at the wrong moment; this one does not.
    this.client.on("end", () => {
      if (!this.#isClosed) setTimeout(() => this.#connectAgain(), RECONNECT_MAX_MS).unref();
    });
  }

  /** Connected and ready for commands; any command before rejects at once. */
  get isReady(): boolean {
    return this.client.status === "ready";
  }

  /** Gives up a connection that is up but silent, for a new one. While there is none the client is trying already. */
  renew(): void {
    if (this.client.status === "ready" || this.client.status === "connect") this.client.disconnect(true);
  }

  /** Ends it at once; what it still waits for rejects. */
  close(): void {
    this.#isClosed = true;
    this.client.disconnect();
  }

  /** Unless it was closed or is connecting already. A failed attempt ends in `end` again, and so comes back here. */
  #connectAgain(): void {
    if (!this.#isClosed && this.client.status === "end") this.client.connect().catch(() => undefined);
  }

  /** The first error only: an outage has hundreds. */
  #report(error: Error): void {
    if (this.#hasReported) return;
    this.#hasReported = true;
    this.#onError(error);
  }
}

/** The client for the kind of installation the settings name; Cluster outranks Sentinel. */
function makeClient(settings: RedisSettings): RedisClient {
  const options = connectionOptions(settings);
  if (settings.isCluster) return new Cluster([settings.url], clusterOptions(settings, options));
  if (settings.sentinels.length > 0) {
    return new Redis({
      ...credentials(settings.url),
      ...options,
      sentinels: settings.sentinels.map(({ host, port }) => ({ host, port })),
      name: settings.sentinelName ?? "mymaster",
      sentinelRetryStrategy: (attempt) => Math.min(attempt * 50, RECONNECT_MAX_MS),
    });
  }
  return new Redis(settings.url, options);
}

/** The same rules for a cluster, whose nodes get user and password of the one address. */
function clusterOptions(settings: RedisSettings, redisOptions: RedisOptions): ClusterOptions {
  const url = new URL(settings.url);
  return {
    enableOfflineQueue: false,
    enableAutoPipelining: false,
    clusterRetryStrategy: (attempt) => Math.min(attempt * 50, RECONNECT_MAX_MS),
    slotsRefreshTimeout: settings.connectTimeoutMs,
    // After a failover the node that answers MOVED or is down must be replaced quickly.
    slotsRefreshInterval: 1000,
    maxRedirections: 4,
    redisOptions: {
      ...redisOptions,
      ...credentials(settings.url),
      ...(url.protocol === "rediss:" ? { tls: {} } : {}),
    },
  };
}

/** User, password and database of an address, without host and port. */
function credentials(address: string): RedisOptions {
  const url = new URL(address);
  const db = Number(url.pathname.slice(1));
  return {
    ...(url.username === "" ? {} : { username: decodeURIComponent(url.username) }),
    ...(url.password === "" ? {} : { password: decodeURIComponent(url.password) }),
    ...(Number.isInteger(db) && db > 0 ? { db } : {}),
  };
}
