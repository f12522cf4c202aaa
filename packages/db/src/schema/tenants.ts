import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { bigCount, budget, history, id, instant } from "./columns";
import { groups } from "./groups";
import { models } from "./models";

/** A span of a day, as the API gives it. */
export interface WeeklyWindowJson {
  day: number;
  start_min: number;
  end_min: number;
}

export const tenants = pgTable(
  "tenants",
  {
    id: id(),
    name: text().notNull().unique(),
    groupId: uuid()
      .notNull()
      .references(() => groups.id),
    weight: integer().notNull().default(100),
    maxInFlight: integer(),
    tokensPerMinute: bigCount(),
    ...budget(),
    status: text({ enum: ["active", "suspended"] })
      .notNull()
      .default("active"),
    timezone: text().notNull().default("UTC"),
    activeFrom: instant(),
    activeUntil: instant(),
    weeklyWindows: jsonb().$type<WeeklyWindowJson[]>().notNull().default([]),
    /** Canonical model names; null allows all. */
    allowedModels: text().array(),
    description: text().notNull().default(""),
    ...history(),
  },
  (table) => [
    index("tenants_group").on(table.groupId),
    check("tenants_weight_from_1", sql`${table.weight} >= 1`),
    check("tenants_cap_from_1", sql`${table.maxInFlight} >= 1`),
  ],
);

/** A cap that replaces the tenant's own on one model; null: no cap there. */
export const tenantModelCaps = pgTable(
  "tenant_model_caps",
  {
    tenantId: uuid()
      .notNull()
      .references(() => tenants.id, { onDelete: "cascade" }),
    modelId: uuid()
      .notNull()
      .references(() => models.id, { onDelete: "cascade" }),
    maxInFlight: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.modelId] }),
    check("tenant_model_caps_cap_from_1", sql`${table.maxInFlight} >= 1`),
  ],
);
