/**
 * Live states that look like a real gateway's, for looking at pages and for load fixtures. Shares come from the engine's
 * own split; everything else follows from a seed and a step, so the same step gives the same state.
 */
import { splitPool } from "@obleth/fairshare/shares";
import type { Live, LiveGroup, LiveKey, LivePool, LiveTenant } from "../src/queries/wire";

export interface FixtureShape {
  readonly pools: number;
  readonly tenants: number;
  readonly seed: number;
}

interface Person {
  readonly id: string;
  readonly name: string;
  readonly group: string;
  readonly weight: number;
}

const GROUPS = [
  { name: "chat", weight: 500, color: 0 },
  { name: "api", weight: 250, color: 1 },
  { name: "batch", weight: 200, color: 2 },
  { name: "research", weight: 50, color: 3 },
];
const MODELS = ["llama-70b", "qwen-coder", "embed-large", "mistral-small", "gpt-oss-20b", "whisper", "rerank-v2"];
const NAMES = ["chatbot", "nightly", "web", "support", "agents", "evals", "notebooks", "ingest", "search", "mobile"];
const START_MS = 1_780_000_000_000;

/** The state at a step; pools differ in load, from idle to overfull, and one has no servers. */
export function fixtureLive(shape: FixtureShape, step: number): Live {
  const people = Array.from({ length: shape.tenants }, (_, index) => personAt(index));
  const pools = Array.from({ length: shape.pools }, (_, index) => poolAt(shape, people, { index, step }));
  const ok = pools.filter((pool) => pool.capacity_state === "ok");
  const sum = (of: (pool: LivePool) => number, over = pools) => over.reduce((total, pool) => total + of(pool), 0);
  return {
    algorithm: "hierarchical",
    mode: "shared",
    mode_since_ts_ms: START_MS - 7_200_000,
    shared_slots: true,
    replica_aware: true,
    replicas: 3,
    scope: "cluster",
    scope_reason: null,
    replicas_reporting: 3,
    state_age_ms: 240,
    instance: "gw-1",
    started_ts_ms: START_MS - 7_200_000,
    config_version: 41,
    ts_ms: START_MS + step * 1000,
    max_in_flight: sum((pool) => pool.cap, ok),
    configured_max_in_flight: sum((pool) => pool.configured_cap, ok),
    hard_ceiling: 4096,
    configured_hard_ceiling: 4096,
    ceiling_reached: false,
    default_model_max_in_flight: 32,
    in_flight: sum((pool) => pool.in_flight),
    queued: sum((pool) => pool.queued),
    held: sum((pool) => pool.held),
    borrowed: sum((pool) => pool.borrowed),
    cluster_in_flight: sum((pool) => pool.in_flight),
    replica_in_flight: Math.floor(sum((pool) => pool.in_flight) / 3),
    replica_queued: Math.floor(sum((pool) => pool.queued) / 3),
    groups: sumGroups(pools),
    pools: pools.sort((a, b) => (b.in_flight + b.held) / b.cap - (a.in_flight + a.held) / a.cap || b.queued - a.queued),
  };
}

/** The same without tenants and keys. */
export function summaryOf(live: Live): Live {
  return { ...live, pools: live.pools.map(({ tenants: _tenants, keys: _keys, ...pool }) => pool) };
}

export function fixtureGroups() {
  return GROUPS.map((group) => ({ ...group, tenant_count: 500, version: 1 }));
}

/** As much of a tenant as its panel reads. */
export function fixtureTenant(id: string) {
  const person = personAt(Number(id.slice(-12)));
  return { ...person, max_in_flight: null, model_caps: [], status: "active", key_count: 1, version: 1 };
}

function personAt(index: number): Person {
  const group = GROUPS[index % GROUPS.length] ?? { name: "default", weight: 100 };
  const round = Math.floor(index / NAMES.length);
  return {
    id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
    name: `${NAMES[index % NAMES.length]}${round === 0 ? "" : `-${round + 1}`}`,
    group: group.name,
    weight: [500, 100, 120, 50][index % 4] ?? 100,
  };
}

function poolAt(shape: FixtureShape, people: readonly Person[], at: { index: number; step: number }): LivePool {
  // A third of the pools changes in each step.
  const random = randomFrom(shape.seed * 7919 + at.index * 104_729 + Math.floor((at.step + at.index) / 3) * 31);
  const cap = [32, 32, 16, 20, 64, 8, 128][at.index % 7] ?? 32;
  const perPool = Math.min(people.length, Math.max(4, Math.floor((people.length * 4) / shape.pools)));
  const members = Array.from({ length: perPool }, (_, offset) => people[(at.index * 13 + offset) % people.length]);
  const isOff = at.index === 2;
  const load = isOff ? 0 : ([1.6, 0.86, 0, 0.5, 0.98, 0, 0.3][at.index % 7] ?? 0.4);
  const demand = members.map((person) => ({
    person,
    wants: Math.round(random() * 2 * ((cap * load) / members.length)),
  }));
  const active = demand.filter((entry) => entry.person !== undefined && entry.wants > 0) as Demand[];
  return assemblePool({ cap, isOff, active, random, index: at.index });
}

interface Demand {
  readonly person: Person;
  readonly wants: number;
}

interface Parts {
  readonly cap: number;
  readonly isOff: boolean;
  readonly active: readonly Demand[];
  readonly random: () => number;
  readonly index: number;
}

function assemblePool({ cap, isOff, active, random, index }: Parts): LivePool {
  const groups = GROUPS.filter((group) => active.some((entry) => entry.person.group === group.name));
  const split = splitPool(
    cap,
    groups.map((group) => ({
      id: group.name,
      weight: group.weight,
      score: 0,
      members: active
        .filter((entry) => entry.person.group === group.name)
        .map(({ person }) => ({ id: person.id, weight: person.weight, score: 0 })),
    })),
  );
  const shares = new Map<string, number>();
  for (const [at, group] of groups.entries()) {
    const members = active.filter((entry) => entry.person.group === group.name);
    for (const [member, { person }] of members.entries()) shares.set(person.id, split.members[at]?.[member] ?? 0);
  }
  const use = assignSlots(cap, active, shares);
  const tenants = active.map(({ person, wants }) => tenantAt({ person, wants, cap, random }, shares, use));
  markStanding(tenants);
  const liveGroups = groups.map((group, at) => groupAt(group, split.groups[at] ?? 0, tenants));
  const total = (of: (tenant: LiveTenant) => number) => tenants.reduce((sum, tenant) => sum + of(tenant), 0);
  const waits = tenants.map((tenant) => tenant.oldest_wait_ms ?? 0);
  const byReason: LivePool["waiting_by_reason"] = {};
  for (const tenant of tenants) {
    if (tenant.queued > 0) byReason[tenant.reason] = (byReason[tenant.reason] ?? 0) + tenant.queued;
  }
  return {
    model: poolName(index),
    cap,
    configured_cap: cap,
    usable: cap,
    admission_weight: 100,
    capacity_state: isOff ? "no_servers" : "ok",
    no_servers_cause: isOff ? "no_enabled_endpoint" : null,
    in_flight: total((tenant) => tenant.in_flight),
    queued: total((tenant) => tenant.queued),
    held: total((tenant) => tenant.held),
    borrowed: total((tenant) => tenant.borrowed),
    oldest_wait_ms: total((tenant) => tenant.queued) > 0 ? Math.max(...waits) : null,
    cluster_in_flight: total((tenant) => tenant.in_flight),
    replica_in_flight: 0,
    replica_queued: 0,
    virtual_time: 120,
    finishes_5m: active.length === 0 ? 0 : Math.round(cap * 20),
    tenants_total: tenants.length,
    keys_total: tenants.length,
    tenants_active: tenants.length,
    tenants_below_share: tenants.filter((tenant) => tenant.below_share).length,
    tenants_below_share_urgent: tenants.filter((tenant) => tenant.below_share && !tenant.at_cap).length,
    waiting_by_reason: byReason,
    groups: liveGroups,
    tenants,
    keys: tenants.map(keyOf),
  };
}

/** Everyone up to its demand; the greedy first, so that somebody is below its share. */
function assignSlots(cap: number, active: readonly Demand[], shares: ReadonlyMap<string, number>): Map<string, number> {
  const use = new Map<string, number>();
  let free = cap;
  for (const { person, wants } of active) {
    const share = shares.get(person.id) ?? 0;
    const isLow = person.name.startsWith("nightly");
    const takes = Math.min(free, isLow ? Math.floor(share / 2) : wants);
    use.set(person.id, takes);
    free -= takes;
  }
  return use;
}

interface TenantInput extends Demand {
  readonly cap: number;
  readonly random: () => number;
}

function tenantAt(
  input: TenantInput,
  shares: ReadonlyMap<string, number>,
  use: ReadonlyMap<string, number>,
): LiveTenant {
  const { person, wants, cap, random } = input;
  const inUse = use.get(person.id) ?? 0;
  const held = person.name.startsWith("agents") ? Math.min(2, inUse) : 0;
  const queued = Math.max(0, wants - inUse);
  const share = shares.get(person.id) ?? 0;
  return {
    tenant_id: person.id,
    name: person.name,
    group: person.group,
    weight: person.weight,
    effective_weight: person.weight,
    boost: null,
    max_in_flight: null,
    cap_source: null,
    in_flight: inUse - held,
    queued,
    held,
    slot_share: share,
    borrowed: Math.max(0, inUse - share),
    served_tokens: Math.round(random() * 100) * 1000,
    share_score: random() * 100,
    weight_share: share / cap,
    expected_slots: share,
    oldest_wait_ms: queued > 0 ? Math.round(random() * 40_000) : null,
    below_share: false,
    at_cap: false,
    position: null,
    reason: "not_waiting",
    above_share_ms: null,
  };
}

function markStanding(tenants: LiveTenant[]): void {
  const isAnyAbove = tenants.some((tenant) => tenant.borrowed > 0);
  let position = 1;
  for (const tenant of tenants) {
    if (tenant.queued === 0) continue;
    tenant.below_share = isAnyAbove && tenant.in_flight + tenant.held < tenant.slot_share;
    tenant.reason = tenant.below_share ? "below_share" : position === 1 ? "next_in_line" : "pool_full";
    tenant.position = position;
    position += 1;
  }
}

function keyOf(tenant: LiveTenant): LiveKey {
  return {
    key_id: tenant.tenant_id.replace("-4000-", "-4001-"),
    tenant_id: tenant.tenant_id,
    name: "main",
    weight: 100,
    max_in_flight: null,
    in_flight: tenant.in_flight,
    queued: tenant.queued,
    held: tenant.held,
    served_tokens: tenant.served_tokens,
    share_score: tenant.share_score,
    weight_share: 1,
    expected_slots: tenant.slot_share,
    oldest_wait_ms: tenant.oldest_wait_ms,
    at_cap: false,
  };
}

function groupAt(group: (typeof GROUPS)[number], cap: number, tenants: readonly LiveTenant[]): LiveGroup {
  const members = tenants.filter((tenant) => tenant.group === group.name);
  const sum = (of: (tenant: LiveTenant) => number) => members.reduce((total, tenant) => total + of(tenant), 0);
  const inUse = sum((tenant) => tenant.in_flight + tenant.held);
  return {
    name: group.name,
    weight: group.weight,
    color: group.color,
    in_flight: sum((tenant) => tenant.in_flight),
    queued: sum((tenant) => tenant.queued),
    held: sum((tenant) => tenant.held),
    slot_cap: cap,
    borrowed: Math.max(0, inUse - cap),
    served_tokens: sum((tenant) => tenant.served_tokens),
    share_score: 1,
    weight_share: group.weight / 1000,
    expected_slots: cap,
  };
}

function sumGroups(pools: readonly LivePool[]): LiveGroup[] {
  const groups = new Map<string, LiveGroup>();
  for (const group of pools.flatMap((pool) => pool.groups)) {
    const before = groups.get(group.name);
    if (before === undefined) groups.set(group.name, { ...group });
    else {
      for (const field of ["in_flight", "queued", "held", "slot_cap", "borrowed", "served_tokens"] as const) {
        before[field] += group[field];
      }
    }
  }
  return [...groups.values()];
}

function poolName(index: number): string {
  if (index === 6) return "(unrouted)";
  const base = MODELS[index % MODELS.length] ?? "model";
  return index < MODELS.length ? base : `${base}-${Math.floor(index / MODELS.length) + 1}`;
}

/** A small generator of numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
