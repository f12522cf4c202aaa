import type { KeyPolicy, TenantPolicy } from "../src/index";
import { groupId, keyId, tenantId } from "../src/index";

export interface Person {
  readonly tenant: TenantPolicy;
  readonly key: KeyPolicy;
}

/** Tenants with one key each, spread over groups, with weights that differ. */
export function makePeople(count: number, groups = 20): Person[] {
  return Array.from({ length: count }, (_, i) => ({
    tenant: {
      id: tenantId(`tenant-${i}`),
      group: { id: groupId(`group-${i % groups}`), weight: 100 + 50 * (i % groups) },
      weight: 100 + 10 * (i % 7),
      boostFactor: 1,
      maxInFlight: null,
    },
    key: { id: keyId(`key-${i}`), weight: 100, maxInFlight: null },
  }));
}
