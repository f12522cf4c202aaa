import { countRefusals, hasAny, listBoosts } from "@obleth/db";
import type { ManagementDeps } from "../deps";
import { answer, type Handlers } from "../http/call";
import { overviewOf } from "./attention";
import { nearBudgets } from "./near-budgets";

const HOUR_MS = 3_600_000;

export function overviewHandlers(deps: ManagementDeps): Pick<Handlers, "getOverview"> {
  return {
    getOverview: async () => {
      const nowMs = deps.clock.wallMs();
      const boosts = await listBoosts(deps.db, { state: "active", sort: "expires_at", dir: "asc", limit: 50, nowMs });
      const [cluster, setup] = await Promise.all([deps.cluster(), hasAny(deps.db)]);
      const live = deps.live({ fields: "all" }).state;
      const unserved = live.pools.filter((pool) => pool.capacity_state === "no_servers").map((pool) => pool.model);
      const facts = {
        live,
        cluster,
        boosts: boosts.items,
        budgets: await nearBudgets(deps),
        refused: await countRefusals(deps.db, { models: unserved, sinceMs: nowMs - HOUR_MS }),
        setup,
        nowMs,
        admissionTimeoutMs: deps.settings.admissionTimeoutMs,
      };
      return answer("getOverview", overviewOf(facts));
    },
  };
}
