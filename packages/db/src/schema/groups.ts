import { sql } from "drizzle-orm";
import { check, integer, pgTable, text } from "drizzle-orm/pg-core";
import { history, id } from "./columns";

/** The first level a pool is split over. `default` always exists. */
export const groups = pgTable(
  "groups",
  {
    id: id(),
    name: text().notNull().unique(),
    weight: integer().notNull().default(100),
    color: integer().notNull().default(0),
    ...history(),
  },
  (table) => [check("groups_weight_from_1", sql`${table.weight} >= 1`)],
);
