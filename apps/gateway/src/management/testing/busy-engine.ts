/** A picture of one busy pool, for tests of previews and explanations: a group and a tenant per entry, equal otherwise. */
import { type EngineSnapshot, groupId, keyId, poolId, type TenantSnapshot, tenantId } from "@obleth/fairshare";

export interface BusyTenant {
  readonly id: string;
  readonly group: string;
  readonly groupWeight: number;
  readonly inFlight: number;
  readonly queued: number;
}

export function busyEngine(busy: { pool: string; size: number; tenants: readonly BusyTenant[] }): EngineSnapshot {
  const inFlight = busy.tenants.reduce((sum, tenant) => sum + tenant.inFlight, 0);
  const queued = busy.tenants.reduce((sum, tenant) => sum + tenant.queued, 0);
  const totals = { inFlight, queued, held: 0, borrowed: 0 };
  return {
    algorithm: "hierarchical",
    ceiling: 4096,
    configuredCeiling: 4096,
    isCeilingReached: false,
    ...totals,
    pools: [
      {
        pool: poolId(busy.pool),
        size: busy.size,
        configuredSize: busy.size,
        usable: busy.size,
        admissionWeight: 100,
        ...totals,
        oldestWaitMs: queued > 0 ? 5_000 : null,
        virtualTime: 0,
        holdLeftMs: null,
        finishes5m: 0,
        groups: busy.tenants.map((tenant) => ({
          name: groupId(tenant.group),
          weight: tenant.groupWeight,
          slotCap: tenant.inFlight,
          ...common(tenant),
        })),
        tenants: busy.tenants.map(tenantSnapshot),
        keys: busy.tenants.map((tenant) => ({
          keyId: keyId(`key of ${tenant.id}`),
          tenantId: tenantId(tenant.id),
          weight: 100,
          maxInFlight: null,
          oldestWaitMs: tenant.queued > 0 ? 5_000 : null,
          atCap: false,
          jumps: 0,
          ...common(tenant),
        })),
      },
    ],
  };
}

function tenantSnapshot(tenant: BusyTenant, index: number): TenantSnapshot {
  return {
    tenantId: tenantId(tenant.id),
    group: groupId(tenant.group),
    weight: 100,
    boostFactor: 1,
    effectiveWeight: 100,
    maxInFlight: null,
    slotShare: tenant.inFlight,
    oldestWaitMs: tenant.queued > 0 ? 5_000 : null,
    belowShare: false,
    atCap: false,
    position: tenant.queued > 0 ? index + 1 : null,
    aboveShareMs: null,
    ...common(tenant),
  };
}

function common({ inFlight, queued }: BusyTenant) {
  return {
    inFlight,
    queued,
    held: 0,
    borrowed: 0,
    servedTokens: 0,
    shareScore: 0,
    weightShare: 0.5,
    expectedSlots: inFlight,
  };
}
