/** A body for each route that takes one, as somebody would send it; the reference shows them and tests check them. */
import type { RouteId } from "./paths";

const TENANT = "7b1f8c52-3c5e-4a55-9f0e-2f6a5d1c9e10";

export const BODY_EXAMPLES: Readonly<Partial<Record<RouteId, unknown>>> = {
  login: { email: "ops@example.org", password: "a long passphrase" },
  changePassword: { current_password: "a long passphrase", new_password: "another long passphrase" },
  resetPassword: { token: "obs_07d3d42792883e7b3781eb4e6b5d746b487696a536cf689e", new_password: "a long passphrase" },
  previewFairshare: {
    changes: [
      { kind: "tenant_weight", id: TENANT, value: 500 },
      { kind: "pool_size", id: "llama-70b", value: 40 },
    ],
  },
  createGroup: { name: "chat", weight: 500 },
  updateGroup: { weight: 400 },
  setGroupWeights: { weights: { chat: 500, batch: 50 }, versions: { chat: 3, batch: 1 } },
  createTenant: { name: "chatbot", group: "chat", weight: 100, max_in_flight: 20, allowed_models: ["llama-70b"] },
  updateTenant: { description: "Answers customers.", weekly_windows: [{ day: 1, start_min: 480, end_min: 1080 }] },
  setTenantWeight: { weight: 250 },
  setTenantQuota: { tokens_per_minute: 200_000, max_in_flight: null },
  setTenantGroup: { group: "batch" },
  setModelCap: { max_in_flight: 4 },
  createKey: { name: "production", weight: 100, expires_at: "2027-12-31T00:00:00Z" },
  updateKey: { disabled: true },
  rotateKey: { overlap_secs: 3600 },
  createModel: {
    name: "llama-70b",
    aliases: ["llama"],
    max_in_flight: 32,
    endpoints: [{ name: "gpu-1", api_base: "http://gpu-1:8000/v1", api_key: "secret-of-the-upstream" }],
  },
  replaceModel: { name: "llama-70b", max_in_flight: 40, endpoint_selection: "load_balance" },
  updateModel: { enabled: false },
  importModels: { models: [{ name: "qwen", max_in_flight: 16, api_base: "http://gpu-2:8000/v1" }] },
  discoverModels: { api_base: "http://gpu-1:8000/v1", api_key: "secret-of-the-upstream" },
  setSessionAffinity: { enabled: true, hold_ms: 5000, max_held_percent: 50 },
  setModelWeight: { admission_weight: 150 },
  setModelCapacity: { max_in_flight: 40 },
  setModelCapacityMode: {
    capacity_mode: "discovered",
    capacity_source: "kubernetes",
    per_replica_max_in_flight: 8,
    kubernetes: { namespace: "llm", service: "vllm" },
  },
  createEndpoint: { name: "gpu-2", api_base: "http://gpu-2:8000/v1", max_in_flight: 16 },
  updateEndpoint: { enabled: false },
  createBoost: {
    tenant_id: TENANT,
    model: "llama-70b",
    factor: 5,
    reason: "launch",
    expires_at: "2026-12-01T12:00:00Z",
  },
  setCapacity: { global_max_in_flight: 512 },
  createUser: { email: "ops@example.org", role: "viewer" },
  updateUser: { role: "admin" },
  importConfig: {
    format: "obleth.config/1",
    groups: [{ name: "chat", weight: 500, color: 1 }],
    models: [],
    tenants: [],
    keys: [],
    boosts: [],
    global_max_in_flight: null,
  },
};
