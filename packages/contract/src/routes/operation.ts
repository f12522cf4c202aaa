/** The overview and the cluster. */
import { cluster, clusterSettings } from "../cluster";
import { overview } from "../overview";
import { type RouteTable, read } from "../route-spec";

export const operationRoutes = {
  getOverview: { tag: "Overview", summary: "What needs attention", ...read, response: overview },
  getCluster: { tag: "Cluster", summary: "Gateways, mode and stores", ...read, response: cluster },
  getClusterSettings: { tag: "Cluster", summary: "Settings in force", ...read, response: clusterSettings },
} as const satisfies RouteTable;
