/** Builds capacity discovery: where each source is read, and what a size that changes does. */
import { podApi } from "@obleth/config";
import type { CapacityStatus, CapacityDiscovery as DiscoveryAnswer } from "@obleth/contract";
import { poolId } from "@obleth/fairshare";
import { CapacityDiscovery } from "../capacity/discovery";
import { readDns, systemNameServers } from "../capacity/from-dns";
import { readEndpoints } from "../capacity/from-endpoints";
import { KubernetesSource, serviceName } from "../capacity/from-kubernetes";
import { kubernetesAccess } from "../capacity/kubernetes-access";
import type { ModelRecord } from "../policy-cache/records";
import type { Foundation } from "./foundation";
import type { Policies } from "./policies";

export interface Capacity {
  status(model: string): CapacityStatus;
  answer(): DiscoveryAnswer;
  /** An endpoint was set aside or taken back: pools that are sized by their endpoints follow at once. */
  endpointChanged(endpointId: string): void;
  stop(): Promise<void>;
}

export function startCapacity(
  foundation: Foundation,
  policies: Policies,
  isEndpointHealthy: (endpointId: string) => boolean,
): Capacity {
  const { settings, clock, log } = foundation;
  const { models, limits } = policies;
  const servers = systemNameServers();
  const kubernetes = new KubernetesSource({
    access: () => kubernetesAccess({ kubeconfig: settings.kubeconfig, podApi: podApi() }),
    namespaces: settings.discoveryNamespaces,
    clock,
    onChange: (service) => {
      for (const model of models.list()) if (serviceOf(model) === service) void discovery.readOne(model);
    },
  });
  const discovery = new CapacityDiscovery({
    models,
    clock,
    intervalMs: settings.discoveryIntervalSecs * 1000,
    rng: Math.random,
    read: async (model) => {
      const { discovery: wanted } = model;
      if (wanted?.source === "kubernetes") return await kubernetes.read(wanted);
      if (wanted?.source === "dns") return await readDns(wanted, servers);
      return readEndpoints(model, isEndpointHealthy);
    },
    onSize: (model, found) => limits.setDiscovered(model, found),
    log: (event, fields) => log.info(fields, event),
  });
  policies.onModelChange((change) => {
    kubernetes.retain(new Set(models.list().flatMap((model) => serviceOf(model) ?? [])));
    void discovery.modelChanged(change);
  });
  void discovery.start();
  return {
    status: (model) => statusOf(model, { policies, discovery }),
    answer: () => ({
      interval_ms: settings.discoveryIntervalSecs * 1000,
      instance: foundation.instance,
      models: models.list().flatMap((model) => discoveryRow(model, statusOf(model.name, { policies, discovery }))),
    }),
    endpointChanged: (id) => {
      for (const model of models.list()) {
        const isSizedByIt = model.discovery?.source === "endpoints" && model.endpoints.some((one) => one.id === id);
        if (isSizedByIt) void discovery.readOne(model);
      }
    },
    stop: async () => {
      discovery.stop();
      await kubernetes.close();
    },
  };
}

/** Size of a model's pool as asked for, and why it is that. */
function statusOf(
  name: string,
  { policies, discovery }: { policies: Policies; discovery: CapacityDiscovery },
): CapacityStatus {
  const size = policies.limits.poolSize(poolId(name)).configuredSize;
  const found = discovery.of(name);
  if (found === undefined) {
    const hasOwn = (policies.models.find(name)?.maxInFlight ?? null) !== null;
    const state = hasOwn ? "configured" : "default";
    return { size, state, reason: null, ready_replicas: null, read_ts_ms: null, changed_ts_ms: null };
  }
  return {
    size,
    state: found.state,
    reason: found.reason,
    ready_replicas: found.readyReplicas,
    read_ts_ms: found.readTsMs,
    changed_ts_ms: found.changedTsMs,
  };
}

function discoveryRow({ name, discovery }: ModelRecord, status: CapacityStatus): DiscoveryAnswer["models"] {
  if (discovery === undefined) return [];
  return [
    {
      model: name,
      mode: "discovered",
      source: discovery.source,
      per_replica_max_in_flight: discovery.perReplicaMaxInFlight,
      headroom: discovery.headroom,
      ...status,
    },
  ];
}

function serviceOf({ discovery }: ModelRecord): string | undefined {
  if (discovery?.source !== "kubernetes" || discovery.kubernetes === null) return undefined;
  return serviceName(discovery.kubernetes);
}
