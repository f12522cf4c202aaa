/** How several gateways hold limits together. */
import { flag, integer } from "../setting";

export const replicaSettings = {
  sharedSlots: flag("OBLETH_FAIRSHARE_SHARED_SLOTS", {
    default: true,
    about: "Several replicas hold every limit together through Redis.",
  }),
  replicaAware: flag("OBLETH_FAIRSHARE_REPLICA_AWARE", {
    default: true,
    about:
      "Without shared slots, each replica takes its part of every limit. With both off each enforces the full values.",
  }),
  replicaHeartbeatSecs: integer("OBLETH_FAIRSHARE_REPLICA_HEARTBEAT_SECS", {
    default: 5,
    min: 1,
    max: 3600,
    unit: "s",
    isLenient: true,
    about: "How often a replica says it lives and repairs its books. 0 and unreadable values read as 5.",
  }),
  replicaTtlSecs: integer("OBLETH_FAIRSHARE_REPLICA_TTL_SECS", {
    default: 15,
    min: 1,
    max: 7200,
    unit: "s",
    about: "Silence after which a replica counts as gone and its slots return. Raised to twice the heartbeat if lower.",
  }),
};
