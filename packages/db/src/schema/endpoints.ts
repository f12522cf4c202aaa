import { boolean, index, integer, jsonb, pgTable, text, unique, uuid } from "drizzle-orm/pg-core";
import { history, id } from "./columns";
import { models } from "./models";

/** Where a model's requests go. Credential and header values are sealed with the encryption key. */
export const endpoints = pgTable(
  "endpoints",
  {
    id: id(),
    modelId: uuid()
      .notNull()
      .references(() => models.id, { onDelete: "cascade" }),
    name: text().notNull(),
    apiBase: text().notNull(),
    protocol: text({ enum: ["openai", "anthropic"] })
      .notNull()
      .default("openai"),
    upstreamModel: text(),
    apiKeySealed: text(),
    /** Pairs of header name and sealed value, in the order given. */
    headersSealed: jsonb().$type<[string, string][]>().notNull().default([]),
    weight: integer().notNull().default(1),
    priority: integer().notNull().default(0),
    maxInFlight: integer(),
    enabled: boolean().notNull().default(true),
    ...history(),
  },
  (table) => [index("endpoints_model").on(table.modelId), unique("endpoints_name").on(table.modelId, table.name)],
);
