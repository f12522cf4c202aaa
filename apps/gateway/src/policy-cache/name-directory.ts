/**
 * Tenants and groups by id, and names of keys, for the live state. Tenants and groups are held whole, one changed
 * tenant is read alone; keys can be many, so their names are read when first asked for, many at a time, and the
 * caller does without in the meantime.
 */
import type { KeyId, TenantId } from "@obleth/fairshare";
import { LRUCache } from "lru-cache";
import type { GroupRecord, KeyStanding, NameDirectory, PolicySource, TenantStanding } from "./records";

/** Names kept; a live answer shows at most a few hundred keys a pool. */
const MAX_KEY_NAMES = 20_000;
/** Names asked for in one read. */
const MAX_KEYS_PER_READ = 500;

export interface NameDirectoryOptions {
  readonly source: Pick<PolicySource, "loadTenants" | "loadGroups" | "loadKeys">;
  /** A read failed; names stay as they were. */
  readonly onError: (error: unknown) => void;
  /** Something shown has changed. */
  readonly onChange?: () => void;
}

export class HeldNames implements NameDirectory {
  readonly #options: NameDirectoryOptions;
  #tenants = new Map<TenantId, TenantStanding>();
  #groups = new Map<string, GroupRecord>();
  /** null: asked for, and not a key any more. */
  readonly #keyNames = new LRUCache<KeyId, { readonly name: string | null }>({ max: MAX_KEY_NAMES });
  readonly #wanted = new Set<KeyId>();
  #isReadingKeys = false;

  constructor(options: NameDirectoryOptions) {
    this.#options = options;
  }

  tenant(id: TenantId): TenantStanding | undefined {
    return this.#tenants.get(id);
  }

  group(name: string): GroupRecord | undefined {
    return this.#groups.get(name);
  }

  /** The name that the group with this row id had when groups were last read. */
  groupNameOf(rowId: string): string | undefined {
    for (const group of this.#groups.values()) if (group.id === rowId) return group.name;
    return undefined;
  }

  tenants(): Iterable<TenantStanding> {
    return this.#tenants.values();
  }

  keyName(id: KeyId): string | undefined {
    const known = this.#keyNames.get(id);
    if (known !== undefined) return known.name ?? undefined;
    this.#wanted.add(id);
    if (!this.#isReadingKeys) void this.#readWantedKeys();
    return undefined;
  }

  /** Reads everything again. Rejects, keeping what was known, when it cannot. */
  async reload(): Promise<void> {
    const [tenants, groups] = await Promise.all([
      this.#options.source.loadTenants(),
      this.#options.source.loadGroups(),
    ]);
    this.#tenants = new Map(tenants.map((tenant) => [tenant.id, tenant]));
    this.#groups = new Map(groups.map((group) => [group.name, group]));
    this.#options.onChange?.();
  }

  /** Reads one tenant again and returns it; undefined when it is gone. */
  async reloadTenant(id: TenantId): Promise<TenantStanding | undefined> {
    const [tenant] = await this.#options.source.loadTenants([id]);
    if (tenant === undefined) this.#tenants.delete(id);
    else this.#tenants.set(id, tenant);
    this.#options.onChange?.();
    return tenant;
  }

  /** What a key's own read said of its name; null when the key is gone. */
  noteKey(id: KeyId, record: KeyStanding | null): void {
    this.#keyNames.set(id, { name: record?.name ?? null });
    this.#options.onChange?.();
  }

  async #readWantedKeys(): Promise<void> {
    this.#isReadingKeys = true;
    // One turn later, so that a whole answer's keys are asked for together.
    await Promise.resolve();
    try {
      while (this.#wanted.size > 0) {
        const ids = [...this.#wanted].slice(0, MAX_KEYS_PER_READ);
        for (const id of ids) this.#wanted.delete(id);
        const found = new Map((await this.#options.source.loadKeys(ids)).map((key) => [key.policy.id, key]));
        for (const id of ids) this.#keyNames.set(id, { name: found.get(id)?.name ?? null });
        this.#options.onChange?.();
      }
    } catch (error) {
      this.#wanted.clear();
      this.#options.onError(error);
    } finally {
      this.#isReadingKeys = false;
    }
  }
}
