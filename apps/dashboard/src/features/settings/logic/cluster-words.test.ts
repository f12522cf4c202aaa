import { describe, expect, it } from "vitest";
import { type ClusterFacts, clusterAnswer } from "./cluster-words";

const aged = (...ages: (number | null)[]) => ages.map((heartbeat_age_ms) => ({ heartbeat_age_ms, ttl_ms: 10_000 }));
const cluster = (over: Partial<ClusterFacts>): ClusterFacts => ({
  mode: "shared",
  replicas: aged(400, 600, 900),
  redis: { reachable: true },
  ...over,
});

describe("the cluster in words", () => {
  it("tells how many gateways are alive and how many late", () => {
    expect(clusterAnswer(cluster({}))).toBe(
      "3 gateways, all alive. Limits hold over all gateways together. Redis answers.",
    );
    expect(clusterAnswer(cluster({ replicas: aged(400, 6000) }))).toContain("2 gateways, 1 late.");
  });

  it("calls nobody late whom it cannot see, for heartbeats go by Redis", () => {
    const blind = cluster({ mode: "fallback", replicas: aged(24_000, 24_000, 24_000), redis: { reachable: false } });
    expect(clusterAnswer(blind)).toBe(
      "3 gateways known; without Redis only the one that answered can be seen. " +
        "Shared slots are unavailable, so each gateway holds its part of every limit. Redis does not answer.",
    );
  });

  it("speaks of one gateway as of one", () => {
    expect(clusterAnswer({ mode: "local", replicas: aged(null), redis: null })).toBe(
      "1 gateway, alive. It holds every limit by itself.",
    );
  });
});
