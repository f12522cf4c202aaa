/** Small records for tests of this folder and of what is built on it: one of each, changed where a test needs it. */
import { groupId, keyId, tenantId } from "@obleth/fairshare";
import type { EndpointRecord, KeyRecord, ModelRecord, TenantRecord } from "../records";

export function sampleTenant(known: Partial<TenantRecord> & { id?: TenantRecord["id"] } = {}): TenantRecord {
  return {
    id: tenantId("tenant-1"),
    name: "chatbot",
    group: { id: groupId("chat"), weight: 500 },
    weight: 500,
    maxInFlight: null,
    modelCaps: new Map(),
    boosts: [],
    status: "active",
    timezone: "UTC",
    activeFromMs: null,
    activeUntilMs: null,
    weeklyWindows: [],
    allowedModels: null,
    tokensPerMinute: null,
    budget: null,
    ...known,
  };
}

export function sampleKey(known: Partial<KeyRecord> & { id?: string } = {}): KeyRecord {
  const { id, ...rest } = known;
  return {
    policy: { id: keyId(id ?? "key-1"), weight: 100, maxInFlight: null },
    name: "main",
    disabled: false,
    expiresAtMs: null,
    budget: null,
    tenant: sampleTenant(),
    ...rest,
  };
}

export function sampleEndpoint(known: Partial<EndpointRecord> = {}): EndpointRecord {
  return {
    id: "endpoint-1",
    name: "first",
    apiBase: "http://127.0.0.1:9400/v1",
    protocol: "openai",
    upstreamModel: null,
    apiKey: null,
    headers: {},
    weight: 1,
    priority: 0,
    maxInFlight: null,
    enabled: true,
    ...known,
  };
}

export function sampleModel(known: Partial<ModelRecord> = {}): ModelRecord {
  return {
    id: "model-1",
    name: "sim-chat",
    aliases: [],
    type: "chat",
    enabled: true,
    maxInFlight: 8,
    admissionWeight: 100,
    endpointSelection: "failover",
    requestTimeoutSecs: null,
    maxRetries: 0,
    retryBackoffMs: 250,
    inputCostPerToken: null,
    outputCostPerToken: null,
    tokenizer: null,
    queueWithoutServers: false,
    sessionAffinity: {},
    endpoints: [sampleEndpoint()],
    ...known,
  };
}
