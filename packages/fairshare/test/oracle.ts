/**
 * A slow, obviously right model of the engine in local mode, for tests: it keeps two lists, who waits and who runs, and
 * works out every count, share and order from them each time it must choose. It shares no code with the engine.
 *
 * Scores are whole multiples of 1 / `SCORE_UNIT` of a token per weight, so every weight used with it must divide
 * `SCORE_UNIT`; then nothing is ever rounded. Sessions are not modelled: requests are served in arrival order within
 * their key.
 */
import type { EngineEvent } from "../src/events";
import type { KeyPolicy, TenantPolicy } from "../src/policy";
import {
  type Account,
  charged,
  checked,
  first,
  type GroupAccount,
  type OracleAction,
  type OracleConfig,
  type OracleGrant,
  type OraclePool,
  type OracleRefusal,
  type OracleRequest,
  type TenantAccount,
} from "./oracle-state";
import { OracleWorld } from "./oracle-world";

const POOL_QUIET_MS = 600_000;

/** One admission to make. */
export interface Choice {
  readonly request: OracleRequest;
  /** Nobody who waits is under its share. */
  readonly isLent: boolean;
}

export class Oracle {
  readonly world: OracleWorld;
  #grants = 0;
  #turns = 0;
  #actions: OracleAction[] = [];

  constructor(config: OracleConfig) {
    this.world = new OracleWorld(config);
  }

  /** The event with all admissions that follow from it. */
  apply(event: EngineEvent, nowMs: number): OracleAction[] {
    const actions = [...this.begin(event, nowMs)];
    for (let next = this.ideal(); next !== undefined; next = this.ideal()) actions.push(this.admit(next));
    return actions;
  }

  /** The event alone: what it refuses, and an arrival that runs at once. Nobody who waits is admitted yet. */
  begin(event: EngineEvent, nowMs: number): OracleAction[] {
    this.#actions = [];
    this.world.nowMs = Math.max(this.world.nowMs, nowMs);
    this.#timeOut();
    this.#dropQuietPools();
    this.noteTurns();
    switch (event.kind) {
      case "arrive":
        this.#arrive(event);
        break;
      case "cancel":
        this.#cancel(event.waiterId);
        break;
      case "finish":
        this.#finish(event.waiterId);
        break;
      case "policy_changed":
        this.#changePolicy(event);
        break;
      case "pool_changed": {
        const { size, admissionWeight, routed, hasServers, queueWithoutServers } = event;
        this.world.settings.set(event.pool, { size, admissionWeight, routed, hasServers, queueWithoutServers });
        const pool = this.world.pools.get(event.pool);
        if (pool === undefined && !routed) this.world.settings.delete(event.pool);
        for (const tenant of pool?.tenants.values() ?? [])
          tenant.weight = this.world.effective(event.pool, tenant.policy);
        break;
      }
      case "limits_changed":
        this.world.ceiling = event.ceiling;
        break;
      default:
        break;
    }
    this.#dropQuietPools();
    return this.#actions;
  }

  /** Who must be admitted next, if anybody. */
  ideal(): Choice | undefined {
    this.noteTurns();
    if (this.world.books.running.length >= this.world.ceiling) return undefined;
    const able = [...this.world.pools.values()].filter((pool) => pool.couldAdmit);
    if (!this.world.has("no_round_robin")) able.sort((a, b) => a.turn - b.turn);
    for (const pool of able) {
      const choice = this.choose(pool);
      if (choice !== undefined) return choice;
    }
    return undefined;
  }

  /** Admits a waiting request, whether or not it is the ideal one. */
  admit({ request, isLent }: Choice): OracleGrant {
    this.world.books.remove("waiting", request.waiterId);
    const grant = this.#grant(request, "queued", isLent);
    this.#turns += 1;
    this.world.getPool(request.pool).turn = this.#turns;
    return grant;
  }

  #changePolicy(event: Extract<EngineEvent, { kind: "policy_changed" }>): void {
    const pool = this.world.pools.get(event.pool);
    if (pool === undefined) return;
    const tenant = event.tenant === undefined ? undefined : pool.tenants.get(event.tenant.id);
    if (tenant !== undefined && event.tenant !== undefined) this.#setTenant(pool, tenant, event.tenant);
    const group = event.group === undefined ? undefined : pool.groups.get(event.group.id);
    if (group !== undefined && event.group !== undefined) group.weight = checked(event.group.weight);
    const owner = event.key === undefined ? undefined : pool.tenants.get(event.key.tenantId);
    const key = owner?.keys.get(event.key?.policy.id ?? "");
    if (key !== undefined && event.key !== undefined) this.#setKey(key, event.key.policy);
  }

  // --- choosing

  /** Whom the pool would admit with a free slot. */
  choose(pool: OraclePool): Choice | undefined {
    const candidates = this.world.candidates(pool);
    if (candidates.length === 0) return undefined;
    if (this.world.has("fifo")) {
      const request = this.world.books.waiting.find(
        (each) => each.pool === pool.id && candidates.some((c) => c.tenant === each.tenant),
      );
      return request === undefined ? undefined : { request, isLent: false };
    }
    let among = candidates;
    let isLent = false;
    if (this.world.config.algorithm === "hierarchical") {
      const under = this.world.underShare(pool, candidates);
      isLent = under.length === 0;
      if (isLent && this.world.has("no_lending")) return undefined;
      if (!isLent) among = under;
      const group = first(among.map(({ tenant }) => tenant.group));
      among = among.filter(({ tenant }) => tenant.group === group);
    }
    const tenant = first(among.map((candidate) => candidate.tenant));
    const keys = among.find((candidate) => candidate.tenant === tenant)?.keys ?? [];
    const key = this.world.has("key_order_ignored") ? keys[0] : first(keys);
    const request = this.world.books.waiting.find((each) => each.key === key);
    return request === undefined ? undefined : { request, isLent };
  }

  /** A pool that becomes able to admit queues behind those that already were. */
  noteTurns(): void {
    for (const pool of this.world.pools.values()) {
      const can = this.world.canAdmit(pool);
      if (can && !pool.couldAdmit) {
        this.#turns += 1;
        pool.turn = this.#turns;
      }
      pool.couldAdmit = can;
    }
  }

  // --- charging

  #grant(request: OracleRequest, outcome: OracleGrant["outcome"], isLent: boolean): OracleGrant {
    const { tenant, key } = request;
    const { group } = tenant;
    const pool = this.world.getPool(request.pool);
    const cost = this.world.has("request_counting") ? 1 : request.cost;
    const isFlat = this.world.config.algorithm === "weighted";
    const tag = (account: Account) =>
      this.world.has("finish_tag") ? account.score + charged(account, cost) : account.score;
    tenant.keyLevel = Math.max(tenant.keyLevel, tag(key));
    if (isFlat) pool.tenantLevel = Math.max(pool.tenantLevel, tag(tenant));
    else group.tenantLevel = Math.max(group.tenantLevel, tag(tenant));
    pool.groupLevel = Math.max(pool.groupLevel, tag(group));
    this.#grants += 1;
    for (const account of [key, tenant, group]) {
      account.score += charged(account, cost);
      account.served += request.cost;
      account.lastGranted = this.#grants;
    }
    this.world.books.add("running", request);
    const waitMs = outcome === "fast" ? 0 : this.world.nowMs - request.arrivedMs;
    return { kind: "grant", waiterId: request.waiterId, outcome, waitMs, isLent };
  }

  /** Whoever had nothing waiting comes back level with those that wait and could run, or with the virtual time. */
  #rejoin(pool: OraclePool, tenant: TenantAccount, key: Account): void {
    if (this.world.has("no_lift")) return;
    const isFlat = this.world.config.algorithm === "weighted";
    const rivals = this.world.candidates(pool).map((candidate) => candidate.tenant);
    if (this.world.queued({ key }) === 0) {
      this.#lift(key, {
        siblings: this.world.readyKeys(tenant),
        level: tenant.keyLevel,
        isQuiet: this.world.taken({ key }) === 0,
      });
    }
    if (this.world.queued({ tenant }) === 0) {
      const siblings = isFlat ? rivals : rivals.filter((other) => other.group === tenant.group);
      const level = isFlat ? pool.tenantLevel : tenant.group.tenantLevel;
      this.#lift(tenant, { siblings, level, isQuiet: this.world.taken({ tenant }) === 0 });
    }
    const inGroup = { group: tenant.group };
    if (this.world.queued(inGroup) === 0) {
      const siblings = rivals.map((other) => other.group);
      this.#lift(tenant.group, { siblings, level: pool.groupLevel, isQuiet: this.world.taken(inGroup) === 0 });
    }
  }

  #lift(account: Account, at: { siblings: readonly Account[]; level: number; isQuiet: boolean }): void {
    const target = at.siblings.length > 0 ? Math.min(...at.siblings.map((sibling) => sibling.score)) : at.level;
    if (this.world.has("raw_lift")) {
      const served = Math.max(account.score * account.weight, target);
      account.score = Math.floor(served / account.weight);
      return;
    }
    const isForgotten = at.isQuiet && account.score <= at.level;
    if (isForgotten) {
      account.served = 0;
      account.lastGranted = 0;
    }
    account.score = isForgotten ? target : Math.max(account.score, target);
  }

  // --- events

  #arrive(event: Extract<EngineEvent, { kind: "arrive" }>): void {
    const settings = this.world.settingsOf(event.pool);
    const refuse = (reason: OracleRefusal["reason"]) =>
      this.#actions.push({ kind: "refuse", waiterId: event.waiterId, reason, waitMs: 0 });
    const pool = this.world.getPool(event.pool);
    const tenant = this.world.getTenant(pool, event.tenant);
    this.#setTenant(pool, tenant, event.tenant);
    const key = this.world.getKey(tenant, event.key);
    this.#setKey(key, event.key);
    // Its policy counts all the same, and whoever has nothing else going on may be forgotten, as with any refusal.
    if (!settings.hasServers && !settings.queueWithoutServers) {
      refuse("no_servers");
      this.#forget(pool, tenant, key);
      return;
    }
    const couldRun =
      settings.hasServers &&
      this.world.taken({ pool: pool.id }) < settings.size &&
      this.world.books.running.length < this.world.ceiling &&
      this.world.isBelowCap(this.world.taken({ tenant }), tenant.cap) &&
      this.world.isBelowCap(this.world.taken({ key }), key.cap) &&
      this.world.candidates(pool).length === 0;
    const limit = this.world.config.maxQueuePerPool ?? 0;
    if (!couldRun && limit > 0 && this.world.queued({ pool: pool.id }) >= limit) {
      refuse("queue_full");
      this.#forget(pool, tenant, key);
      return;
    }
    this.#rejoin(pool, tenant, key);
    const request: OracleRequest = {
      waiterId: event.waiterId,
      pool: event.pool,
      key,
      tenant,
      cost: event.costTokens,
      arrivedMs: this.world.nowMs,
      dueMs: event.timeoutMs === null ? Number.POSITIVE_INFINITY : this.world.nowMs + event.timeoutMs,
    };
    if (couldRun) {
      this.#actions.push(this.#grant(request, "fast", false));
      return;
    }
    this.world.books.add("waiting", request);
  }

  #cancel(waiterId: number): void {
    const request = this.world.books.remove("waiting", waiterId);
    if (request === undefined) return;
    if (this.world.has("charged_cancel")) {
      for (const account of [request.key, request.tenant, request.tenant.group]) {
        account.score += charged(account, request.cost);
      }
    }
    this.#forget(this.world.getPool(request.pool), request.tenant, request.key);
  }

  #finish(waiterId: number): void {
    const request = this.world.books.remove("running", waiterId);
    if (request !== undefined) this.#forget(this.world.getPool(request.pool), request.tenant, request.key);
  }

  #timeOut(): void {
    const due = this.world.books.waiting.filter((request) => request.dueMs <= this.world.nowMs);
    for (const request of due) {
      this.world.books.remove("waiting", request.waiterId);
      this.#actions.push({
        kind: "refuse",
        waiterId: request.waiterId,
        reason: "timed_out",
        waitMs: this.world.nowMs - request.arrivedMs,
      });
      this.#forget(this.world.getPool(request.pool), request.tenant, request.key);
    }
  }

  /** Whoever goes quiet at or below the virtual time is forgotten, a tenant with its keys, a group with its last tenant. */
  #forget(pool: OraclePool, tenant: TenantAccount, key: Account): void {
    if (this.world.taken({ key }) + this.world.queued({ key }) === 0 && key.score <= tenant.keyLevel)
      tenant.keys.delete(key.id);
    const { group } = tenant;
    if (this.world.taken({ tenant }) + this.world.queued({ tenant }) === 0) {
      const level = this.world.config.algorithm === "weighted" ? pool.tenantLevel : group.tenantLevel;
      if (tenant.score <= level) {
        pool.tenants.delete(tenant.id);
        this.#forgetGroup(pool, group);
      }
    }
    if (this.world.taken({ pool: pool.id }) + this.world.queued({ pool: pool.id }) === 0)
      pool.quietSinceMs = this.world.nowMs;
  }

  #forgetGroup(pool: OraclePool, group: GroupAccount): void {
    const hasMembers = [...pool.tenants.values()].some((tenant) => tenant.group === group);
    if (!hasMembers && group.score <= pool.groupLevel) pool.groups.delete(group.id);
  }

  #dropQuietPools(): void {
    for (const pool of this.world.pools.values()) {
      if (this.world.taken({ pool: pool.id }) + this.world.queued({ pool: pool.id }) > 0) continue;
      const { routed } = this.world.settingsOf(pool.id);
      if (routed && this.world.nowMs < pool.quietSinceMs + POOL_QUIET_MS) continue;
      this.world.pools.delete(pool.id);
      if (!routed) this.world.settings.delete(pool.id);
    }
  }

  #setTenant(pool: OraclePool, tenant: TenantAccount, policy: TenantPolicy): void {
    tenant.policy = policy;
    tenant.cap = policy.maxInFlight ?? Number.POSITIVE_INFINITY;
    tenant.weight = this.world.effective(pool.id, policy);
    if (tenant.group.id !== policy.group.id) this.#moveTenant(pool, tenant, policy);
    tenant.group.weight = checked(policy.group.weight);
  }

  /** Among new siblings a tenant is level, apart from what it owed among the old ones. */
  #moveTenant(pool: OraclePool, tenant: TenantAccount, policy: TenantPolicy): void {
    const from = tenant.group;
    const to = this.world.getGroup(pool, policy.group);
    const rivals = this.world.candidates(pool).map((candidate) => candidate.tenant);
    if (this.world.queued({ tenant }) > 0 && this.world.queued({ group: to }) === 0) {
      const siblings = rivals.filter((other) => other !== tenant).map((other) => other.group);
      const isQuiet = this.world.taken({ group: to }) === 0;
      this.#lift(to, { siblings, level: pool.groupLevel, isQuiet });
    }
    if (this.world.config.algorithm === "hierarchical") {
      const siblings = rivals.filter((other) => other.group === to).map((other) => other.score);
      const level = siblings.length > 0 ? Math.min(...siblings) : to.tenantLevel;
      tenant.score = level + Math.max(0, tenant.score - from.tenantLevel);
    }
    tenant.group = to;
    this.world.books.recount();
    const isEmpty = [...pool.tenants.values()].every((other) => other.group !== from);
    if (isEmpty) pool.groups.delete(from.id);
  }

  #setKey(key: Account, policy: KeyPolicy): void {
    key.cap = policy.maxInFlight ?? Number.POSITIVE_INFINITY;
    key.weight = checked(policy.weight);
  }
}
