/** The ceiling and discovered pool sizes. */
import { capacity, capacityDiscovery, capacityPut } from "../cluster";
import { type RouteTable, read, update } from "../route-spec";

export const capacityRoutes = {
  getCapacity: { tag: "Capacity", summary: "The global ceiling", ...read, response: capacity, etag: true },
  setCapacity: {
    tag: "Capacity",
    summary: "Change the global ceiling",
    ...update,
    body: capacityPut,
    response: capacity,
  },
  getCapacityDiscovery: {
    tag: "Capacity",
    summary: "Discovered pool sizes and where they come from",
    ...read,
    response: capacityDiscovery,
  },
} as const satisfies RouteTable;
