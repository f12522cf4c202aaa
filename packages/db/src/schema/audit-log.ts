import { bigint, boolean, index, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bigCount, instant } from "./columns";

/** One row per change, written in the change's own transaction. */
export const auditLog = pgTable(
  "audit_log",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    at: instant().notNull().defaultNow(),
    actor: text().notNull(),
    source: text({ enum: ["dashboard", "api", "import", "boost", "system"] }).notNull(),
    action: text().notNull(),
    objectType: text({
      enum: ["group", "tenant", "model_cap", "key", "model", "endpoint", "boost", "capacity", "user", "session"],
    }).notNull(),
    objectId: text().notNull(),
    objectName: text().notNull(),
    /** Changed fields in the API's names; null for what did not exist. */
    before: jsonb().$type<Record<string, unknown>>(),
    after: jsonb().$type<Record<string, unknown>>(),
    requestId: text(),
    reversible: boolean().notNull().default(false),
    reverts: bigCount(),
    configVersion: bigCount().notNull(),
  },
  (table) => [
    index("audit_log_at").on(table.at),
    index("audit_log_object").on(table.objectType, table.objectId),
    index("audit_log_actor").on(table.actor),
    uniqueIndex("audit_log_reverts").on(table.reverts),
  ],
);
