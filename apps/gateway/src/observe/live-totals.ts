/** Groups and tenants over all pools of an answer: counts, slots and tokens added up, standing made from the sums. */
import type { FairshareLive, LiveGroup, LivePool } from "@obleth/contract";
import { tenantId } from "@obleth/fairshare";
import type { NameDirectory } from "../policy-cache/records";
import { liveBoost } from "./live-parts";

type LiveTenantTotal = NonNullable<FairshareLive["tenants"]>[number];

/** In the order in which they first appear. `slots` is the sum of the pools' sizes. */
export function groupTotals(pools: readonly LivePool[], slots: number): LiveGroup[] {
  const totals = new Map<string, LiveGroup>();
  for (const group of pools.flatMap((pool) => pool.groups)) {
    const sum = totals.get(group.name);
    totals.set(
      group.name,
      sum === undefined ? group : { ...sum, ...addUsage(sum, group), slot_cap: sum.slot_cap + group.slot_cap },
    );
  }
  return [...totals.values()].map((total) => ({ ...total, ...standing(total, slots) }));
}

/** The same for tenants. A boost or cap for one pool is that pool's; here stands what holds everywhere. */
export function tenantTotals(input: {
  pools: readonly LivePool[];
  slots: number;
  names: NameDirectory;
  nowMs: number;
}): LiveTenantTotal[] {
  const totals = new Map<string, LiveTenantTotal>();
  for (const tenant of input.pools.flatMap((pool) => pool.tenants ?? [])) {
    const sum = totals.get(tenant.tenant_id);
    if (sum === undefined) {
      const known = input.names.tenant(tenantId(tenant.tenant_id));
      const boost = known?.boosts.find((one) => one.model === null && one.expiresAtMs > input.nowMs);
      totals.set(tenant.tenant_id, {
        tenant_id: tenant.tenant_id,
        name: tenant.name,
        group: tenant.group,
        weight: tenant.weight,
        effective_weight: Math.max(1, Math.round(tenant.weight * (boost?.factor ?? 1))),
        boost: boost === undefined ? null : liveBoost(boost),
        max_in_flight: known?.maxInFlight ?? null,
        in_flight: tenant.in_flight,
        queued: tenant.queued,
        held: tenant.held,
        slot_share: tenant.slot_share,
        borrowed: tenant.borrowed,
        served_tokens: tenant.served_tokens,
        share_score: tenant.share_score,
        weight_share: tenant.weight_share,
        expected_slots: tenant.expected_slots,
        oldest_wait_ms: tenant.oldest_wait_ms,
        below_share: tenant.below_share,
        at_cap: tenant.at_cap,
      });
      continue;
    }
    totals.set(tenant.tenant_id, {
      ...sum,
      ...addUsage(sum, tenant),
      slot_share: sum.slot_share + tenant.slot_share,
      oldest_wait_ms: latest(sum.oldest_wait_ms, tenant.oldest_wait_ms),
      below_share: sum.below_share || tenant.below_share,
      at_cap: sum.at_cap || tenant.at_cap,
    });
  }
  return [...totals.values()].map((total) => ({ ...total, ...standing(total, input.slots) }));
}

interface Usage {
  readonly in_flight: number;
  readonly queued: number;
  readonly held: number;
  readonly borrowed: number;
  readonly served_tokens: number;
  readonly expected_slots: number;
}

function addUsage(a: Usage, b: Usage): Usage {
  return {
    in_flight: a.in_flight + b.in_flight,
    queued: a.queued + b.queued,
    held: a.held + b.held,
    borrowed: a.borrowed + b.borrowed,
    served_tokens: a.served_tokens + b.served_tokens,
    expected_slots: a.expected_slots + b.expected_slots,
  };
}

function standing(total: { served_tokens: number; weight: number; expected_slots: number }, slots: number) {
  return {
    share_score: total.served_tokens / Math.max(1, total.weight),
    weight_share: slots === 0 ? 0 : total.expected_slots / slots,
  };
}

function latest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}
