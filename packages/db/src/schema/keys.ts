import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { budget, history, id, instant } from "./columns";
import { tenants } from "./tenants";

/** Client credentials. Only hashes of secrets are kept. */
export const keys = pgTable(
  "keys",
  {
    id: id(),
    tenantId: uuid()
      .notNull()
      .references(() => tenants.id, { onDelete: "cascade" }),
    name: text().notNull(),
    prefix: text().notNull(),
    /** SHA-256, or HMAC with the pepper, in hexadecimal. */
    secretHash: text().notNull().unique(),
    /** Of the secret before the last rotation, good until `previousSecretExpiresAt`. */
    previousSecretHash: text(),
    previousSecretExpiresAt: instant(),
    previousSecretLastUsedAt: instant(),
    rotatedAt: instant(),
    weight: integer().notNull().default(100),
    maxInFlight: integer(),
    ...budget(),
    disabled: boolean().notNull().default(false),
    expiresAt: instant(),
    lastUsedAt: instant(),
    createdBy: text().notNull(),
    ...history(),
  },
  (table) => [
    index("keys_tenant").on(table.tenantId),
    uniqueIndex("keys_previous_secret").on(table.previousSecretHash),
    check("keys_weight_from_1", sql`${table.weight} >= 1`),
    check("keys_cap_from_1", sql`${table.maxInFlight} >= 1`),
  ],
);
