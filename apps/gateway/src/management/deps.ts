/**
 * All that the management API needs of the rest of the gateway, as narrow functions. The composition root builds it;
 * tests hand in small real ones. Optional members are facts that an arrangement may not have.
 */
import type { Clock } from "@obleth/clock";
import type {
  BudgetState,
  CapacityDiscovery,
  CapacityStatus,
  Cluster,
  ClusterSettings,
  EndpointCheck,
  EndpointHealth,
  FairshareHistory,
  FairshareLive,
  HistoryQuery,
  LiveQuery,
} from "@obleth/contract";
import type { Db, Sealer } from "@obleth/db";
import type { EngineSnapshot, ExplainContext, PoolId } from "@obleth/fairshare";

export interface ManagementDeps {
  readonly db: Db;
  readonly settings: ManagementSettings;
  readonly clock: Clock;
  readonly log: ManagementLog;
  readonly sealer: Sealer;
  /** Hash under which a client secret is stored. */
  readonly hashSecret: (secret: string) => string;
  readonly build: { readonly version: string; readonly commit: string | null };
  /** True from the moment the gateway stops accepting. */
  readonly isDraining: () => boolean;

  /** The live state; made once per state, whoever asks. */
  readonly live: (query: LiveQuery) => LiveAnswer;
  /** Unknown models give zeros. */
  readonly history: (query: HistoryQuery) => FairshareHistory;
  /** The same state as the engine's own picture, for previews and explanations. */
  readonly picture: () => FairsharePicture;
  readonly cluster: () => Promise<Cluster>;
  readonly clusterSettings: () => Promise<ClusterSettings>;

  /** Size of a model's pool and why. */
  readonly capacityOf: (modelName: string) => CapacityStatus;
  readonly capacityDiscovery: () => CapacityDiscovery;
  readonly endpointHealth: (endpointId: string) => EndpointHealth;
  /** Asks the upstream of an endpoint now; never rejects for a fault of the upstream. */
  readonly checkEndpoint: (endpointId: string) => Promise<EndpointCheck>;
  /** Names of the models a provider serves; rejects with an Error whose message may be shown. */
  readonly discoverModels: (provider: Provider) => Promise<readonly string[]>;
  /** What a tenant's or key's term has used; null when the counters cannot be read. */
  readonly budgetState: (account: BudgetAccount) => Promise<BudgetState | null>;
}

export interface Provider {
  readonly apiBase: string;
  readonly apiKey: string | null;
  readonly protocol: "openai" | "anthropic";
}

export interface BudgetAccount {
  readonly owner: "tenant" | "key";
  readonly id: string;
  readonly period: "monthly" | "term" | "lifetime";
  readonly startedAtMs: number;
  readonly timezone: string;
}

export interface ManagementSettings {
  /** The automation token; undefined: only sessions. */
  readonly adminToken: string | undefined;
  readonly environmentLabel: string | undefined;
  /** How long a sign-in lasts. */
  readonly sessionTtlMs: number;
  readonly globalMaxInFlight: number;
  readonly defaultModelMaxInFlight: number;
  readonly admissionTimeoutMs: number;
  readonly historyRetentionMs: number;
  /** Most bytes of a request body. */
  readonly maxBodyBytes: number;
}

export interface LiveAnswer {
  readonly state: FairshareLive;
  /** Strong, in quotes, over everything but `ts_ms` and `state_age_ms`. */
  readonly etag: string;
  /** The state as JSON; serialised once. */
  readonly json: () => Uint8Array<ArrayBuffer>;
  /** The same, compressed once. */
  readonly gzip: () => Uint8Array<ArrayBuffer>;
}

/** One moment of the scheduler, merged over the replicas that report. */
export interface FairsharePicture {
  readonly tsMs: number;
  readonly configVersion: number;
  readonly engine: EngineSnapshot;
  /** What an explanation needs beside the snapshot; see the engine package's `ExplainContext`. */
  readonly explainContext: (pool: PoolId) => ExplainContext;
}

export interface ManagementLog {
  info(fields: Readonly<Record<string, unknown>>, event: string): void;
  warn(fields: Readonly<Record<string, unknown>>, event: string): void;
  error(fields: Readonly<Record<string, unknown>>, event: string): void;
}
