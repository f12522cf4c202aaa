import { doublePrecision, index, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { bigCount } from "./columns";

/**
 * One row per request that reached authentication. Partitioned by day of `ts_ms`; the migration adds what the schema
 * language cannot say. No foreign keys: a row outlives what it names.
 */
export const usage = pgTable(
  "usage",
  {
    requestId: text().notNull(),
    tsMs: bigCount().notNull(),
    tenantId: uuid(),
    keyId: uuid(),
    model: text(),
    endpointId: text(),
    admission: text({ enum: ["fast", "queued", "rejected"] }).notNull(),
    outcome: text({
      enum: ["completed", "upstream_error", "timed_out", "client_gone", "refused", "shutting_down"],
    }).notNull(),
    weight: integer(),
    estimatedTokens: bigCount().notNull(),
    inputTokens: bigCount(),
    cachedTokens: bigCount(),
    outputTokens: bigCount(),
    queueWaitMs: doublePrecision().notNull(),
    ttftMs: doublePrecision(),
    totalMs: doublePrecision().notNull(),
    statusCode: integer().notNull(),
    costUsd: doublePrecision(),
    sessionId: text(),
    sessionSource: text({ enum: ["client", "derived", "none"] }).notNull(),
    protocol: text({ enum: ["openai", "anthropic"] }).notNull(),
    replica: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tsMs, table.requestId] }),
    index("usage_tenant").on(table.tenantId, table.tsMs),
    index("usage_key").on(table.keyId, table.tsMs),
    index("usage_model").on(table.model, table.tsMs),
  ],
);
