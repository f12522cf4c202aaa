/** Columns that many tables have. Instants are `timestamptz` to the millisecond; counts up to 2^53 - 1 are `bigint`. */
import { bigint, doublePrecision, integer, text, timestamp, uuid } from "drizzle-orm/pg-core";

export const instant = () => timestamp({ withTimezone: true, mode: "date", precision: 3 });
export const bigCount = () => bigint({ mode: "number" });

export const id = () => uuid().primaryKey().defaultRandom();

/** When a row was made and last changed, and how often: `version` is its ETag. */
export const history = () => ({
  version: integer().notNull().default(1),
  createdAt: instant().notNull().defaultNow(),
  updatedAt: instant().notNull().defaultNow(),
});

/** A term budget; without tokens and cost there is none. */
export const budget = () => ({
  budgetTokens: bigCount(),
  budgetCostUsd: doublePrecision(),
  budgetPeriod: text({ enum: ["monthly", "term", "lifetime"] })
    .notNull()
    .default("monthly"),
  budgetStartedAt: instant(),
});
