import type { ModelRecord } from "../policy-cache/records";
import type { Reading } from "./pool-size";

/**
 * The capacity of a model's enabled, healthy endpoints: each one's own cap, or the model's size per replica. Under
 * failover only the one in use counts, which is the first healthy one.
 */
export function readEndpoints(model: ModelRecord, isHealthy: (endpointId: string) => boolean): Reading {
  const healthy = model.endpoints.filter((endpoint) => endpoint.enabled && isHealthy(endpoint.id));
  const counted = model.endpointSelection === "failover" ? healthy.slice(0, 1) : healthy;
  const perReplica = model.discovery?.perReplicaMaxInFlight ?? 0;
  return {
    readyCapacity: counted.reduce((sum, endpoint) => sum + (endpoint.maxInFlight ?? perReplica), 0),
    readyReplicas: counted.length,
  };
}
