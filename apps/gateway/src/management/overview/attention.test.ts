import type { FairshareLive, LivePool } from "@obleth/contract";
import { describe, expect, it } from "vitest";
import { emptyLive } from "../testing/empty-live";
import { type OverviewFacts, overviewOf } from "./attention";

const NOW = Date.UTC(2026, 10, 30, 9);

function pool(model: string, change: Partial<LivePool> = {}): LivePool {
  return {
    model,
    cap: 10,
    configured_cap: 10,
    usable: 10,
    admission_weight: 100,
    capacity_state: "ok",
    no_servers_cause: null,
    in_flight: 0,
    queued: 0,
    held: 0,
    borrowed: 0,
    oldest_wait_ms: null,
    cluster_in_flight: null,
    replica_in_flight: 0,
    replica_queued: 0,
    virtual_time: 0,
    finishes_5m: 0,
    tenants_total: 0,
    keys_total: 0,
    tenants_active: 0,
    tenants_below_share: 0,
    tenants_below_share_urgent: 0,
    waiting_by_reason: {},
    groups: [],
    tenants: [],
    keys: [],
    ...change,
  };
}

type Tenant = NonNullable<LivePool["tenants"]>[number];
function tenant(name: string, change: Partial<Tenant> = {}): Tenant {
  return {
    tenant_id: `id of ${name}`,
    name,
    group: "g",
    weight: 100,
    effective_weight: 100,
    boost: null,
    max_in_flight: null,
    cap_source: null,
    in_flight: 2,
    queued: 3,
    held: 0,
    slot_share: 5,
    borrowed: 0,
    served_tokens: 0,
    share_score: 0,
    weight_share: 0.5,
    expected_slots: 5,
    oldest_wait_ms: 20_000,
    below_share: true,
    at_cap: false,
    position: 1,
    reason: "below_share",
    above_share_ms: null,
    ...change,
  };
}

function facts(live: Partial<FairshareLive>, change: Partial<OverviewFacts> = {}): OverviewFacts {
  return {
    live: { ...emptyLive(NOW), ...live },
    cluster: {
      ts_ms: NOW,
      instance: "a",
      version: "1",
      mode: "local",
      mode_since_ts_ms: NOW,
      shared_slots: false,
      replica_aware: true,
      replicas: [],
      redis: null,
      postgres: { reachable: true, embedded: true, version: null, call_ms: null },
      config_version: 1,
      mode_changes: [],
    },
    boosts: [],
    budgets: [],
    refused: new Map(),
    setup: { has_models: true, has_tenants: true, has_keys: true },
    nowMs: NOW,
    admissionTimeoutMs: 60_000,
    ...change,
  };
}

const kinds = (given: OverviewFacts) => overviewOf(given).items.map((item) => item.kind);

describe("what needs attention", () => {
  it("is nothing when nothing is wrong", () => {
    expect(kinds(facts({ pools: [pool("a", { in_flight: 9 })] }))).toEqual([]);
  });

  it("comes in its fixed order when everything is wrong at once", () => {
    const replica = {
      self: false,
      started_ts_ms: NOW,
      version: "1",
      mode: "shared" as const,
      ttl_ms: 15_000,
      view_age_ms: 1,
    };
    const base = facts({
      state_age_ms: 20_000,
      mode: "fallback",
      replicas: 3,
      pools: [
        pool("quiet-full", { in_flight: 10 }),
        pool("late-full", { in_flight: 10, queued: 1, oldest_wait_ms: 5_000 }),
        pool("worst-full", { in_flight: 8, held: 2, queued: 4, oldest_wait_ms: 38_000, tenants: [tenant("t")] }),
        pool("gone", { capacity_state: "no_servers", no_servers_cause: "no_enabled_endpoint" }),
        pool("slow", { in_flight: 1, queued: 1, oldest_wait_ms: 31_000 }),
      ],
    });
    const counts = { in_flight: 0, queued: 0, booked_slots: 3, config_version: 1 };
    const all = {
      ...base,
      cluster: { ...base.cluster, replicas: [{ instance: "b", heartbeat_age_ms: 9_000, ...replica, ...counts }] },
      budgets: [
        {
          account: {
            owner: "tenant" as const,
            id: "t",
            name: "t",
            tokens: 10,
            costUsd: null,
            period: "monthly" as const,
            startedAtMs: 0,
            timezone: "UTC",
          },
          fraction: 0.9,
          resetsTsMs: null,
        },
      ],
    };
    expect(kinds(all)).toEqual([
      "stale",
      "fallback",
      "full_waiting",
      "full_waiting",
      "no_servers",
      "below_share",
      "gateway_late",
      "long_wait",
      "budget_near",
      "full",
    ]);
    const items = overviewOf(all).items;
    expect(items[2]?.object.name).toBe("worst-full");
    expect(items.at(-1)).toMatchObject({ urgent: false, object: { name: "quiet-full" } });
  });

  it("leaves out a tenant that only its own cap holds back", () => {
    const capped = pool("a", { tenants: [tenant("t", { reason: "tenant_cap" }), tenant("u", { reason: "key_cap" })] });
    expect(kinds(facts({ pools: [capped] }))).toEqual([]);
  });

  it("counts held slots as in use, and no pool without servers as full", () => {
    expect(kinds(facts({ pools: [pool("a", { in_flight: 6, held: 4 })] }))).toEqual(["full"]);
    const overview = overviewOf(facts({ pools: [pool("b", { in_flight: 10, capacity_state: "no_servers" })] }));
    expect([overview.pools_full, overview.items[0]?.urgent]).toEqual([0, false]);
  });

  it("has a pool without servers only when somebody waits for it or was refused in the last hour", () => {
    const gone = pool("gone", { capacity_state: "no_servers", no_servers_cause: "no_base_url" });
    const item = (given: OverviewFacts) => overviewOf(given).items.find((one) => one.kind === "no_servers");
    expect(item(facts({ pools: [gone] }))?.urgent).toBe(false);
    expect(item(facts({ pools: [{ ...gone, queued: 1 }] }))?.urgent).toBe(true);
    const refused = item(facts({ pools: [gone] }, { refused: new Map([["gone", 7]]) }));
    expect(refused).toMatchObject({ urgent: true, numbers: { refused: 7, queued: 0 } });
  });

  it("says that several gateways each enforce the full limits", () => {
    expect(kinds(facts({ mode: "local", replicas: 3 }))).toEqual(["local_with_several"]);
    expect(kinds(facts({ mode: "local", replicas: 1 }))).toEqual([]);
  });
});
