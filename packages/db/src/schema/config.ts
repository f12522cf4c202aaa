import { integer, jsonb, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { bigCount, instant } from "./columns";

/** One row. Rises by one with every change, under its row lock, so versions follow the order of commits. */
export const configVersion = pgTable("config_version", {
  id: smallint().primaryKey(),
  version: bigCount().notNull(),
});

/** Settings that may change at run time. */
export const settings = pgTable("settings", {
  name: text().primaryKey(),
  value: jsonb().$type<unknown>(),
  version: integer().notNull().default(1),
  updatedAt: instant().notNull().defaultNow(),
});

/** Answers kept for a repeated `Idempotency-Key`, sealed because they hold a secret. */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    scope: text().notNull(),
    keyHash: text().notNull(),
    bodyHash: text().notNull(),
    answerSealed: text().notNull(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.scope, table.keyHash] })],
);
