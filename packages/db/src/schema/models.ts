import { sql } from "drizzle-orm";
import { boolean, check, doublePrecision, index, integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { history, id, instant } from "./columns";

/** Session affinity as the API gives it; what is left out follows the gateway. */
export interface SessionAffinityJson {
  enabled?: boolean | undefined;
  hold_ms?: number | undefined;
  max_held_percent?: number | undefined;
  max_bypass_secs?: number | undefined;
}
export interface KubernetesJson {
  namespace: string;
  service: string;
  port?: number | string | undefined;
}
export interface DnsJson {
  name: string;
  type: "A" | "SRV";
}

export const models = pgTable(
  "models",
  {
    id: id(),
    name: text().notNull().unique(),
    type: text({
      enum: ["chat", "completion", "embedding", "rerank", "moderation", "audio", "image", "other"],
    })
      .notNull()
      .default("chat"),
    enabled: boolean().notNull().default(true),
    maxInFlight: integer(),
    capacityMode: text({ enum: ["static", "tuned", "discovered"] })
      .notNull()
      .default("static"),
    capacitySource: text({ enum: ["endpoints", "kubernetes", "dns"] })
      .notNull()
      .default("endpoints"),
    perReplicaMaxInFlight: integer(),
    capacityHeadroom: doublePrecision().notNull().default(1),
    kubernetes: jsonb().$type<KubernetesJson>(),
    dns: jsonb().$type<DnsJson>(),
    tunedAt: instant(),
    tunedBy: text(),
    admissionWeight: integer().notNull().default(100),
    sessionAffinity: jsonb().$type<SessionAffinityJson>().notNull().default({}),
    endpointSelection: text({ enum: ["failover", "load_balance", "session_hash"] })
      .notNull()
      .default("failover"),
    requestTimeoutSecs: integer(),
    maxRetries: integer().notNull().default(0),
    retryBackoffMs: integer().notNull().default(250),
    inputCostPerToken: doublePrecision(),
    outputCostPerToken: doublePrecision(),
    tokenizer: text(),
    queueWithoutServers: boolean().notNull().default(false),
    tags: text().array().notNull().default(sql`'{}'::text[]`),
    ...history(),
  },
  (table) => [
    check("models_size_from_1", sql`${table.maxInFlight} >= 1`),
    check("models_admission_weight_from_1", sql`${table.admissionWeight} >= 1`),
  ],
);

/** Every name a model answers to, its own and its aliases: the primary key keeps names and aliases apart. */
export const modelAliases = pgTable(
  "model_aliases",
  {
    name: text().primaryKey(),
    modelId: uuid()
      .notNull()
      .references(() => models.id, { onDelete: "cascade" }),
    /** False for the model's own name. */
    isAlias: boolean().notNull(),
    /** Order in which aliases were given. */
    place: integer().notNull().default(0),
  },
  (table) => [index("model_aliases_model").on(table.modelId)],
);
