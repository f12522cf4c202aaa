/** Models: the names clients ask for, each with its pool, its endpoints and what a token costs. */
import { z } from "zod";
import {
  MAX_ADMISSION_WEIGHT,
  MAX_HEADROOM,
  MAX_REQUEST_TIMEOUT_SECS,
  MAX_RETRIES,
  MAX_SLOTS_PER_SERVER,
} from "./bounds";
import { cap, count, dryRun, isoTimeOut, objectName, paging, slots, textSearch, uuid, version } from "./common";
import { apiBase, configEndpoint, credential, endpoint, endpointCreate, PROTOCOLS } from "./endpoints";
import { sessionAffinity } from "./session-affinity";

export const MODEL_TYPES = [
  "chat",
  "completion",
  "embedding",
  "rerank",
  "moderation",
  "audio",
  "image",
  "other",
] as const;
export const CAPACITY_MODES = ["static", "tuned", "discovered"] as const;
export const CAPACITY_SOURCES = ["endpoints", "kubernetes", "dns"] as const;
export const ENDPOINT_SELECTIONS = ["failover", "load_balance", "session_hash"] as const;
export const CAPACITY_STATES = ["configured", "default", "discovered", "stale", "fallback"] as const;

const dnsLabel = z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, "must be a Kubernetes name");
export const kubernetesSource = z
  .strictObject({
    namespace: dnsLabel,
    service: dnsLabel,
    port: z.union([z.int().min(1).max(65_535), dnsLabel]).optional(),
  })
  .meta({ id: "KubernetesSource" });
export const dnsSource = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(253)
      .regex(/^[A-Za-z0-9_]([-A-Za-z0-9_.]*[A-Za-z0-9])?\.?$/, "must be a host name"),
    type: z.enum(["A", "SRV"]).default("A"),
  })
  .meta({ id: "DnsSource" });

/** How large the pool is and why, at this moment on the answering gateway. */
export const capacityStatus = z
  .strictObject({
    size: z.int().describe("Slots asked for by the model's mode."),
    state: z.enum(CAPACITY_STATES),
    reason: z.string().nullable(),
    ready_replicas: z.int().nullable(),
    read_ts_ms: z.int().nullable(),
    changed_ts_ms: z.int().nullable(),
  })
  .meta({ id: "CapacityStatus" });
export type CapacityStatus = z.infer<typeof capacityStatus>;

const perReplica = z.int().min(1).max(MAX_SLOTS_PER_SERVER).nullable();
const headroom = z.number().gt(0).max(MAX_HEADROOM);
const admissionWeight = z
  .int()
  .min(1)
  .max(MAX_ADMISSION_WEIGHT)
  .describe("Percentage that scales every tenant's weight here.");
const perTokenCost = z.number().min(0).max(1000).nullable();

const settable = {
  name: objectName,
  aliases: z.array(objectName).max(50),
  type: z.enum(MODEL_TYPES),
  enabled: z.boolean(),
  max_in_flight: slots.nullable().describe("Slots of the pool; null follows the gateway's default."),
  capacity_mode: z.enum(CAPACITY_MODES),
  capacity_source: z.enum(CAPACITY_SOURCES),
  per_replica_max_in_flight: perReplica,
  capacity_headroom: headroom,
  kubernetes: kubernetesSource.nullable(),
  dns: dnsSource.nullable(),
  admission_weight: admissionWeight,
  session_affinity: sessionAffinity,
  endpoint_selection: z.enum(ENDPOINT_SELECTIONS),
  request_timeout_secs: z.int().min(1).max(MAX_REQUEST_TIMEOUT_SECS).nullable(),
  max_retries: z.int().min(0).max(MAX_RETRIES),
  retry_backoff_ms: z.int().min(0).max(60_000),
  input_cost_per_token: perTokenCost,
  output_cost_per_token: perTokenCost,
  tokenizer: z.enum(["o200k_base", "cl100k_base"]).nullable().describe("Null: the character estimate."),
  queue_without_servers: z.boolean().describe("Wait instead of being refused when there is no server."),
  tags: z.array(objectName).max(50),
};

export const model = z
  .strictObject({
    id: uuid,
    name: z.string(),
    aliases: z.array(z.string()),
    type: z.enum(MODEL_TYPES),
    enabled: z.boolean(),
    max_in_flight: z.int().nullable(),
    capacity_mode: z.enum(CAPACITY_MODES),
    capacity_source: z.enum(CAPACITY_SOURCES),
    per_replica_max_in_flight: z.int().nullable(),
    capacity_headroom: z.number(),
    kubernetes: kubernetesSource.nullable(),
    dns: dnsSource.nullable(),
    admission_weight: z.int(),
    session_affinity: sessionAffinity,
    endpoint_selection: z.enum(ENDPOINT_SELECTIONS),
    request_timeout_secs: z.int().nullable(),
    max_retries: z.int(),
    retry_backoff_ms: z.int(),
    input_cost_per_token: z.number().nullable(),
    output_cost_per_token: z.number().nullable(),
    tokenizer: z.string().nullable(),
    queue_without_servers: z.boolean(),
    tags: z.array(z.string()),
    endpoints: z.array(endpoint),
    capacity: capacityStatus,
    tuned_at: isoTimeOut.nullable(),
    tuned_by: z.string().nullable(),
    created_at: isoTimeOut,
    updated_at: isoTimeOut,
    version,
  })
  .meta({ id: "Model" });
export type Model = z.infer<typeof model>;

const createFields = {
  name: settable.name,
  aliases: settable.aliases.default([]),
  type: settable.type.default("chat"),
  enabled: settable.enabled.default(true),
  max_in_flight: settable.max_in_flight.default(null),
  capacity_mode: settable.capacity_mode.default("static"),
  capacity_source: settable.capacity_source.default("endpoints"),
  per_replica_max_in_flight: settable.per_replica_max_in_flight.default(null),
  capacity_headroom: settable.capacity_headroom.default(1),
  kubernetes: settable.kubernetes.default(null),
  dns: settable.dns.default(null),
  admission_weight: settable.admission_weight.default(100),
  session_affinity: settable.session_affinity.default({}),
  endpoint_selection: settable.endpoint_selection.default("failover"),
  request_timeout_secs: settable.request_timeout_secs.default(null),
  max_retries: settable.max_retries.default(0),
  retry_backoff_ms: settable.retry_backoff_ms.default(250),
  input_cost_per_token: settable.input_cost_per_token.default(null),
  output_cost_per_token: settable.output_cost_per_token.default(null),
  tokenizer: settable.tokenizer.default(null),
  queue_without_servers: settable.queue_without_servers.default(false),
  tags: settable.tags.default([]),
};

/** A model in a configuration file: its fields, its id and its endpoints with sealed credentials. */
export const configModel = z.strictObject({ id: uuid, ...createFields, endpoints: z.array(configEndpoint).max(200) });

/** Body of create, of replace and of one entry of an import. */
export const modelCreate = z
  .strictObject({
    ...createFields,
    endpoints: z.array(endpointCreate).max(200).optional(),
    api_base: apiBase.optional().describe("Shorthand for a single endpoint."),
    api_key: credential.optional().describe("Of the shorthand endpoint."),
    upstream_model: objectName.optional().describe("Of the shorthand endpoint."),
    protocol: z.enum(PROTOCOLS).optional().describe("Of the shorthand endpoint."),
  })
  .refine((body) => body.endpoints === undefined || body.api_base === undefined, {
    path: ["api_base"],
    error: "give either endpoints or api_base, not both",
  })
  .refine(
    (body) => body.api_base !== undefined || (body.api_key ?? body.upstream_model ?? body.protocol) === undefined,
    {
      path: ["api_base"],
      error: "is needed with api_key, upstream_model or protocol",
    },
  )
  .meta({ id: "ModelCreate" });

export const modelPatch = z.strictObject(settable).partial();
export const modelWeight = z.strictObject({ admission_weight: admissionWeight });
export const modelCapacity = z.strictObject({ max_in_flight: cap });
export const modelCapacityMode = z.strictObject({
  capacity_mode: settable.capacity_mode,
  capacity_source: settable.capacity_source.optional(),
  per_replica_max_in_flight: perReplica.optional(),
  capacity_headroom: headroom.optional(),
  kubernetes: kubernetesSource.nullable().optional(),
  dns: dnsSource.nullable().optional(),
});
export const modelQuery = z.strictObject({
  ...paging,
  sort: z.enum(["name", "type", "created_at", "updated_at"]).default("name"),
  q: textSearch,
  type: z.enum(MODEL_TYPES).optional(),
  enabled: z.boolean().optional(),
  capacity_mode: z.enum(CAPACITY_MODES).optional(),
});

/** One model of an export or import file; sealed credentials can be opened only with the same encryption key. */
export const modelsExport = z
  .strictObject({ format: z.literal("obleth.models/1"), exported_at: isoTimeOut, models: z.array(z.unknown()) })
  .meta({ id: "ModelsExport" });
export const modelsImport = z.strictObject({
  format: z.literal("obleth.models/1").optional(),
  exported_at: z.string().optional(),
  models: z.array(modelCreate).min(1).max(1000).describe("Matched by name: known models are changed, others made."),
});
export const importQuery = z.strictObject({ ...dryRun });
export const importChange = z.strictObject({
  type: z.string(),
  name: z.string(),
  action: z.enum(["create", "update", "unchanged"]),
  fields: z.array(z.string()).describe("What differs."),
});
export const importResult = z
  .strictObject({
    dry_run: z.boolean(),
    created: count,
    updated: count,
    unchanged: count,
    changes: z.array(importChange),
  })
  .meta({ id: "ImportResult" });
export type ImportResult = z.infer<typeof importResult>;

export const discoverBody = z.strictObject({
  api_base: apiBase,
  api_key: credential.optional(),
  protocol: z.enum(PROTOCOLS).default("openai"),
});
export const discoverResult = z
  .strictObject({
    models: z.array(
      z.strictObject({ id: z.string(), registered: z.boolean().describe("Already a name or alias here.") }),
    ),
  })
  .meta({ id: "DiscoverResult" });
