/** The settings in force on every gateway that reports, and where they differ. */
import { effectiveSettings, SETTINGS, type Settings } from "@obleth/config";
import type { ClusterSettings } from "@obleth/contract";

/** Field of a view's `about` with the settings of that gateway that differ from their defaults, as JSON. */
export const OTHER_SETTINGS_FIELD = "settings";

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

export interface OtherGateway {
  readonly instance: string;
  /** As published; anything unreadable counts as "not reported". */
  readonly settings: unknown;
}

export function clusterSettings(own: Settings, instance: string, others: readonly OtherGateway[]): ClusterSettings {
  const described = new Map(Object.values(SETTINGS).map((setting) => [setting.env as string, setting]));
  const reported = others.flatMap((other) => {
    const changed = changedSettings(other.settings);
    return changed === null ? [] : [{ instance: other.instance, changed }];
  });
  return {
    settings: effectiveSettings(own).map(({ name, value, isDefault }) => {
      const fallback = described.get(name)?.defaultText ?? null;
      const values: ClusterSettings["settings"][number]["values"] = [
        { instance, value, source: isDefault ? "default" : "environment" },
        ...reported.map((other) => ({
          instance: other.instance,
          value: other.changed.has(name) ? (other.changed.get(name) ?? null) : fallback,
          source: other.changed.has(name) ? ("environment" as const) : ("default" as const),
        })),
      ];
      return {
        name,
        helm: HELM_VALUES[name] ?? null,
        default: fallback,
        description: described.get(name)?.about ?? "",
        values,
        agreed: values.every((one) => one.value === value),
      };
    }),
  };
}

function changedSettings(published: unknown): ReadonlyMap<string, string | null> | null {
  try {
    const settings: unknown = JSON.parse(String(published));
    if (typeof settings !== "object" || settings === null) return null;
    return new Map(Object.entries(settings).map(([name, value]) => [name, value === null ? null : String(value)]));
  } catch {
    return null;
  }
}
