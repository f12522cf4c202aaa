"use client";

import { useQuery } from "@tanstack/react-query";
import { clusterQuery } from "../../queries/objects";

const INTERVAL_MS = 1000;

/** How many gateways have a saved change already. Asks until all do. */
export function AppliedNote({ configVersion }: Readonly<{ configVersion: number | null }>) {
  const { data } = useQuery({
    ...clusterQuery(),
    enabled: configVersion !== null,
    refetchInterval: ({ state }) => (countWith(state.data?.replicas, configVersion).isAll ? false : INTERVAL_MS),
  });
  if (configVersion === null) return null;
  const { have, all, isAll } = countWith(data?.replicas, configVersion);
  return (
    <span role="status" className="num text-micro text-text-2" data-applied={have}>
      {all === 0
        ? "Saved, applying"
        : isAll && all === 1
          ? "Saved and in force"
          : `Saved; ${have} of ${all} gateways have it`}
    </span>
  );
}

interface HasVersion {
  readonly config_version: number | null;
}

function countWith(replicas: readonly HasVersion[] | undefined, version: number | null) {
  const all = replicas?.length ?? 0;
  const have = replicas?.filter((replica) => (replica.config_version ?? -1) >= (version ?? 0)).length ?? 0;
  return { have, all, isAll: all > 0 && have === all };
}
