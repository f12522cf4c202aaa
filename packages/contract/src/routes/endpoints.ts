/** Where the models run. */
import { endpoint, endpointCheck, endpointCreate, endpointList, endpointPatch } from "../endpoints";
import { byEndpoint, byIdOrName, create, type RouteTable, read, remove, update } from "../route-spec";

export const endpointRoutes = {
  listEndpoints: {
    tag: "Endpoints",
    summary: "List a model's endpoints",
    ...read,
    params: byIdOrName,
    response: endpointList,
    errors: ["not_found"],
  },
  createEndpoint: {
    tag: "Endpoints",
    summary: "Add an endpoint",
    ...create,
    params: byIdOrName,
    body: endpointCreate,
    response: endpoint,
    etag: true,
    errors: ["not_found", "already_exists"],
  },
  updateEndpoint: {
    tag: "Endpoints",
    summary: "Change an endpoint",
    ...update,
    params: byEndpoint,
    body: endpointPatch,
    response: endpoint,
  },
  deleteEndpoint: { tag: "Endpoints", summary: "Delete an endpoint", ...remove, params: byEndpoint },
  checkEndpoint: {
    tag: "Endpoints",
    summary: "Ask the upstream whether it is there",
    ...read,
    role: "admin",
    params: byEndpoint,
    response: endpointCheck,
    errors: ["not_found"],
  },
} as const satisfies RouteTable;
