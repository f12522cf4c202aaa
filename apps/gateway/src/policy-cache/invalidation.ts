/**
 * What a change of the configuration does here: cached records of what changed are dropped at once, and whoever waits
 * in a queue is given the newer policy as soon as it is read. A notice that says "anything" makes everything be read
 * again. Reads that fail are tried again until they succeed; until then requests carry what their own look-up finds.
 */
import type { Clock, Timer } from "@obleth/clock";
import type { ConfigChange, ConfigNotice } from "@obleth/db";
import type { EngineSnapshot, KeyId, PolicyChanged, PoolId, TenantId } from "@obleth/fairshare";
import { keyId, tenantId } from "@obleth/fairshare";
import type { CachedKeys } from "./key-directory";
import type { HeldModels } from "./model-directory";
import type { HeldNames } from "./name-directory";
import type { KeyStanding, PolicySource, TenantStanding } from "./records";
import { tenantPolicyIn } from "./tenant-policy";

/** Pause before a failed read is tried again. */
const RETRY_MS = 500;
/** Longest sleep before boosts are looked at again; only bounds the timer. */
const MAX_BOOST_SLEEP_MS = 3_600_000;

/** The part of the scheduler that learns of changes. */
export interface PolicySink {
  policyChanged(event: PolicyChanged): void;
  snapshot(): EngineSnapshot;
}

export interface InvalidationOptions {
  readonly keys: CachedKeys;
  readonly models: HeldModels;
  readonly names: HeldNames;
  readonly source: Pick<PolicySource, "loadKeys">;
  readonly sink: PolicySink;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** A run-time setting (the ceiling) may have changed. */
  readonly onSettings: () => Promise<void>;
}

export class Invalidation {
  readonly #options: InvalidationOptions;
  #boostTimer: Timer | undefined;
  /** Reads follow one another, so that an older one never overwrites a newer one. */
  #lastRead: Promise<void> = Promise.resolve();
  #versionInForce = 0;
  #isClosed = false;

  constructor(options: InvalidationOptions) {
    this.#options = options;
  }

  /** Newest configuration version of which everything has been read and passed on; 0 before the start. */
  get versionInForce(): number {
    return this.#versionInForce;
  }

  /** Reads everything a first time, of that version at least; rejects when it cannot. */
  async start(version: number): Promise<void> {
    await Promise.all([this.#options.models.reload(), this.#options.names.reload()]);
    this.#nowInForce(version);
    this.#watchBoosts();
  }

  close(): void {
    this.#isClosed = true;
    this.#boostTimer?.cancel();
  }

  /** Takes effect for the next admission before it returns; resolves when waiting requests have the newer policy too. */
  apply(notice: ConfigNotice): Promise<void> {
    const { changes } = notice;
    if (changes === "all") this.#options.keys.expireAll();
    else this.#evict(changes);
    const read = () => (changes === "all" ? this.#refreshAll() : this.#refresh(changes));
    this.#lastRead = this.#lastRead
      .then(() => this.#untilRead(read))
      .then((isRead) => {
        if (isRead) this.#nowInForce(notice.version);
      });
    return this.#lastRead;
  }

  #nowInForce(version: number): void {
    this.#versionInForce = Math.max(this.#versionInForce, version);
  }

  #evict(changes: readonly ConfigChange[]): void {
    const { keys } = this.#options;
    // Records name models in caps and allowlists, and any tenant may have got a boost.
    if (changes.some(({ kind }) => kind === "model" || kind === "boost")) keys.expireAll();
    const ids = idsByKind(changes);
    const groupNames = new Set(ids.group.map((id) => this.#options.names.groupNameOf(id)));
    keys.evict(
      (record) =>
        ids.key.includes(record.policy.id) ||
        ids.tenant.includes(record.tenant.id) ||
        groupNames.has(record.tenant.group.id),
    );
  }

  async #refresh(changes: readonly ConfigChange[]): Promise<void> {
    const { models, names, onSettings } = this.#options;
    const ids = idsByKind(changes);
    if (ids.model.length > 0) await models.reload();
    if (ids.settings.length > 0) await onSettings();
    // A renamed model changes caps of many tenants, a group's weight all of its tenants', a boost anybody's.
    if (ids.model.length + ids.group.length + ids.boost.length > 0) {
      await names.reload();
      this.#pushTenants(names.tenants());
    } else {
      for (const id of ids.tenant) await this.#refreshTenant(tenantId(id));
    }
    if (ids.key.length > 0) await this.#refreshKeys(ids.key.map(keyId));
    this.#watchBoosts();
  }

  async #refreshAll(): Promise<void> {
    const { models, names, onSettings, sink } = this.#options;
    // The ceiling is read after the pool sizes and holds before them: together they never admit more than either said.
    await Promise.all([models.reload(onSettings), names.reload()]);
    this.#pushTenants(names.tenants());
    const waiting = sink.snapshot().pools.flatMap((pool) => pool.keys.filter((key) => key.queued > 0));
    await this.#refreshKeys([...new Set(waiting.map((key) => key.keyId))]);
    this.#watchBoosts();
  }

  async #refreshTenant(id: TenantId): Promise<void> {
    const tenant = await this.#options.names.reloadTenant(id);
    if (tenant !== undefined) this.#pushTenants([tenant]);
  }

  async #refreshKeys(ids: readonly KeyId[]): Promise<void> {
    if (ids.length === 0) return;
    const records = await this.#options.source.loadKeys(ids);
    const found = new Map(records.map((record) => [record.policy.id, record]));
    for (const id of ids) this.#options.names.noteKey(id, found.get(id) ?? null);
    this.#pushKeys(found);
  }

  /** Gives the pools where they have work the tenants' present weights, groups, caps and boosts. */
  #pushTenants(tenants: Iterable<TenantStanding>): void {
    const { sink, clock } = this.#options;
    const byId = new Map<TenantId, TenantStanding>();
    for (const tenant of tenants) byId.set(tenant.id, tenant);
    for (const { pool, tenants: present } of sink.snapshot().pools) {
      for (const { tenantId: id } of present) {
        const record = byId.get(id);
        if (record === undefined) continue;
        sink.policyChanged({ kind: "policy_changed", pool, tenant: tenantPolicyIn(record, pool, clock.wallMs()) });
      }
    }
  }

  #pushKeys(records: ReadonlyMap<KeyId, KeyStanding>): void {
    const { sink } = this.#options;
    for (const { pool, keys } of sink.snapshot().pools) {
      for (const { keyId: id } of keys) {
        const record = records.get(id);
        if (record !== undefined) this.#pushKey(pool, record);
      }
    }
  }

  #pushKey(pool: PoolId, record: KeyStanding): void {
    const key = { tenantId: record.tenantId, policy: record.policy };
    this.#options.sink.policyChanged({ kind: "policy_changed", pool, key });
  }

  /** A boost ends by the clock, with no notice: whoever waits goes back to the plain weight at that moment. */
  #watchBoosts(): void {
    this.#boostTimer?.cancel();
    const nowMs = this.#options.clock.wallMs();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const tenant of this.#options.names.tenants()) {
      for (const { expiresAtMs } of tenant.boosts) if (expiresAtMs > nowMs) nextMs = Math.min(nextMs, expiresAtMs);
    }
    if (this.#isClosed || nextMs === Number.POSITIVE_INFINITY) return;
    this.#boostTimer = this.#options.clock.setTimer(Math.min(nextMs - nowMs, MAX_BOOST_SLEEP_MS), () => {
      const boosted = [...this.#options.names.tenants()].filter((tenant) => tenant.boosts.length > 0);
      this.#pushTenants(boosted);
      this.#watchBoosts();
    });
  }

  /** False when it was closed before the read succeeded. */
  async #untilRead(read: () => Promise<void>): Promise<boolean> {
    while (!this.#isClosed) {
      try {
        await read();
        return true;
      } catch (error) {
        this.#options.onError(error);
        await new Promise<void>((resolve) => this.#options.clock.setTimer(RETRY_MS, resolve));
      }
    }
    return false;
  }
}

function idsByKind(changes: readonly ConfigChange[]): Record<ConfigChange["kind"], string[]> {
  const ids = { group: [], tenant: [], key: [], model: [], boost: [], settings: [], user: [] } as Record<
    ConfigChange["kind"],
    string[]
  >;
  for (const change of changes) ids[change.kind].push(change.id);
  return ids;
}
