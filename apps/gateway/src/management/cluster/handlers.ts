import type { ManagementDeps } from "../deps";
import { answer, type Handlers } from "../http/call";

export function clusterHandlers(deps: ManagementDeps): Pick<Handlers, "getCluster" | "getClusterSettings"> {
  return {
    getCluster: async () => answer("getCluster", await deps.cluster()),
    getClusterSettings: async () => answer("getClusterSettings", await deps.clusterSettings()),
  };
}
