/**
 * What an explanation needs to know that the engine does not: the fleet, the model's servers, names, caps before they
 * were split, boosts and session affinity. The caller gathers it; nothing here is looked up.
 */
import type { KeyId, TenantId } from "./ids";

/** Who enforces the limits: see the cluster's modes. */
export type LimitMode = "local" | "shared" | "fallback" | "split";

/** Why a model has nowhere to send a request. */
export type NoServersCause = "no_base_url" | "no_enabled_endpoint" | "no_ready_replica";

/** A gateway that missed its heartbeat and still has slots of this pool on its books. */
export interface SilentReplica {
  readonly instance: string;
  /** Slots of this pool it still holds, at least 1. */
  readonly slots: number;
  /** Since its last heartbeat, ms. */
  readonly ageMs: number;
  /** Until its slots come back, ms from 0. */
  readonly leftMs: number;
}

/** A temporary weight in force. */
export interface BoostFacts {
  /** What the weight is multiplied by. */
  readonly factor: number;
  /** Milliseconds of the Unix epoch. */
  readonly expiresTsMs: number;
}

/** How session affinity treats a tenant's waiting requests in this pool. */
export interface AffinityFacts {
  /** Wait after which nothing passes a request, ms. */
  readonly maxBypassMs: number;
  /** Times a waiting request may be passed by later ones of its key. */
  readonly maxJumps: number;
}

/**
 * What an explanation needs beside the engine's snapshot. All facts are of one pool and of the snapshot's moment.
 * Functions answer for the tenants and keys of that pool.
 */
export interface ExplainContext {
  readonly mode: LimitMode;
  /** Wall time of the last mode change; null when it never changed. */
  readonly modeSinceTsMs: number | null;
  /** Live gateways, at least 1. */
  readonly replicas: number;
  /** Slots of the pool in use on all gateways; null when the snapshot already counts all that can be known. */
  readonly fleetInUse: number | null;
  /** The counts cover fewer gateways than there are. */
  readonly isPartialView: boolean;
  /** Null when the model can serve. */
  readonly noServersCause: NoServersCause | null;
  /** New requests wait for servers instead of being refused. */
  readonly queueWithoutServers: boolean;
  /** Wait after which a request is refused, ms. */
  readonly admissionTimeoutMs: number;
  /** Refusals of the explained tenant in the last hour, with the commonest cause in plain words; null for none. */
  readonly refused: { readonly requests: number; readonly cause: string } | null;
  /** One of those that are silent, if several are; null when every gateway that holds slots here answers. */
  readonly silentReplica: SilentReplica | null;
  /** Claims of the tenant's first request refused in a row while other gateways got in. */
  lostClaims(tenantId: TenantId): number;
  /** For sentences; the id where there is no name. */
  tenantName(tenantId: TenantId): string;
  keyName(keyId: KeyId): string;
  /** Whose cap is in force for the tenant in this pool. */
  capSource(tenantId: TenantId): "tenant" | "model";
  /** The cap before it was split over gateways; null for none. */
  configuredCap(tenantId: TenantId): number | null;
  /** The boost in force for the tenant in this pool; null for none. */
  boost(tenantId: TenantId): BoostFacts | null;
  /** Null when affinity is off in this pool. */
  affinity(tenantId: TenantId): AffinityFacts | null;
}

/** The context of one gateway with nothing special going on; callers replace what they know. Names are the ids. */
export function plainContext(known: Partial<ExplainContext> = {}): ExplainContext {
  return {
    mode: "local",
    modeSinceTsMs: null,
    replicas: 1,
    fleetInUse: null,
    isPartialView: false,
    noServersCause: null,
    queueWithoutServers: false,
    admissionTimeoutMs: 60_000,
    refused: null,
    silentReplica: null,
    lostClaims: () => 0,
    tenantName: (id) => id,
    keyName: (id) => id,
    capSource: () => "tenant",
    configuredCap: () => null,
    boost: () => null,
    affinity: () => null,
    ...known,
  };
}
