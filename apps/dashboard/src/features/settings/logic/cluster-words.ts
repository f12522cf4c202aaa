/** How the gateways are, in a sentence or two. */
import { plural } from "../../../lib/format";

interface ReplicaFacts {
  readonly heartbeat_age_ms: number | null;
  readonly ttl_ms: number;
}

export interface ClusterFacts {
  readonly mode: "local" | "shared" | "fallback" | "split";
  readonly replicas: readonly ReplicaFacts[];
  readonly redis: { readonly reachable: boolean } | null;
}

/** Later than this part of its lifetime a heartbeat is late. */
const LATE_PART = 0.5;

export function isLate(replica: ReplicaFacts): boolean {
  return (replica.heartbeat_age_ms ?? 0) > replica.ttl_ms * LATE_PART;
}

/** Heartbeats go by Redis: while it does not answer, none can be seen, late or not. */
export function isBlind(cluster: Pick<ClusterFacts, "redis">): boolean {
  return cluster.redis !== null && !cluster.redis.reachable;
}

const MODE_SENTENCES: Readonly<Record<ClusterFacts["mode"], string>> = {
  local: "Limits hold on each gateway.",
  shared: "Limits hold over all gateways together.",
  fallback: "Shared slots are unavailable, so each gateway holds its part of every limit.",
  split: "Each gateway holds its part of every limit.",
};

/** "3 gateways, all alive. Limits hold over all gateways together. Redis answers." */
export function clusterAnswer(cluster: ClusterFacts): string {
  const redis = cluster.redis === null ? "" : cluster.redis.reachable ? " Redis answers." : " Redis does not answer.";
  const isAlone = cluster.replicas.length === 1 && cluster.mode === "local";
  return `${aliveWords(cluster)}. ${isAlone ? "It holds every limit by itself." : MODE_SENTENCES[cluster.mode]}${redis}`;
}

function aliveWords(cluster: ClusterFacts): string {
  const gateways = plural(cluster.replicas.length, "gateway");
  if (isBlind(cluster)) return `${gateways} known; without Redis only the one that answered can be seen`;
  const late = cluster.replicas.filter(isLate).length;
  if (late > 0) return `${gateways}, ${late} late`;
  return plural(cluster.replicas.length, "gateway, alive", "gateways, all alive");
}
