/**
 * What the oracle knows: who is there, with what weights, caps and scores, and every count and share worked out from
 * its two lists of requests. It decides nothing; see `oracle.ts`.
 */
import type { KeyPolicy, TenantPolicy } from "../src/policy";
import { apportionByHand } from "./apportionment-oracle";
import { Books } from "./oracle-books";
import {
  type Account,
  account,
  checked,
  type Fault,
  type Filter,
  type GroupAccount,
  type OracleConfig,
  type OraclePool,
  type OracleRequest,
  type Settings,
  type TenantAccount,
} from "./oracle-state";

export class OracleWorld {
  readonly config: OracleConfig;
  readonly books = new Books();
  readonly pools = new Map<string, OraclePool>();
  readonly settings = new Map<string, Settings>();
  ceiling: number;
  nowMs = Number.NEGATIVE_INFINITY;

  constructor(config: OracleConfig) {
    this.config = config;
    this.ceiling = config.ceiling;
  }

  get waiting(): readonly OracleRequest[] {
    return this.books.waiting;
  }

  get running(): readonly OracleRequest[] {
    return this.books.running;
  }

  settingsOf(pool: string): Readonly<Settings> {
    return (
      this.settings.get(pool) ?? {
        size: this.config.defaultPoolSize,
        admissionWeight: 100,
        routed: true,
        hasServers: true,
        queueWithoutServers: false,
      }
    );
  }

  taken(of: Filter): number {
    return this.books.count("running", of);
  }

  queued(of: Filter): number {
    return this.books.count("waiting", of);
  }

  /** The lowest score of a waiting tenant, else the highest virtual time that is remembered among tenants. */
  levelOf(pool: OraclePool): number {
    const waiting = [...pool.tenants.values()].filter((tenant) => this.queued({ tenant }) > 0);
    if (waiting.length > 0) return Math.min(...waiting.map((tenant) => tenant.score));
    if (this.config.algorithm === "weighted") return pool.tenantLevel;
    return Math.max(0, ...[...pool.groups.values()].map((group) => group.tenantLevel));
  }

  usable(pool: string): number {
    const room = Math.max(0, this.ceiling - this.running.length);
    return Math.max(1, Math.min(this.settingsOf(pool).size, this.taken({ pool }) + room));
  }

  /** The two-level split over those with work. */
  shares(pool: OraclePool): { groups: Map<string, number>; tenants: Map<string, number> } {
    const busy = [...pool.tenants.values()].filter((tenant) => this.taken({ tenant }) + this.queued({ tenant }) > 0);
    const groups = [...new Set(busy.map((tenant) => tenant.group))];
    const groupParts = this.#apportion(this.usable(pool.id), groups);
    const tenants = new Map<string, number>();
    groups.forEach((group, g) => {
      const members = busy.filter((tenant) => tenant.group === group);
      const parts = this.#apportion(groupParts[g] ?? 0, members);
      members.forEach((tenant, t) => {
        tenants.set(tenant.id, parts[t] ?? 0);
      });
    });
    return { groups: new Map(groups.map((group, g) => [group.id, groupParts[g] ?? 0])), tenants };
  }

  #apportion(slots: number, takers: readonly Account[]): number[] {
    const plain = takers.map(({ id, weight, score }) => ({
      id,
      score,
      weight: this.has("weights_ignored") ? 1 : weight,
    }));
    if (this.has("one_each_first") && slots >= takers.length) {
      return apportionByHand(slots - takers.length, plain, { lift: false }).map((part) => part + 1);
    }
    return apportionByHand(slots, plain, { lift: !this.has("plain_largest_remainder") });
  }

  /** Tenants of a pool that wait and could run, with the keys they could run. */
  candidates(pool: OraclePool): { tenant: TenantAccount; keys: Account[] }[] {
    return [...pool.tenants.values()]
      .map((tenant) => ({ tenant, keys: this.readyKeys(tenant) }))
      .filter(({ tenant, keys }) => keys.length > 0 && this.isBelowCap(this.taken({ tenant }), tenant.cap));
  }

  readyKeys(tenant: TenantAccount): Account[] {
    return [...tenant.keys.values()].filter(
      (key) => this.queued({ key }) > 0 && this.isBelowCap(this.taken({ key }), key.cap),
    );
  }

  isBelowCap(taken: number, cap: number): boolean {
    return this.has("caps_ignored") || taken < cap;
  }

  /** Those of the candidates that hold less than their share, in a group that does. */
  underShare<Candidate extends { readonly tenant: TenantAccount }>(
    pool: OraclePool,
    candidates: readonly Candidate[],
  ): Candidate[] {
    const { groups, tenants } = this.shares(pool);
    const floor = this.has("strict_zero_share") ? 0 : 1;
    return candidates.filter(({ tenant }) => {
      const { group } = tenant;
      return (
        this.taken({ tenant }) < Math.max(floor, tenants.get(tenant.id) ?? 0) &&
        this.taken({ group }) < Math.max(floor, groups.get(group.id) ?? 0)
      );
    });
  }

  canAdmit(pool: OraclePool): boolean {
    const { hasServers, size } = this.settingsOf(pool.id);
    return hasServers && this.taken({ pool: pool.id }) < size && this.candidates(pool).length > 0;
  }

  getPool(id: string): OraclePool {
    const known = this.pools.get(id);
    if (known !== undefined) return known;
    const pool: OraclePool = {
      id,
      groupLevel: 0,
      tenantLevel: 0,
      groups: new Map(),
      tenants: new Map(),
      quietSinceMs: this.nowMs,
      turn: 0,
      couldAdmit: false,
    };
    this.pools.set(id, pool);
    return pool;
  }

  getGroup(pool: OraclePool, policy: TenantPolicy["group"]): GroupAccount {
    const known = pool.groups.get(policy.id);
    if (known !== undefined) return known;
    const group = { ...account(policy.id, checked(policy.weight), pool.groupLevel), tenantLevel: 0 };
    pool.groups.set(policy.id, group);
    return group;
  }

  getTenant(pool: OraclePool, policy: TenantPolicy): TenantAccount {
    const known = pool.tenants.get(policy.id);
    if (known !== undefined) return known;
    const group = this.getGroup(pool, policy.group);
    const level = this.config.algorithm === "weighted" ? pool.tenantLevel : group.tenantLevel;
    const tenant: TenantAccount = {
      ...account(policy.id, this.effective(pool.id, policy), level),
      group,
      policy,
      keyLevel: 0,
      keys: new Map(),
    };
    pool.tenants.set(policy.id, tenant);
    return tenant;
  }

  getKey(tenant: TenantAccount, policy: KeyPolicy): Account {
    const known = tenant.keys.get(policy.id);
    if (known !== undefined) return known;
    const key = account(policy.id, checked(policy.weight), tenant.keyLevel);
    tenant.keys.set(policy.id, key);
    return key;
  }

  effective(pool: string, policy: TenantPolicy): number {
    const percent = this.settingsOf(pool).admissionWeight;
    return checked(Math.max(1, Math.round((policy.weight * policy.boostFactor * percent) / 100)));
  }

  has(fault: Fault): boolean {
    return this.config.fault === fault;
  }
}
