/**
 * A gateway for tests: the real request path and the real scheduler behind a real HTTP server on a port of its own, with
 * keys, models and budgets in memory.
 */
import { createServer, type Server } from "node:http";
import { SystemClock } from "@obleth/clock";
import type { TokenBudgets } from "@obleth/cluster";
import { groupId, type PoolId, poolId, tenantId, UNROUTED } from "@obleth/fairshare";
import type { EndpointRecord, KeyDirectory, KeyRecord, ModelRecord, TenantRecord } from "../../policy-cache/records";
import { sampleEndpoint, sampleKey, sampleModel, sampleTenant } from "../../policy-cache/testing/record-samples";
import { Scheduler } from "../../scheduler/scheduler";
import type { SlotClaims } from "../../scheduler/slot-claims";
import type { AttemptOutcome } from "../../upstream/upstream-events";
import type { UsageRecord } from "../../usage/usage-record";
import type { ProxyLog, ProxySettings } from "../proxy-deps";
import { createProxyListener, PROXY_SERVER_OPTIONS, type ProxyListener } from "../proxy-listener";
import type { RequestTracing } from "../tracing/request-trace";

export const SECRET = "sk_0123456789abcdef0123456789abcdef0123456789abcdef";

export function tenant(over: Partial<TenantRecord> = {}): TenantRecord {
  const group = { id: groupId("default"), weight: 100 };
  return sampleTenant({ id: tenantId("t1"), name: "tenant one", group, weight: 100, ...over });
}

export function key(over: Partial<KeyRecord> = {}): KeyRecord {
  return sampleKey({ id: "k1", name: "key one", tenant: tenant(), ...over });
}

export function endpoint(apiBase: string, over: Partial<EndpointRecord> = {}): EndpointRecord {
  return sampleEndpoint({ id: `e-${apiBase}`, name: "endpoint", apiBase, ...over });
}

export function model(endpoints: readonly EndpointRecord[], over: Partial<ModelRecord> = {}): ModelRecord {
  return sampleModel({ id: "m1", name: "m", retryBackoffMs: 1, endpoints, ...over });
}

export const SETTINGS: ProxySettings = {
  maxBodyBytes: 1024 * 1024,
  bodyMemoryBytes: 512 * 1024 * 1024,
  corsOrigins: [],
  upstreamBaseUrl: null,
  upstreamApiKey: null,
  clientStallMs: 60_000,
  connectTimeoutMs: 5_000,
  firstByteTimeoutMs: 300_000,
  idleTimeoutMs: 120_000,
  blockPrivateNetworks: false,
  healthCheckMs: 0,
  failOpen: true,
  deriveSessionIds: true,
  sessionSecret: "test secret",
  replica: "r1",
};

/** Budgets that never run out. */
export const NO_BUDGETS: TokenBudgets = {
  check: () => Promise.resolve({ kind: "ok" }),
  reserve: () => Promise.resolve({ kind: "ok" }),
  settle: () => Promise.resolve(),
};

export interface LogLine {
  readonly level: string;
  readonly fields: object;
  readonly event: string;
}

export interface RigOptions {
  readonly models?: readonly ModelRecord[];
  readonly keys?: ReadonlyMap<string, KeyRecord>;
  readonly keyDirectory?: KeyDirectory;
  readonly settings?: Partial<ProxySettings>;
  readonly budgets?: TokenBudgets;
  readonly admissionTimeoutMs?: number;
  readonly slots?: SlotClaims;
  readonly tracing?: RequestTracing;
  readonly otherPaths?: Parameters<typeof createProxyListener>[0]["otherPaths"];
}

export class Rig {
  readonly records: UsageRecord[] = [];
  readonly lines: LogLine[] = [];
  readonly attempts: AttemptOutcome[] = [];
  readonly faults: unknown[] = [];
  models: readonly ModelRecord[];
  keys: ReadonlyMap<string, KeyRecord>;
  readonly scheduler: Scheduler;
  readonly listener: ProxyListener;
  readonly server: Server;
  readonly #clock = new SystemClock();

  constructor(options: RigOptions) {
    this.models = options.models ?? [];
    this.keys = options.keys ?? new Map([[SECRET, key()]]);
    this.scheduler = new Scheduler({
      engine: {},
      clock: this.#clock,
      timeoutMs: options.admissionTimeoutMs ?? 60_000,
      ...(options.slots === undefined ? {} : { slots: options.slots }),
      onFault: (error) => this.faults.push(error),
    });
    this.#sizePools();
    this.listener = createProxyListener({
      keys: options.keyDirectory ?? { find: (secret) => this.keys.get(secret) },
      models: {
        find: (name) => this.models.find((record) => record.name === name || record.aliases.includes(name)),
        list: () => [...this.models].sort((a, b) => (a.name < b.name ? -1 : 1)),
      },
      admission: this.scheduler,
      budgets: options.budgets ?? NO_BUDGETS,
      usage: { record: (usage) => void this.records.push(usage) },
      clock: this.#clock,
      settings: { ...SETTINGS, ...options.settings },
      log: this.#log(),
      events: {
        requestFinished: () => {},
        budgetsUnavailable: () => {},
        attemptFinished: (_endpoint, outcome) => void this.attempts.push(outcome),
        endpointHealthChanged: () => {},
      },
      tracing: options.tracing ?? null,
      random: () => 0.5,
      ...(options.otherPaths === undefined ? {} : { otherPaths: options.otherPaths }),
    });
    this.server = createServer(PROXY_SERVER_OPTIONS);
    this.listener.attachTo(this.server);
  }

  static async start(options: RigOptions): Promise<Rig> {
    const rig = new Rig(options);
    await new Promise<void>((resolve) => rig.server.listen(0, "127.0.0.1", resolve));
    return rig;
  }

  get port(): number {
    const address = this.server.address();
    return address !== null && typeof address === "object" ? address.port : 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** A POST with a JSON body and the test key. */
  post(
    path: string,
    body: unknown,
    init: { headers?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${SECRET}`, "content-type": "application/json", ...init.headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...(init.signal === undefined ? {} : { signal: init.signal }),
    });
  }

  chat(over: object = {}, init: { headers?: Record<string, string>; signal?: AbortSignal } = {}): Promise<Response> {
    const body = { model: "m", messages: [{ role: "user", content: "hello" }], ...over };
    return this.post("/v1/chat/completions", body, init);
  }

  /** Slots in use according to the scheduler. */
  get inFlight(): number {
    return this.scheduler.inFlight;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.listener.close();
    this.scheduler.shutdown();
  }

  #sizePools(): void {
    for (const { name, maxInFlight } of this.models) this.#sizePool(poolId(name), maxInFlight ?? 32);
    this.#sizePool(UNROUTED, 8);
  }

  #sizePool(pool: PoolId, size: number): void {
    this.scheduler.setPool({
      kind: "pool_changed",
      pool,
      size,
      admissionWeight: 100,
      affinity: null,
      routed: true,
      hasServers: true,
      queueWithoutServers: false,
    });
  }

  #log(): ProxyLog {
    const at = (level: string) => (fields: object, event: string) => void this.lines.push({ level, fields, event });
    return { info: at("info"), warn: at("warn"), error: at("error"), isLevelEnabled: () => true };
  }
}

/**
 * What "at once" may take in a test, ms. On a quiet machine it is 250 ms for a stream and 20 ms for the queue; tests run
 * beside each other.
 */
export const SOON_MS = 1000;

/** Waits until a condition holds; fails after `limitMs`. */
export async function until(holds: () => boolean, limitMs = 10_000): Promise<number> {
  const start = performance.now();
  while (!holds()) {
    if (performance.now() - start > limitMs) throw new Error("the condition did not come true in time");
    await new Promise<void>((resolve) => setTimeout(resolve, 2));
  }
  return performance.now() - start;
}
