import { gunzipSync } from "node:zlib";
import { VirtualClock } from "@obleth/clock";
import { fairshareLive, type LiveQuery } from "@obleth/contract";
import { type PoolSnapshot, poolId, tenantId } from "@obleth/fairshare";
import { beforeEach, describe, expect, it } from "vitest";
import type { ModelRecord, TenantStanding } from "../policy-cache/records";
import { sampleModel, sampleTenant } from "../policy-cache/testing/record-samples";
import { LiveAnswers } from "./live";
import { type LiveSources, liveState } from "./live-state";
import type { Moment } from "./moment";
import {
  sampleEngine,
  sampleGroupRow,
  sampleKeyRow,
  sampleMoment,
  samplePoolRow,
  sampleTenantRow,
} from "./testing/snapshot-samples";

const ALL: LiveQuery = { fields: "all" };
const SUMMARY: LiveQuery = { fields: "summary" };
const models: ModelRecord[] = [];
const tenants = new Map<string, TenantStanding>();
const noServers = new Set<string>();

beforeEach(() => {
  models.length = 0;
  models.push(sampleModel(), sampleModel({ id: "model-2", name: "other", maxInFlight: 4 }));
  tenants.clear();
  noServers.clear();
});

const sources: LiveSources = {
  names: {
    tenant: (id) => tenants.get(id),
    group: (name) => (name === "chat" ? { id: "row", name, weight: 500, color: 3 } : undefined),
    keyName: (id) => (id === "key-1" ? "main" : undefined),
  },
  models: {
    find: (name) => models.find((model) => model.name === name || model.aliases.includes(name)),
    list: () => models,
  },
  replica: {
    instance: "gateway-1",
    startedTsMs: 1_699_999_000_000,
    sharedSlots: true,
    replicaAware: true,
    defaultModelMaxInFlight: 32,
    admissionTimeoutMs: 60_000,
    maxJumps: 8,
  },
  noServersCause: (pool) => (noServers.has(pool) ? "no_enabled_endpoint" : null),
  maxBypassMs: () => null,
  poolSize: (pool) => {
    const size = models.find((model) => model.name === pool)?.maxInFlight ?? 32;
    return { size, configuredSize: size };
  },
  configVersion: () => 7,
};

/** The worked example: 8 slots, chatbot runs 7 with 57 waiting, api-batch runs 1 with 31 waiting. */
function busyPool(): PoolSnapshot {
  const chatbot = { inFlight: 7, queued: 57, slotShare: 7, servedTokens: 8600, expectedSlots: 7.27, weight: 500 };
  const batch = { inFlight: 1, queued: 31, slotShare: 1, servedTokens: 900, expectedSlots: 0.73, weight: 50 };
  return samplePoolRow("sim-chat", {
    tenants: [
      sampleTenantRow("tenant-1", { ...chatbot, position: 1, oldestWaitMs: 1234.6 }),
      sampleTenantRow("tenant-2", { ...batch, position: 2, oldestWaitMs: 99 }),
    ],
    groups: [
      sampleGroupRow("chat", {
        inFlight: 7,
        queued: 57,
        slotCap: 7,
        servedTokens: 8600,
        expectedSlots: 7.27,
        weight: 500,
      }),
    ],
    keys: [sampleKeyRow("key-1", "tenant-1", { inFlight: 7, queued: 57 })],
    oldestWaitMs: 1234.6,
  });
}

describe("the live state", () => {
  it("fulfils the contract, field by field, and gives names, colours and reasons", () => {
    tenants.set("tenant-1", sampleTenant());
    const answer = { ...liveState(sampleMoment(sampleEngine([busyPool()])), ALL, sources), ts_ms: 1, state_age_ms: 0 };
    expect(fairshareLive.safeParse(answer).error).toBeUndefined();
    const pool = answer.pools[0];
    expect(pool).toMatchObject({ model: "sim-chat", cap: 8, in_flight: 8, queued: 88, oldest_wait_ms: 1235 });
    expect(pool?.groups[0]).toMatchObject({ name: "chat", color: 3, slot_cap: 7 });
    expect(pool?.tenants?.map((tenant) => [tenant.name, tenant.reason])).toEqual([
      ["chatbot", "next_in_line"],
      ["tenant-2", "pool_full"],
    ]);
    expect(pool?.keys?.[0]).toMatchObject({ key_id: "key-1", name: "main" });
    expect(pool?.waiting_by_reason).toEqual({ next_in_line: 57, pool_full: 31 });
  });

  it("lists every enabled model, without work too, and no disabled one at rest", () => {
    models.push(sampleModel({ id: "model-3", name: "off", enabled: false }));
    const idle = samplePoolRow("off");
    expect(poolNames(sampleEngine([busyPool(), idle]))).toEqual(["sim-chat", "other"]);
    const draining = samplePoolRow("off", { tenants: [sampleTenantRow("t", { inFlight: 1 })] });
    expect(poolNames(sampleEngine([draining]))).toEqual(["off", "other", "sim-chat"]);
  });

  it("puts the fullest pool first, then the longer queue, then the name", () => {
    models.push(...["a", "b", "c", "d"].map((name) => sampleModel({ id: name, name })));
    const pool = (name: string, inFlight: number, queued: number, held = 0) =>
      samplePoolRow(name, { tenants: [sampleTenantRow("t", { inFlight, queued, held })] });
    const engine = sampleEngine([pool("b", 4, 0), pool("a", 4, 9), pool("d", 4, 0), pool("c", 2, 0, 3)]);
    expect(poolNames(engine)).toEqual(["c", "a", "b", "d", "other", "sim-chat"]);
  });

  it("leaves pools without servers out of the slots there are", () => {
    const all = liveState(sampleMoment(sampleEngine([])), ALL, sources);
    noServers.add("other");
    const some = liveState(sampleMoment(sampleEngine([])), ALL, sources);
    expect([all.max_in_flight, some.max_in_flight]).toEqual([12, 8]);
    expect(some.pools.find((pool) => pool.model === "other")).toMatchObject({
      capacity_state: "no_servers",
      no_servers_cause: "no_enabled_endpoint",
    });
  });

  it("answers for one pool by name or alias, and with nothing for a name it does not know", () => {
    models.push(sampleModel({ id: "model-4", name: "aliased", aliases: ["nick"] }));
    const of = (pool: string) => liveState(sampleMoment(sampleEngine([busyPool()])), { fields: "all", pool }, sources);
    expect(of("sim-chat")).toMatchObject({ in_flight: 8, pools: [{ model: "sim-chat" }] });
    expect(of("nick").pools.map((pool) => pool.model)).toEqual(["aliased"]);
    expect(of("constructor").pools).toEqual([]);
  });

  it("leaves tenants and keys out of the summary but keeps their numbers", () => {
    const summary = liveState(sampleMoment(sampleEngine([busyPool()])), SUMMARY, sources);
    expect(summary.tenants).toBeUndefined();
    expect(summary.pools[0]).not.toHaveProperty("tenants");
    expect(summary.pools[0]).not.toHaveProperty("keys");
    expect(summary.pools[0]).toMatchObject({ tenants_total: 2, tenants_active: 2, keys_total: 1 });
  });

  it("adds tenants and groups up over pools and makes their standing from the sums", () => {
    const second = samplePoolRow("other", {
      size: 4,
      tenants: [
        sampleTenantRow("tenant-1", { inFlight: 2, servedTokens: 400, expectedSlots: 4, slotShare: 4, weight: 500 }),
      ],
      groups: [sampleGroupRow("chat", { inFlight: 2, slotCap: 4, servedTokens: 400, expectedSlots: 4, weight: 500 })],
    });
    const live = liveState(sampleMoment(sampleEngine([busyPool(), second])), ALL, sources);
    expect(live.groups[0]).toMatchObject({ in_flight: 9, queued: 57, slot_cap: 11, served_tokens: 9000 });
    const chatbot = live.tenants?.find((tenant) => tenant.tenant_id === "tenant-1");
    expect(chatbot).toMatchObject({ in_flight: 9, slot_share: 11, served_tokens: 9000, oldest_wait_ms: 1235 });
    expect(chatbot?.share_score).toBeCloseTo(9000 / 500);
    expect(chatbot?.weight_share).toBeCloseTo(11.27 / 12);
  });

  it("counts tenants below their share, and apart those that their own cap does not hold back", () => {
    const below = { queued: 1, belowShare: true };
    const pool = samplePoolRow("sim-chat", {
      tenants: [sampleTenantRow("a", below), sampleTenantRow("b", { ...below, atCap: true }), sampleTenantRow("c")],
    });
    const live = liveState(sampleMoment(sampleEngine([pool])), ALL, sources);
    expect(live.pools[0]).toMatchObject({ tenants_below_share: 2, tenants_below_share_urgent: 1, tenants_active: 2 });
    expect(live.tenants?.filter((tenant) => tenant.below_share)).toHaveLength(2);
  });

  it("shows a boost where it holds and whose cap is in force", () => {
    const boost = { id: "b", model: "sim-chat", factor: 4, weight: null, reason: "incident", createdBy: "on-call" };
    tenants.set(
      "tenant-1",
      sampleTenant({ boosts: [{ ...boost, expiresAtMs: 1_700_000_060_000 }], modelCaps: new Map([["sim-chat", 7]]) }),
    );
    const pool = samplePoolRow("sim-chat", { tenants: [sampleTenantRow("tenant-1", { inFlight: 1, maxInFlight: 7 })] });
    const live = liveState(sampleMoment(sampleEngine([pool])), ALL, sources);
    expect(live.pools[0]?.tenants?.[0]).toMatchObject({
      cap_source: "model",
      boost: { factor: 4, expires_at: "2023-11-14T22:14:20.000Z", created_by: "on-call" },
    });
    expect(live.tenants?.[0]).toMatchObject({ boost: null, max_in_flight: null });
  });

  it("keeps this replica's own counts apart from the fleet's", () => {
    const own = sampleEngine([samplePoolRow("sim-chat", { tenants: [sampleTenantRow("tenant-1", { inFlight: 2 })] })]);
    const moment = sampleMoment(sampleEngine([busyPool()]), {
      own,
      scope: "cluster",
      replicasReporting: 3,
      uncut: new Map([[poolId("sim-chat"), { tenants: 900, keys: 4000 }]]),
      fleet: {
        mode: "shared",
        modeSinceTsMs: 1,
        replicas: 3,
        clusterInFlight: { total: 8, ofPool: () => 8 },
        lostClaims: () => 0,
        silentReplica: () => null,
      },
    });
    const live = liveState(moment, ALL, sources);
    expect(live).toMatchObject({
      scope: "cluster",
      in_flight: 8,
      replica_in_flight: 2,
      cluster_in_flight: 8,
      replicas_reporting: 3,
    });
    expect(live.pools[0]).toMatchObject({ replica_in_flight: 2, tenants_total: 900, keys_total: 4000 });
    expect(live.pools.find((pool) => pool.model === "other")?.replica_in_flight).toBe(0);
  });

  it("says why it shows this gateway alone when the others' state cannot be read", () => {
    const reason = "the other gateways' state cannot be read from Redis";
    const live = liveState(sampleMoment(sampleEngine([busyPool()]), { scopeReason: reason }), ALL, sources);
    expect(live).toMatchObject({ scope: "replica", scope_reason: reason, replicas_reporting: 1 });
    expect(live.replica_in_flight).toBe(live.in_flight);
  });

  it("says that other gateways get the free slots first, and that slots are held, when that is why somebody waits", () => {
    const first = sampleTenantRow("tenant-1", { inFlight: 4, queued: 3, position: 1 });
    const pool = { tenants: [first, sampleTenantRow("tenant-2", { inFlight: 4 })] };
    const reasonIn = (moment: Moment) => liveState(moment, ALL, sources).pools[0]?.tenants?.[0]?.reason;
    const plain = sampleMoment(sampleEngine([samplePoolRow("sim-chat", pool)]));
    const losing = (claims: number): Moment => ({
      ...plain,
      scope: "cluster",
      fleet: {
        ...plain.fleet,
        mode: "shared",
        replicas: 2,
        lostClaims: (_, tenant) => (tenant === "tenant-1" ? claims : 0),
      },
    });
    expect(reasonIn(losing(2))).toBe("next_in_line");
    expect(reasonIn(losing(3))).toBe("other_replica");
    const held = { ...pool, tenants: [first, sampleTenantRow("tenant-2", { inFlight: 3, held: 1 })], holdLeftMs: 900 };
    expect(reasonIn({ ...losing(0), engine: sampleEngine([samplePoolRow("sim-chat", held)]) })).toBe("held_slots");
  });

  it("takes any name as a name", () => {
    const odd = ["__proto__", "constructor", 'a"b\\c\n', "名前"];
    const pool = samplePoolRow("(unrouted)", {
      tenants: odd.map((id) => sampleTenantRow(id, { inFlight: 1 })),
      groups: odd.map((name) => sampleGroupRow(name, { inFlight: 1 })),
    });
    const live = liveState(sampleMoment(sampleEngine([pool])), ALL, sources);
    expect(live.tenants?.map((tenant) => tenant.tenant_id)).toEqual(odd);
    expect(live.groups.map((group) => group.name)).toEqual(odd);
    expect(tenantId(odd[0] ?? "")).toBe("__proto__");
  });
});

describe("answers of the live state", () => {
  const clock = new VirtualClock();
  let engine = sampleEngine([busyPool()]);
  let tsMs = 1;
  let made = 0;
  const costMs = 10;
  const answers = new LiveAnswers({
    moment: () => {
      made++;
      clock.advance(costMs);
      return sampleMoment(engine, { tsMs: tsMs++, stateAgeMs: made * 3.4 });
    },
    sources,
    clock,
  });

  it("have the same tag while nothing but the time moves, and another one when a count does", () => {
    const first = answers.answer(ALL);
    clock.advance(1000);
    const second = answers.answer(ALL);
    expect(second.state.ts_ms).not.toBe(first.state.ts_ms);
    expect(second.etag).toBe(first.etag);
    expect(second.etag).toMatch(/^"[\w-]+"$/);
    engine = sampleEngine([samplePoolRow("sim-chat")]);
    clock.advance(1000);
    expect(answers.answer(ALL).etag).not.toBe(first.etag);
    expect(answers.answer(SUMMARY).etag).not.toBe(answers.answer(ALL).etag);
  });

  it("are made once for all who ask within a short while that follows their cost", () => {
    clock.advance(1000);
    const before = made;
    const first = answers.answer(ALL);
    expect(Array.from({ length: 50 }, () => answers.answer(ALL)).every((answer) => answer === first)).toBe(true);
    clock.advance(costMs * 9 - 1);
    answers.answer(ALL);
    expect(made).toBe(before + 1);
    clock.advance(1);
    answers.answer(ALL);
    expect(made).toBe(before + 2);
  });

  it("are serialised and compressed once, and both carry the state", () => {
    const answer = answers.answer(SUMMARY);
    expect(answer.json()).toBe(answer.json());
    expect(answer.gzip()).toBe(answer.gzip());
    expect(JSON.parse(Buffer.from(answer.json()).toString())).toEqual(answer.state);
    expect(gunzipSync(answer.gzip())).toEqual(Buffer.from(answer.json()));
  });
});

function poolNames(engine: ReturnType<typeof sampleEngine>): string[] {
  return liveState(sampleMoment(engine), ALL, sources).pools.map((pool) => pool.model);
}
