/** The configuration's rows as records of this folder. The one place that knows both shapes. */
import {
  type BoostRow,
  type Db,
  findKeyPolicy,
  type KeyPolicyRow,
  type LoadedModel,
  loadGroupStandings,
  loadKeyStandings,
  loadModels,
  loadTenantStandings,
  readTogether,
  type Sealer,
  type SealPurpose,
  type TenantStandingRow,
  touchPreviousSecret,
} from "@obleth/db";
import { type GroupPolicy, groupId, keyId, tenantId } from "@obleth/fairshare";
import type {
  BoostRecord,
  DiscoveryRecord,
  EndpointRecord,
  KeyRecord,
  ModelRecord,
  PolicySource,
  TenantStanding,
} from "./records";

export interface PolicySourceOptions {
  readonly db: Db;
  readonly wallMs: () => number;
  readonly sealer: Pick<Sealer, "open">;
  /** An endpoint's credential cannot be opened; it is then sent without. */
  readonly onUnsealable: (endpoint: string, error: unknown) => void;
}

export function databasePolicySource(options: PolicySourceOptions): PolicySource {
  const { db, wallMs } = options;
  return {
    loadKeyByHash: async (secretHash) => {
      const nowMs = wallMs();
      const row = await findKeyPolicy(db, { secretHash, nowMs });
      if (row === undefined) return undefined;
      // A note for whoever ends the overlap; a key works without it.
      if (row.key.isPreviousSecret) await touchPreviousSecret(db, { keyId: row.key.id, nowMs }).catch(() => {});
      return keyRecord(row);
    },
    loadKeys: async (ids) =>
      (await loadKeyStandings(db, ids)).map((row) => ({
        policy: { id: keyId(row.id), weight: row.weight, maxInFlight: row.maxInFlight },
        tenantId: tenantId(row.tenantId),
        name: row.name,
      })),
    loadTenants: async (ids) => {
      const rows = await loadTenantStandings(db, { nowMs: wallMs(), ...(ids === undefined ? {} : { ids }) });
      return rows.map(tenantStanding);
    },
    loadGroups: () => loadGroupStandings(db),
    loadModels: async () => (await readTogether(db, loadModels)).map((loaded) => modelRecord(loaded, options)),
  };
}

function keyRecord(row: KeyPolicyRow): KeyRecord {
  const { key, tenant, group } = row;
  return {
    policy: { id: keyId(key.id), weight: key.weight, maxInFlight: key.maxInFlight },
    name: key.name,
    disabled: key.disabled,
    expiresAtMs: earlier(key.expiresAtMs, key.previousSecretExpiresAtMs),
    budget: key.budget,
    tenant: {
      ...standingOf(tenant, { id: groupId(group.name), weight: group.weight }),
      status: tenant.status,
      timezone: tenant.timezone,
      activeFromMs: tenant.activeFromMs,
      activeUntilMs: tenant.activeUntilMs,
      weeklyWindows: tenant.weeklyWindows.map(({ day, start_min: startMin, end_min: endMin }) => ({
        day,
        startMin,
        endMin,
      })),
      allowedModels: tenant.allowedModels === null ? null : new Set(tenant.allowedModels),
      tokensPerMinute: tenant.tokensPerMinute,
      budget: tenant.budget,
    },
  };
}

function tenantStanding(row: TenantStandingRow): TenantStanding {
  return standingOf(row, { id: groupId(row.groupName), weight: row.groupWeight });
}

function standingOf(
  row: Pick<TenantStandingRow, "id" | "name" | "weight" | "maxInFlight" | "modelCaps" | "boosts">,
  group: GroupPolicy,
): TenantStanding {
  return {
    id: tenantId(row.id),
    name: row.name,
    group,
    weight: row.weight,
    maxInFlight: row.maxInFlight,
    modelCaps: new Map(row.modelCaps.map((cap) => [cap.model, cap.maxInFlight])),
    boosts: row.boosts.map(boostRecord),
  };
}

function boostRecord(row: BoostRow): BoostRecord {
  const { id, model, factor, expiresAtMs, weight, reason, createdBy } = row;
  return { id, model, factor, expiresAtMs, weight, reason, createdBy };
}

function modelRecord({ model, aliases, endpoints }: LoadedModel, options: PolicySourceOptions): ModelRecord {
  const affinity = model.sessionAffinity;
  return {
    id: model.id,
    name: model.name,
    aliases,
    type: model.type,
    enabled: model.enabled,
    maxInFlight: model.maxInFlight,
    admissionWeight: model.admissionWeight,
    endpointSelection: model.endpointSelection,
    requestTimeoutSecs: model.requestTimeoutSecs,
    maxRetries: model.maxRetries,
    retryBackoffMs: model.retryBackoffMs,
    inputCostPerToken: model.inputCostPerToken,
    outputCostPerToken: model.outputCostPerToken,
    tokenizer: model.tokenizer,
    queueWithoutServers: model.queueWithoutServers,
    sessionAffinity: {
      ...(affinity.enabled === undefined ? {} : { enabled: affinity.enabled }),
      ...(affinity.hold_ms === undefined ? {} : { holdMs: affinity.hold_ms }),
      ...(affinity.max_held_percent === undefined ? {} : { maxHeldPercent: affinity.max_held_percent }),
      ...(affinity.max_bypass_secs === undefined ? {} : { maxBypassSecs: affinity.max_bypass_secs }),
    },
    ...(model.capacityMode === "discovered" ? { discovery: discoveryRecord(model) } : {}),
    endpoints: endpoints.map((row) => endpointRecord(row, `${model.name}/${row.name}`, options)),
  };
}

function discoveryRecord(model: LoadedModel["model"]): DiscoveryRecord {
  const { kubernetes } = model;
  return {
    source: model.capacitySource,
    perReplicaMaxInFlight: model.perReplicaMaxInFlight,
    headroom: model.capacityHeadroom,
    kubernetes:
      kubernetes === null
        ? null
        : {
            namespace: kubernetes.namespace,
            service: kubernetes.service,
            ...(kubernetes.port === undefined ? {} : { port: kubernetes.port }),
          },
    dns: model.dns,
  };
}

function endpointRecord(
  row: LoadedModel["endpoints"][number],
  label: string,
  options: PolicySourceOptions,
): EndpointRecord {
  const open = (sealed: string, purpose: SealPurpose): string | null => {
    try {
      return options.sealer.open(sealed, purpose);
    } catch (error) {
      options.onUnsealable(label, error);
      return null;
    }
  };
  const headers = row.headersSealed.flatMap(([name, sealed]): [string, string][] => {
    const value = open(sealed, "endpoint_header");
    return value === null ? [] : [[name, value]];
  });
  return {
    id: row.id,
    name: row.name,
    apiBase: row.apiBase.replace(/\/+$/, ""),
    protocol: row.protocol,
    upstreamModel: row.upstreamModel,
    apiKey: row.apiKeySealed === null ? null : open(row.apiKeySealed, "endpoint_key"),
    headers: Object.fromEntries(headers),
    weight: row.weight,
    priority: row.priority,
    maxInFlight: row.maxInFlight,
    enabled: row.enabled,
  };
}

function earlier(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
