import { index, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { history, id, instant } from "./columns";

/** People who sign in; emails are kept in lower case. */
export const users = pgTable("users", {
  id: id(),
  email: text().notNull().unique(),
  role: text({ enum: ["admin", "viewer"] }).notNull(),
  /** argon2id; null until the person has chosen a password. */
  passwordHash: text(),
  lastSignInAt: instant(),
  ...history(),
});

/** Sign-ins that last; only the hash of the token is kept. */
export const sessions = pgTable(
  "sessions",
  {
    id: id(),
    tokenHash: text().notNull().unique(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: instant().notNull().defaultNow(),
    expiresAt: instant().notNull(),
  },
  (table) => [index("sessions_user").on(table.userId)],
);

/** Links with which a person chooses a password, once. */
export const resetTokens = pgTable(
  "reset_tokens",
  {
    tokenHash: text().primaryKey(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdBy: text().notNull(),
    expiresAt: instant().notNull(),
  },
  (table) => [index("reset_tokens_user").on(table.userId)],
);
