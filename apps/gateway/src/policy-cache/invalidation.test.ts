import { VirtualClock } from "@obleth/clock";
import type { ConfigChange } from "@obleth/db";
import { type EngineSnapshot, keyId, type PolicyChanged, type PoolSnapshot, poolId, tenantId } from "@obleth/fairshare";
import { beforeEach, describe, expect, it } from "vitest";
import { Invalidation } from "./invalidation";
import { CachedKeys } from "./key-directory";
import { HeldModels } from "./model-directory";
import { HeldNames } from "./name-directory";
import type { BoostRecord, KeyRecord, PolicySource, TenantStanding } from "./records";
import { sampleKey, sampleModel, sampleTenant } from "./testing/record-samples";

const SECRET = `sk_${"a1".repeat(24)}`;

/** Configuration in memory that can go away. */
class Rows implements PolicySource {
  tenant: TenantStanding = sampleTenant();
  key = sampleKey();
  groupWeight = 500;
  models = [sampleModel()];
  isAway = false;

  async loadKeyByHash(): Promise<KeyRecord> {
    this.#answer();
    return { ...this.key, tenant: sampleTenant(this.tenant) };
  }
  async loadKeys(ids: readonly string[]) {
    this.#answer();
    return [{ ...this.key, tenantId: this.tenant.id }].filter((key) => ids.includes(key.policy.id));
  }
  async loadTenants() {
    this.#answer();
    return [this.tenant];
  }
  async loadGroups() {
    this.#answer();
    return [{ id: "group-row", name: "chat", weight: this.groupWeight, color: 0 }];
  }
  async loadModels() {
    this.#answer();
    return this.models;
  }
  #answer(): void {
    if (this.isAway) throw new Error("connection refused");
  }
}

let rows: Rows;
let clock: VirtualClock;
let keys: CachedKeys;
let pushed: PolicyChanged[];
let settingsReads: number;
let faults: unknown[];
let invalidation: Invalidation;

beforeEach(async () => {
  rows = new Rows();
  clock = new VirtualClock();
  pushed = [];
  faults = [];
  settingsReads = 0;
  keys = new CachedKeys({ source: rows, clock, hash: (secret) => secret });
  invalidation = new Invalidation({
    keys,
    models: new HeldModels({ source: rows }),
    names: new HeldNames({ source: rows, onError: (error) => faults.push(error) }),
    source: rows,
    sink: { policyChanged: (event) => pushed.push(event), snapshot: () => waitingSnapshot() },
    clock,
    onError: (error) => faults.push(error),
    onSettings: async () => {
      settingsReads++;
    },
  });
  await invalidation.start(3);
  await keys.find(SECRET);
});

/** One pool in which tenant-1's key-1 waits. */
function waitingSnapshot(): EngineSnapshot {
  const pool = {
    pool: poolId("sim-chat"),
    tenants: [{ tenantId: tenantId("tenant-1"), queued: 3 }],
    keys: [{ keyId: keyId("key-1"), tenantId: tenantId("tenant-1"), queued: 3 }],
  } as unknown as PoolSnapshot;
  return { pools: [pool] } as unknown as EngineSnapshot;
}

const apply = (...changes: ConfigChange[]) => invalidation.apply({ version: 2, changes });
const isCached = () => {
  const found = keys.find(SECRET);
  if (found instanceof Promise) found.catch(() => {});
  return !(found instanceof Promise);
};

describe("a change of the configuration", () => {
  it.each([
    { kind: "key", id: "key-1" },
    { kind: "tenant", id: "tenant-1" },
    { kind: "group", id: "group-row" },
    { kind: "model", id: "model-1" },
    { kind: "boost", id: "boost-1" },
  ] as const)("of a $kind drops the records it touches before anything is read", (change) => {
    expect(isCached()).toBe(true);
    rows.isAway = true;
    void apply(change);
    expect(isCached()).toBe(false);
  });

  it.each([
    { kind: "key", id: "key-2" },
    { kind: "tenant", id: "tenant-2" },
    { kind: "group", id: "other-row" },
    { kind: "user", id: "user-1" },
    { kind: "settings", id: "capacity" },
  ] as const)("of another $kind leaves the record alone", async (change) => {
    await apply(change);
    expect(isCached()).toBe(true);
  });

  it("gives the waiting requests of a tenant its newer weight, cap and group", async () => {
    rows.tenant = sampleTenant({ weight: 900, maxInFlight: 2 });
    await apply({ kind: "tenant", id: "tenant-1" });
    expect(pushed).toEqual([
      {
        kind: "policy_changed",
        pool: "sim-chat",
        tenant: expect.objectContaining({ id: "tenant-1", weight: 900, maxInFlight: 2 }),
      },
    ]);
  });

  it("gives the waiting requests of a key its newer weight and cap", async () => {
    rows.key = sampleKey({ policy: { id: keyId("key-1"), weight: 7, maxInFlight: 1 } });
    await apply({ kind: "key", id: "key-1" });
    expect(pushed.map((event) => event.key)).toEqual([
      { tenantId: "tenant-1", policy: { id: "key-1", weight: 7, maxInFlight: 1 } },
    ]);
  });

  it("of a group's weight or of a boost reaches every tenant with work", async () => {
    await apply({ kind: "group", id: "group-row" });
    await apply({ kind: "boost", id: "boost-1" });
    expect(pushed.map((event) => event.tenant?.id)).toEqual(["tenant-1", "tenant-1"]);
  });

  it("that may have been missed refreshes models, settings, tenants and waiting keys", async () => {
    rows.tenant = sampleTenant({ weight: 5 });
    await invalidation.apply({ version: 9, changes: "all" });
    expect(isCached()).toBe(false);
    expect(settingsReads).toBe(1);
    expect(pushed.map((event) => event.tenant?.weight ?? event.key?.policy.id)).toEqual([5, "key-1"]);
  });

  it("is read again until the database answers", async () => {
    rows.isAway = true;
    rows.tenant = sampleTenant({ weight: 900 });
    const applied = apply({ kind: "tenant", id: "tenant-1" });
    await untilFaults(2);
    rows.isAway = false;
    clock.advance(500);
    await applied;
    expect(pushed.map((event) => event.tenant?.weight)).toEqual([900]);
  });

  it("is in force, and said to be, once it has been read and no sooner", async () => {
    expect(invalidation.versionInForce).toBe(3);
    rows.isAway = true;
    const applied = invalidation.apply({ version: 4, changes: [{ kind: "model", id: "model-1" }] });
    await untilFaults(1);
    expect(invalidation.versionInForce).toBe(3);
    rows.isAway = false;
    clock.advance(500);
    await applied;
    expect(invalidation.versionInForce).toBe(4);
  });

  it("is not said to be in force when the gateway was stopped before it was read", async () => {
    rows.isAway = true;
    const applied = invalidation.apply({ version: 4, changes: "all" });
    await untilFaults(1);
    invalidation.close();
    clock.advance(500);
    await applied;
    expect(invalidation.versionInForce).toBe(3);
  });
});

describe("a boost", () => {
  const boost: BoostRecord = {
    id: "boost-1",
    model: null,
    factor: 10,
    expiresAtMs: 0,
    weight: null,
    reason: "incident",
    createdBy: "admin",
  };

  it("reaches waiting requests when it starts and leaves them at its end without a notice", async () => {
    rows.tenant = sampleTenant({ boosts: [{ ...boost, expiresAtMs: clock.wallMs() + 60_000 }] });
    await apply({ kind: "boost", id: "boost-1" });
    expect(pushed.map((event) => event.tenant?.boostFactor)).toEqual([10]);
    clock.advance(59_999);
    expect(pushed).toHaveLength(1);
    clock.advance(1);
    expect(pushed.map((event) => event.tenant?.boostFactor)).toEqual([10, 1]);
  });

  it("is no longer watched once the gateway stops", async () => {
    rows.tenant = sampleTenant({ boosts: [{ ...boost, expiresAtMs: clock.wallMs() + 60_000 }] });
    await apply({ kind: "boost", id: "boost-1" });
    invalidation.close();
    clock.advance(120_000);
    expect(pushed).toHaveLength(1);
  });
});

async function untilFaults(count: number): Promise<void> {
  for (let turn = 0; faults.length < count && turn < 100; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (faults.length < count) clock.advance(500);
  }
  expect(faults.length).toBeGreaterThanOrEqual(count);
}
