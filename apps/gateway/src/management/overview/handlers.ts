import { hasAny, listBoosts } from "@obleth/db";
import type { ManagementDeps } from "../deps";
import { answer, type Handlers } from "../http/call";
import { overviewOf } from "./attention";
import { nearBudgets } from "./near-budgets";

export function overviewHandlers(deps: ManagementDeps): Pick<Handlers, "getOverview"> {
  return {
    getOverview: async () => {
      const nowMs = deps.clock.wallMs();
      const boosts = await listBoosts(deps.db, { state: "active", sort: "expires_at", dir: "asc", limit: 50, nowMs });
      const [cluster, setup] = await Promise.all([deps.cluster(), hasAny(deps.db)]);
      const facts = {
        live: deps.live({ fields: "all" }).state,
        cluster,
        boosts: boosts.items,
        budgets: await nearBudgets(deps),
        setup,
        nowMs,
        admissionTimeoutMs: deps.settings.admissionTimeoutMs,
      };
      return answer("getOverview", overviewOf(facts));
    },
  };
}
