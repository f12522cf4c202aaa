/** The settings in force on this gateway, for the cluster page. */
import { effectiveSettings, SETTINGS, type Settings } from "@obleth/config";
import type { ClusterSettings } from "@obleth/contract";

/** Where the Helm chart sets it, for the settings that have a value of their own there. */
const HELM_VALUES: Readonly<Record<string, string>> = {
  OBLETH_FAIRSHARE_SHARED_SLOTS: "obleth.fairshareSharedSlots",
  OBLETH_FAIRSHARE_REPLICA_AWARE: "obleth.fairshareReplicaAware",
  OBLETH_FAIRSHARE_SESSION_AFFINITY: "obleth.fairshareSessionAffinity.enabled",
  OBLETH_FAIRSHARE_SESSION_AFFINITY_WARM_SECS: "obleth.fairshareSessionAffinity.warmSecs",
  OBLETH_FAIRSHARE_SESSION_AFFINITY_HOLD_MS: "obleth.fairshareSessionAffinity.holdMs",
  OBLETH_FAIRSHARE_SESSION_AFFINITY_MAX_JUMPS: "obleth.fairshareSessionAffinity.maxJumps",
  OBLETH_FAIRSHARE_SESSION_AFFINITY_MAX_BYPASS_SECS: "obleth.fairshareSessionAffinity.maxBypassSecs",
  OBLETH_FAIRSHARE_SESSION_AFFINITY_MAX_HELD_PERCENT: "obleth.fairshareSessionAffinity.maxHeldPercent",
};

export function clusterSettings(settings: Settings, instance: string): ClusterSettings {
  const described = new Map(Object.values(SETTINGS).map((setting) => [setting.env as string, setting]));
  return {
    settings: effectiveSettings(settings).map(({ name, value, isDefault }) => ({
      name,
      helm: HELM_VALUES[name] ?? null,
      default: described.get(name)?.defaultText ?? null,
      description: described.get(name)?.about ?? "",
      values: [{ instance, value, source: isDefault ? "default" : "environment" }],
      agreed: true,
    })),
  };
}
