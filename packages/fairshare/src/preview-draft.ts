/**
 * A pool as a draft: the inputs of the split, taken from a snapshot and changed without touching it. Knows which change
 * concerns which pool, and what a model's own cap or boost keeps it from changing.
 */
import { usableSlots } from "./limits";
import type { Directory, DirectoryTenant, PreviewChange, PreviewInput } from "./preview-data";
import { splitLimit } from "./shares";
import type { EngineSnapshot, PoolSnapshot } from "./snapshot";

/** One key as the draft has it. */
export interface DraftKey {
  readonly id: string;
  readonly tenantId: string;
  weight: number;
  /** Most slots here; null for no cap. */
  cap: number | null;
  readonly inUse: number;
  readonly queued: number;
}

/** One tenant as the draft has it: the weights behind its effective one, so that each can be changed alone. */
export interface DraftTenant {
  readonly id: string;
  /** Need not be in the draft's groups: a group of unknown weight counts as 1. */
  group: string;
  /** Before boost and admission weight. */
  weight: number;
  boostFactor: number;
  /** Most slots here, of all gateways' or this one's part; null for no cap. */
  cap: number | null;
  /** Share score as of the snapshot; a changed weight leaves it as it is, as in the engine. */
  readonly score: number;
  /** Slots in use, running and held, and requests that wait. */
  readonly inUse: number;
  readonly queued: number;
  readonly keys: DraftKey[];
}

/** A group's weight, and the score that breaks its ties. */
export interface DraftGroup {
  readonly id: string;
  weight: number;
  readonly score: number;
}

/** One pool that can be changed and split again: what a snapshot says, without what a split would work out. */
export interface Draft {
  readonly pool: string;
  /** Slots, and how many of them shares are split over: fewer while the ceiling binds. */
  size: number;
  usable: number;
  /** Percentage that scales every tenant's weight here. */
  admissionWeight: number;
  /** Also groups without work that a tenant may move to. */
  readonly groups: Map<string, DraftGroup>;
  readonly tenants: DraftTenant[];
}

/** Weight of a group that a tenant moves to and neither snapshot nor directory knows: what a new group gets. */
const DEFAULT_WEIGHT = 100;

/**
 * The pool as it stands: every tenant with work, and with `withIdle` every other tenant of the directory. An idle
 * tenant is level with its siblings, as it would be on its return.
 */
export function draftOf(pool: PoolSnapshot, directory: Directory | undefined, withIdle: boolean): Draft {
  const groups = new Map<string, DraftGroup>();
  for (const group of pool.groups) {
    groups.set(group.name, { id: group.name, weight: group.weight, score: group.shareScore });
  }
  const groupLevel = lowest(pool.groups.map((group) => group.shareScore));
  for (const group of directory?.groups ?? []) {
    if (!groups.has(group.id)) groups.set(group.id, { id: group.id, weight: group.weight, score: groupLevel });
  }
  const tenants = pool.tenants
    .filter((tenant) => withIdle || tenant.inFlight + tenant.queued + tenant.held > 0)
    .map(
      (tenant): DraftTenant => ({
        id: tenant.tenantId,
        group: tenant.group,
        weight: tenant.weight,
        boostFactor: tenant.boostFactor,
        cap: tenant.maxInFlight,
        score: tenant.shareScore,
        inUse: tenant.inFlight + tenant.held,
        queued: tenant.queued,
        keys: [],
      }),
    );
  const draft: Draft = {
    pool: pool.pool,
    size: pool.size,
    usable: pool.usable,
    admissionWeight: pool.admissionWeight,
    groups,
    tenants,
  };
  if (withIdle) addIdleTenants(draft, directory);
  addKeys(draft, pool, withIdle ? directory : undefined);
  return draft;
}

/**
 * Adds the directory's tenants that have no work here. They have no score yet, so each is put level with its siblings,
 * as on a return.
 */
function addIdleTenants(draft: Draft, directory: Directory | undefined): void {
  const known = new Set(draft.tenants.map((tenant) => tenant.id));
  for (const tenant of directory?.tenants ?? []) {
    if (known.has(tenant.id)) continue;
    const siblings = draft.tenants.filter((other) => other.group === tenant.group);
    draft.tenants.push({
      id: tenant.id,
      group: tenant.group,
      weight: tenant.weight,
      boostFactor: 1,
      cap: capIn(tenant, draft.pool),
      score: lowest(siblings.map((other) => other.score)),
      inUse: 0,
      queued: 0,
      keys: [],
    });
  }
}

/** Adds the keys with work, and with a directory all others, so that caps of idle ones can be tried. */
function addKeys(draft: Draft, pool: PoolSnapshot, directory: Directory | undefined): void {
  const tenants = new Map(draft.tenants.map((tenant) => [tenant.id, tenant]));
  const known = new Set<string>();
  for (const key of pool.keys) {
    if (key.inFlight + key.queued + key.held === 0) continue;
    known.add(key.keyId);
    tenants.get(key.tenantId)?.keys.push({
      id: key.keyId,
      tenantId: key.tenantId,
      weight: key.weight,
      cap: key.maxInFlight,
      inUse: key.inFlight + key.held,
      queued: key.queued,
    });
  }
  for (const key of directory?.keys ?? []) {
    if (known.has(key.id)) continue;
    const { id, tenantId, weight, maxInFlight: cap } = key;
    tenants.get(tenantId)?.keys.push({ id, tenantId, weight, cap, inUse: 0, queued: 0 });
  }
}

/** A copy under the draft's changes, and whether any of them touches this pool. */
export function changedDraft(
  base: Draft,
  pool: PoolSnapshot,
  input: PreviewInput,
): { draft: Draft; isTouched: boolean } {
  const draft: Draft = {
    ...base,
    groups: new Map([...base.groups].map(([id, group]) => [id, { ...group }])),
    tenants: base.tenants.map((tenant) => ({ ...tenant, keys: tenant.keys.map((key) => ({ ...key })) })),
  };
  let isTouched = false;
  for (const change of input.changes) {
    if (applyChange({ draft, change, pool, input })) isTouched = true;
  }
  return { draft, isTouched };
}

/** One change on its way into a draft. */
interface Application {
  readonly draft: Draft;
  readonly change: PreviewChange;
  readonly pool: PoolSnapshot;
  readonly input: PreviewInput;
}

/** True when the change concerns something in this pool. */
function applyChange({ draft, change, pool, input }: Application): boolean {
  switch (change.kind) {
    case "group_weight": {
      const group = draft.groups.get(change.id);
      if (group === undefined) return false;
      group.weight = change.value;
      return draft.tenants.some((tenant) => tenant.group === change.id);
    }
    case "key_weight":
    case "key_cap": {
      const key = findKey(draft, change.id);
      if (key === undefined) return false;
      if (change.kind === "key_weight") key.weight = change.value;
      else key.cap = change.value;
      return true;
    }
    case "pool_size":
      if (change.id !== draft.pool) return false;
      draft.size = splitLimit(change.value, input.splitOver ?? 1);
      draft.usable = usableOf(input.engine, pool, draft.size);
      return true;
    case "admission_weight":
      if (change.id !== draft.pool) return false;
      draft.admissionWeight = change.value;
      return true;
    default: {
      const tenant = draft.tenants.find((candidate) => candidate.id === change.id);
      return tenant !== undefined && applyToTenant({ draft, tenant, change, input });
    }
  }
}

/** The changes that concern one tenant. */
type TenantEdit = Extract<
  PreviewChange,
  { kind: "tenant_weight" | "tenant_cap" | "tenant_model_cap" | "tenant_group" | "boost" }
>;

/** True when the change concerns this pool: a cap or boost that the model's own one replaces here does not. */
function applyToTenant(given: {
  draft: Draft;
  tenant: DraftTenant;
  change: TenantEdit | PreviewChange;
  input: PreviewInput;
}): boolean {
  const { draft, tenant, change, input } = given;
  const configured = input.directory?.tenants.find((candidate) => candidate.id === tenant.id);
  const splitOver = input.splitOver ?? 1;
  switch (change.kind) {
    case "tenant_weight":
      tenant.weight = change.value;
      return true;
    case "tenant_cap":
      if (hasModelCap(configured, draft.pool)) return false;
      tenant.cap = splitCap(change.value, splitOver);
      return true;
    case "tenant_model_cap":
      if (change.model !== draft.pool) return false;
      tenant.cap = splitCap(change.value === "tenant" ? (configured?.maxInFlight ?? null) : change.value, splitOver);
      return true;
    case "tenant_group":
      tenant.group = change.value;
      if (!draft.groups.has(change.value)) {
        const score = lowest([...draft.groups.values()].map((group) => group.score));
        draft.groups.set(change.value, { id: change.value, weight: DEFAULT_WEIGHT, score });
      }
      return true;
    case "boost": {
      const model = change.model ?? null;
      const isElsewhere = model === null ? hasModelBoost(configured, draft.pool) : model !== draft.pool;
      if (isElsewhere) return false;
      tenant.boostFactor = change.value;
      return true;
    }
    default:
      return false;
  }
}

/** The engine's own reading of what a pool of `size` can fill, from a snapshot's counts. */
function usableOf(engine: EngineSnapshot, pool: PoolSnapshot, size: number): number {
  return usableSlots({ size, taken: pool.inFlight + pool.held }, engine.ceiling - engine.inFlight - engine.held);
}

/** The key of that id, whoever's it is; undefined when it has no work here and is not in the directory. */
function findKey(draft: Draft, id: string): DraftKey | undefined {
  for (const tenant of draft.tenants) {
    const key = tenant.keys.find((candidate) => candidate.id === id);
    if (key !== undefined) return key;
  }
  return undefined;
}

/** A tenant's cap in a pool: the model's own where it has one, null included. */
function capIn(tenant: DirectoryTenant, pool: string): number | null {
  const own = tenant.modelCaps.find((cap) => cap.model === pool);
  return own === undefined ? tenant.maxInFlight : own.maxInFlight;
}

/** Whether a cap of the tenant for this model alone is in force. */
function hasModelCap(tenant: DirectoryTenant | undefined, pool: string): boolean {
  return tenant?.modelCaps.some((cap) => cap.model === pool) ?? false;
}

/** Whether a boost of the tenant for this model alone is in force. */
function hasModelBoost(tenant: DirectoryTenant | undefined, pool: string): boolean {
  return tenant?.boostedModels.includes(pool) ?? false;
}

/** The part of a cap that counts on one gateway; null for no cap. */
function splitCap(cap: number | null, splitOver: number): number | null {
  return cap === null ? null : splitLimit(cap, splitOver);
}

/** The smallest of the scores; 0 when there is none. */
function lowest(scores: readonly number[]): number {
  return scores.length === 0 ? 0 : scores.reduce((a, b) => Math.min(a, b));
}
