import { groupColors } from "../../../lib/group-colors";
import type { LaneHolder } from "../slot-lanes";

interface Counts {
  readonly in_flight: number;
  readonly held: number;
  readonly queued: number;
}

interface LanePool {
  readonly groups: readonly (Counts & { readonly name: string; readonly color: number; readonly slot_cap: number })[];
  readonly tenants?:
    | readonly (Counts & {
        readonly tenant_id: string;
        readonly name: string;
        readonly group: string;
        readonly slot_share: number;
        readonly below_share: boolean;
      })[]
    | undefined;
}

/** Most lanes shown where tenants compete directly. */
const MAX_TENANT_LANES = 12;

/** A lane per active group, largest share first; under `weighted` a lane per tenant, most slots first. */
export function laneHolders(algorithm: "hierarchical" | "weighted", pool: LanePool): LaneHolder[] {
  const colors = groupColors(pool.groups);
  if (algorithm === "hierarchical") {
    return [...pool.groups]
      .sort((a, b) => b.slot_cap - a.slot_cap || (a.name < b.name ? -1 : 1))
      .map((group) =>
        holder(group, {
          id: group.name,
          name: group.name,
          color: colors.get(group.name) ?? null,
          share: group.slot_cap,
          below: (pool.tenants ?? []).filter((tenant) => tenant.group === group.name && tenant.below_share).length,
        }),
      );
  }
  return [...(pool.tenants ?? [])]
    .sort((a, b) => b.slot_share - a.slot_share || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_TENANT_LANES)
    .map((tenant) =>
      holder(tenant, {
        id: tenant.tenant_id,
        name: tenant.name,
        color: colors.get(tenant.group) ?? null,
        share: tenant.slot_share,
        below: tenant.below_share ? 1 : 0,
      }),
    );
}

function holder(counts: Counts, who: Pick<LaneHolder, "id" | "name" | "color" | "share" | "below">): LaneHolder {
  return { ...who, inFlight: counts.in_flight, held: counts.held, queued: counts.queued };
}
