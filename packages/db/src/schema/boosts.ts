import { sql } from "drizzle-orm";
import { doublePrecision, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { history, id, instant } from "./columns";
import { models } from "./models";
import { tenants } from "./tenants";

/** Temporary weights. At most one open boost per tenant and scope; `modelId` null is every pool. */
export const boosts = pgTable(
  "boosts",
  {
    id: id(),
    tenantId: uuid()
      .notNull()
      .references(() => tenants.id, { onDelete: "cascade" }),
    modelId: uuid().references(() => models.id, { onDelete: "cascade" }),
    /** Exactly one of factor and weight is set. */
    factor: doublePrecision(),
    weight: integer(),
    reason: text().notNull(),
    expiresAt: instant().notNull(),
    createdBy: text().notNull(),
    endedAt: instant(),
    endedBy: text(),
    replaces: uuid(),
    ...history(),
  },
  (table) => [
    uniqueIndex("boosts_one_open")
      .on(table.tenantId, sql`coalesce(${table.modelId}, '00000000-0000-0000-0000-000000000000'::uuid)`)
      .where(sql`${table.endedAt} is null`),
    index("boosts_open_until").on(table.expiresAt).where(sql`${table.endedAt} is null`),
  ],
);
