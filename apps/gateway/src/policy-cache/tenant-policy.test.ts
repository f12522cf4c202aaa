import { poolId, tenantId } from "@obleth/fairshare";
import { describe, expect, it } from "vitest";
import type { BoostRecord } from "./records";
import { boostIn, capIn, tenantPolicyIn } from "./tenant-policy";
import { sampleTenant } from "./testing/record-samples";

const POOL = poolId("sim-chat");
const boost = (known: Partial<BoostRecord>): BoostRecord => ({
  id: "boost-1",
  model: null,
  factor: 4,
  expiresAtMs: 1_000,
  weight: null,
  reason: "incident",
  createdBy: "admin",
  ...known,
});

describe("a tenant's policy in a pool", () => {
  it("carries the tenant's own weight, group and cap where nothing else is said", () => {
    expect(tenantPolicyIn(sampleTenant({ maxInFlight: 3 }), POOL, 0)).toEqual({
      id: tenantId("tenant-1"),
      group: { id: "chat", weight: 500 },
      weight: 500,
      boostFactor: 1,
      maxInFlight: 3,
    });
  });

  it("prefers the cap set for the model, even one that lifts the cap there", () => {
    const tenant = sampleTenant({
      maxInFlight: 3,
      modelCaps: new Map([
        ["sim-chat", 5],
        ["free", null],
      ]),
    });
    expect(capIn(tenant, POOL)).toEqual({ cap: 5, source: "model" });
    expect(capIn(tenant, poolId("free"))).toEqual({ cap: null, source: null });
    expect(capIn(tenant, poolId("other"))).toEqual({ cap: 3, source: "tenant" });
    expect(tenantPolicyIn(tenant, poolId("free"), 0).maxInFlight).toBeNull();
  });

  it("prefers a boost of the pool to a wider one, and drops both at their end", () => {
    const boosts = [boost({ id: "wide", factor: 2, expiresAtMs: 9_000 }), boost({ id: "own", model: "sim-chat" })];
    const tenant = sampleTenant({ boosts });
    expect(boostIn(tenant, POOL, 999)?.id).toBe("own");
    expect(boostIn(tenant, POOL, 1_000)?.id).toBe("wide");
    expect(boostIn(tenant, poolId("other"), 0)?.id).toBe("wide");
    expect(tenantPolicyIn(tenant, POOL, 9_000).boostFactor).toBe(1);
  });
});
