import type { Capacity } from "@obleth/contract";
import { type GlobalCeiling, loadModels, readGlobalCeiling, readTogether, setGlobalCeiling } from "@obleth/db";
import type { ManagementDeps } from "../deps";
import { writtenReply } from "../fairshare/dry-run";
import { answer, type Handlers } from "../http/call";

type CapacityRoute = "getCapacity" | "setCapacity" | "getCapacityDiscovery";

export function capacityHandlers(deps: ManagementDeps): Pick<Handlers, CapacityRoute> {
  const { db } = deps;
  return {
    getCapacity: async () => {
      const ceiling = await readGlobalCeiling(db);
      return answer("getCapacity", await capacityJson(deps, ceiling), ceiling.version);
    },
    setCapacity: async ({ body, context, expectedVersion }) => {
      const changed = await setGlobalCeiling(db, context, { value: body.global_max_in_flight, expectedVersion });
      const reply = answer("setCapacity", await capacityJson(deps, changed.value), changed.value.version);
      return writtenReply({ deps, context, changed }, reply);
    },
    getCapacityDiscovery: () => answer("getCapacityDiscovery", deps.capacityDiscovery()),
  };
}

async function capacityJson(deps: ManagementDeps, ceiling: GlobalCeiling): Promise<Capacity> {
  const setting = deps.settings.globalMaxInFlight;
  const effective = ceiling.value ?? setting;
  const models = await readTogether(deps.db, loadModels);
  const sumOfPools = models
    .filter(({ model }) => model.enabled)
    .reduce((sum, { model }) => sum + deps.capacityOf(model.name).size, 0);
  return {
    global_max_in_flight: ceiling.value,
    setting_global_max_in_flight: setting,
    effective_global_max_in_flight: effective,
    sum_of_pools: sumOfPools,
    binds: effective < sumOfPools,
    ceiling_reached: deps.live({ fields: "summary" }).state.ceiling_reached,
    version: ceiling.version,
  };
}
