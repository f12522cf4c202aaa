/** The management app on a real database, with a gateway around it that is quiet unless a test says otherwise. */
import { gzipSync } from "node:zlib";
import { VirtualClock } from "@obleth/clock";
import { type ApiClient, createClient } from "@obleth/contract/client";
import { makeSealer, secretHasher } from "@obleth/db";
import { createTestDatabase, type TestDatabase } from "@obleth/db/testing";
import { type EngineSnapshot, plainContext } from "@obleth/fairshare";
import { createManagementApp } from "../app";
import type { ManagementDeps } from "../deps";
import { emptyLive, NOW_MS } from "./empty-live";

export const ADMIN_TOKEN = "admin-token-for-tests";

export interface TestGateway {
  readonly database: TestDatabase;
  readonly clock: VirtualClock;
  readonly deps: ManagementDeps;
  /** As the admin token. */
  readonly api: ApiClient;
  readonly log: { readonly event: string; readonly fields: Readonly<Record<string, unknown>> }[];
  as(token: string | undefined): ApiClient;
  request(path: string, init?: RequestInit): Promise<Response>;
  /** What the scheduler shows from now on. */
  show(engine: EngineSnapshot): void;
  close(): Promise<void>;
}

export async function startTestGateway(options: { withPepper?: string } = {}): Promise<TestGateway> {
  const database = await createTestDatabase();
  const clock = new VirtualClock({ epochMs: NOW_MS });
  const log: TestGateway["log"] = [];
  let engine = emptyEngine();
  const note = (fields: Readonly<Record<string, unknown>>, event: string) => void log.push({ event, fields });
  const deps: ManagementDeps = {
    db: database.db,
    clock,
    log: { info: note, warn: note, error: note },
    sealer: makeSealer("a key for tests, long enough"),
    hashSecret: secretHasher(options.withPepper),
    build: { version: "0.0.0-test", commit: null },
    isDraining: () => false,
    settings: {
      adminToken: ADMIN_TOKEN,
      environmentLabel: "test",
      sessionTtlMs: 3_600_000,
      globalMaxInFlight: 4096,
      defaultModelMaxInFlight: 32,
      admissionTimeoutMs: 60_000,
      historyRetentionMs: 3_600_000,
      maxBodyBytes: 4_000_000,
    },
    ...liveParts({ clock, engine: () => engine }),
  };
  const app = createManagementApp(deps);
  const request = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has("authorization")) headers.set("authorization", `Bearer ${ADMIN_TOKEN}`);
    return app.request(path, { ...init, headers });
  };
  const as = (token: string | undefined) =>
    createClient({
      baseUrl: "http://gateway",
      fetch: async (url, init) => app.request(String(url), init),
      ...(token === undefined ? {} : { token }),
    });
  return {
    database,
    clock,
    deps,
    log,
    api: as(ADMIN_TOKEN),
    as,
    request,
    show: (next) => {
      engine = next;
    },
    close: () => database.drop(),
  };
}

type LiveParts = Omit<
  ManagementDeps,
  "db" | "clock" | "log" | "sealer" | "hashSecret" | "build" | "isDraining" | "settings"
>;

function liveParts({ clock, engine }: { clock: VirtualClock; engine: () => EngineSnapshot }): LiveParts {
  const state = () => emptyLive(clock.wallMs());
  const json = () => new TextEncoder().encode(JSON.stringify(state()));
  return {
    live: () => ({ state: state(), etag: '"state-1"', json, gzip: () => Uint8Array.from(gzipSync(json())) }),
    history: () => ({
      instance: "test",
      started_ts_ms: NOW_MS,
      interval_ms: 2000,
      retention_ms: 3_600_000,
      oldest_ts_ms: null,
      points: [],
    }),
    picture: () => ({ tsMs: clock.wallMs(), configVersion: 1, engine: engine(), explainContext: () => plainContext() }),
    cluster: async () => ({
      ts_ms: clock.wallMs(),
      instance: "test",
      version: "0.0.0-test",
      mode: "local",
      mode_since_ts_ms: NOW_MS,
      shared_slots: false,
      replica_aware: true,
      replicas: [],
      redis: null,
      postgres: { reachable: true, embedded: false, version: null, call_ms: null },
      config_version: 1,
      mode_changes: [],
    }),
    clusterSettings: async () => ({ settings: [] }),
    capacityOf: () => ({
      size: 32,
      state: "default",
      reason: null,
      ready_replicas: null,
      read_ts_ms: null,
      changed_ts_ms: null,
    }),
    capacityDiscovery: () => ({ interval_ms: 15_000, instance: "test", models: [] }),
    endpointHealth: () => ({ state: "unknown", checked_at: null, message: null }),
    checkEndpoint: async () => ({
      ok: true,
      status: 200,
      duration_ms: 1,
      message: "It answers.",
      health: { state: "healthy", checked_at: new Date(clock.wallMs()).toISOString(), message: null },
    }),
    discoverModels: async () => ["llama-70b", "qwen"],
    budgetState: async () => ({ used_tokens: 0, used_cost_usd: 0, reserved_tokens: 0, resets_ts_ms: null }),
  };
}

export function emptyEngine(): EngineSnapshot {
  return {
    algorithm: "hierarchical",
    ceiling: 4096,
    configuredCeiling: 4096,
    isCeilingReached: false,
    inFlight: 0,
    queued: 0,
    held: 0,
    borrowed: 0,
    pools: [],
  };
}
