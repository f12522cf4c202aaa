/** What the request path reads of the configuration: plain, frozen records made from database rows. */
import type { GroupPolicy, KeyId, KeyPolicy, TenantId } from "@obleth/fairshare";

export interface WeeklyWindow {
  /** 0 is Sunday. */
  readonly day: number;
  /** Minutes after midnight in the tenant's timezone; the end is exclusive, up to 1440. */
  readonly startMin: number;
  readonly endMin: number;
}

/** A term budget; both caps null means none. */
export interface TermBudget {
  readonly tokens: number | null;
  readonly costUsd: number | null;
  readonly period: "monthly" | "term" | "lifetime";
  readonly startedAtMs: number | null;
}

/** A boost in force; `model` null means every pool. */
export interface BoostRecord {
  readonly id: string;
  readonly model: string | null;
  /** What the tenant's weight is multiplied by, 0.1 to 100 (a boost given as a weight is turned into a factor). */
  readonly factor: number;
  readonly expiresAtMs: number;
  /** Set when it was given as a weight. */
  readonly weight: number | null;
  readonly reason: string;
  readonly createdBy: string;
}

/** A group as the live state names it. */
export interface GroupRecord {
  /** The row's id; everything else knows a group by its name. */
  readonly id: string;
  readonly name: string;
  readonly weight: number;
  /** Index into the page's palette. */
  readonly color: number;
}

/** What a tenant competes with: its part of a policy, and its name. */
export interface TenantStanding {
  readonly id: TenantId;
  readonly name: string;
  readonly group: GroupPolicy;
  readonly weight: number;
  readonly maxInFlight: number | null;
  /** By canonical model name; a null cap means no cap there. */
  readonly modelCaps: ReadonlyMap<string, number | null>;
  readonly boosts: readonly BoostRecord[];
}

export interface TenantRecord extends TenantStanding {
  readonly status: "active" | "suspended";
  readonly timezone: string;
  readonly activeFromMs: number | null;
  readonly activeUntilMs: number | null;
  readonly weeklyWindows: readonly WeeklyWindow[];
  /** Canonical model names; null allows all. */
  readonly allowedModels: ReadonlySet<string> | null;
  readonly tokensPerMinute: number | null;
  readonly budget: TermBudget | null;
}

/** What a key competes with: its part of a policy, whose it is, and its name. */
export interface KeyStanding {
  readonly policy: KeyPolicy;
  readonly tenantId: TenantId;
  readonly name: string;
}

export interface KeyRecord {
  readonly policy: KeyPolicy;
  readonly name: string;
  readonly disabled: boolean;
  readonly expiresAtMs: number | null;
  readonly budget: TermBudget | null;
  readonly tenant: TenantRecord;
}

export interface EndpointRecord {
  readonly id: string;
  readonly name: string;
  /** Up to and including `/v1`, without a trailing slash. */
  readonly apiBase: string;
  readonly protocol: "openai" | "anthropic";
  /** The name the upstream knows the model by; null: the model's own name. */
  readonly upstreamModel: string | null;
  /** Decrypted credential; never logged. */
  readonly apiKey: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly weight: number;
  readonly priority: number;
  readonly maxInFlight: number | null;
  readonly enabled: boolean;
}

/** Where a discovered pool takes its size from. */
export interface DiscoveryRecord {
  readonly source: "endpoints" | "kubernetes" | "dns";
  /** Slots of one replica or endpoint; null where each endpoint has a cap of its own. */
  readonly perReplicaMaxInFlight: number | null;
  /** Above 0, at most 10. */
  readonly headroom: number;
  readonly kubernetes: { readonly namespace: string; readonly service: string; readonly port?: number | string } | null;
  readonly dns: { readonly name: string; readonly type: "A" | "SRV" } | null;
}

export interface ModelRecord {
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly type: string;
  readonly enabled: boolean;
  readonly maxInFlight: number | null;
  readonly admissionWeight: number;
  readonly endpointSelection: "failover" | "load_balance" | "session_hash";
  readonly requestTimeoutSecs: number | null;
  readonly maxRetries: number;
  readonly retryBackoffMs: number;
  readonly inputCostPerToken: number | null;
  readonly outputCostPerToken: number | null;
  readonly tokenizer: string | null;
  readonly queueWithoutServers: boolean;
  readonly sessionAffinity: {
    readonly enabled?: boolean;
    readonly holdMs?: number;
    readonly maxHeldPercent?: number;
    readonly maxBypassSecs?: number;
  };
  /** Only of a model in the discovered capacity mode. */
  readonly discovery?: DiscoveryRecord;
  /** Enabled or not, in the order of priority, then name. */
  readonly endpoints: readonly EndpointRecord[];
}

/** Finds who a secret belongs to. A hit answers at once; a miss reads the database once, however many wait for it. */
export interface KeyDirectory {
  /** undefined: no such key. Rejects only when the database cannot be asked and nothing is cached. */
  find(secret: string): KeyRecord | undefined | Promise<KeyRecord | undefined>;
}

/** Every registered model, held in memory and kept fresh by change notices. */
export interface ModelDirectory {
  /** By name or alias. */
  find(name: string): ModelRecord | undefined;
  /** Sorted by name. */
  list(): readonly ModelRecord[];
}

/** Names and standing of whoever appears in the live state. Answers at once, from memory. */
export interface NameDirectory {
  tenant(id: TenantId): TenantStanding | undefined;
  group(name: string): GroupRecord | undefined;
  /** undefined for a key that is gone or whose name is still being read. */
  keyName(id: KeyId): string | undefined;
}

/** Reads configuration rows as these records. Each call is one round trip and may reject when the database is away. */
export interface PolicySource {
  /** By the hash that `secretHash` gives; a rotated key's previous secret counts during its overlap. */
  loadKeyByHash(hash: string): Promise<KeyRecord | undefined>;
  /** Those of the ids that exist, in any order. */
  loadKeys(ids: readonly KeyId[]): Promise<readonly KeyStanding[]>;
  /** Those of the ids that exist, or all. */
  loadTenants(ids?: readonly TenantId[]): Promise<readonly TenantStanding[]>;
  loadGroups(): Promise<readonly GroupRecord[]>;
  /** Sorted by name, disabled ones too. */
  loadModels(): Promise<readonly ModelRecord[]>;
}
