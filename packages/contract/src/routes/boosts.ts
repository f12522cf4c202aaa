/** Boosts. */
import { boost, boostCreate, boostQuery } from "../boosts";
import { page } from "../common";
import { byId, create, type RouteTable, read, remove } from "../route-spec";

export const boostRoutes = {
  listBoosts: { tag: "Boosts", summary: "List boosts", ...read, query: boostQuery, response: page(boost) },
  createBoost: {
    tag: "Boosts",
    summary: "Boost a tenant; replaces its boost of the same scope",
    ...create,
    body: boostCreate,
    response: boost,
    errors: ["not_found"],
  },
  endBoost: { tag: "Boosts", summary: "End a boost", ...remove, params: byId },
} as const satisfies RouteTable;
