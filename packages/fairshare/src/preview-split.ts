/**
 * A draft divided twice: by the split alone, as if everyone with work wanted all it can get, and with today's demand,
 * where spare slots are lent. The first is the scheduler's own split; the second is an estimate of where it settles.
 */

import { effectiveWeight } from "./policy";
import type { Draft, DraftTenant } from "./preview-draft";
import { type Claimant, splitSlots } from "./shares";
import type { Algorithm } from "./snapshot";

/** Parts by id. Groups are sums of their tenants under `weighted`. */
export interface Parts {
  readonly groups: ReadonlyMap<string, number>;
  readonly tenants: ReadonlyMap<string, number>;
  readonly keys: ReadonlyMap<string, number>;
}

/** A group that takes part, and its tenants that do. */
export interface ActiveGroup {
  readonly id: string;
  readonly weight: number;
  readonly score: number;
  readonly tenants: readonly DraftTenant[];
}

/** A draft and its three divisions, all over `draft.usable` slots. */
export interface Divided {
  readonly draft: Draft;
  /** Those that take part, in the order of their first tenant. */
  readonly active: readonly ActiveGroup[];
  /** Whole slots while everybody wants all it can get: the scheduler's split. */
  readonly busy: Parts;
  /** The fractions behind them. */
  readonly fair: Parts;
  /** Whole slots where today's demand settles; fewer in all when less is wanted. */
  readonly settled: Parts;
}

/**
 * All that a draft's split gives: whole slots while everybody is busy, the fractions behind them, and where today's
 * demand settles.
 */
export function divide(draft: Draft, algorithm: Algorithm): Divided {
  const active = activeGroups(draft);
  const busy = busyParts(draft, active, algorithm);
  const fair = fairParts(draft, active, algorithm);
  return { draft, active, busy, fair, settled: settledParts({ draft, active, busy }, algorithm) };
}

/** The weight a draft's tenant competes with; the engine's own formula. */
export function weightOf(draft: Draft, tenant: DraftTenant): number {
  return effectiveWeight(tenant, draft.admissionWeight);
}

/** The draft's tenants by group, with the group's weight and score. */
function activeGroups(draft: Draft): ActiveGroup[] {
  const groups = new Map<string, ActiveGroup & { tenants: DraftTenant[] }>();
  for (const tenant of draft.tenants) {
    const known = groups.get(tenant.group);
    if (known !== undefined) {
      known.tenants.push(tenant);
      continue;
    }
    const { weight, score } = draft.groups.get(tenant.group) ?? { weight: 1, score: 0 };
    groups.set(tenant.group, { id: tenant.group, weight, score, tenants: [tenant] });
  }
  return [...groups.values()];
}

/** Tenants as claimants of a split: by effective weight, ties by score. */
export function tenantClaims(draft: Draft, tenants: readonly DraftTenant[]): Claimant[] {
  return tenants.map((tenant) => ({ id: tenant.id, weight: weightOf(draft, tenant), score: tenant.score }));
}

/** Keys compete by weight; their scores do not decide whole slots, so the larger weight then the id breaks ties. */
export function keyClaims(tenant: DraftTenant): Claimant[] {
  return tenant.keys.map((key) => ({ id: key.id, weight: key.weight, score: 0 }));
}

/** Slots while everyone is busy, by the split. */
function busyParts(draft: Draft, active: readonly ActiveGroup[], algorithm: Algorithm): Parts {
  const tenants = new Map<string, number>();
  const groups = new Map<string, number>();
  if (algorithm === "weighted") {
    const parts = splitSlots(draft.usable, tenantClaims(draft, draft.tenants));
    draft.tenants.forEach((tenant, i) => {
      const slots = parts[i] ?? 0;
      tenants.set(tenant.id, slots);
      groups.set(tenant.group, (groups.get(tenant.group) ?? 0) + slots);
    });
  } else {
    const parts = splitSlots(draft.usable, active);
    active.forEach((group, g) => {
      const part = parts[g] ?? 0;
      groups.set(group.id, part);
      const inner = splitSlots(part, tenantClaims(draft, group.tenants));
      group.tenants.forEach((tenant, t) => {
        tenants.set(tenant.id, inner[t] ?? 0);
      });
    });
  }
  return { groups, tenants, keys: keyParts(draft, tenants) };
}

/** The fractions behind `busyParts`. */
function fairParts(draft: Draft, active: readonly ActiveGroup[], algorithm: Algorithm): Parts {
  const groups = new Map<string, number>();
  const tenants = new Map<string, number>();
  const keys = new Map<string, number>();
  const groupTotal = sum(active.map((group) => group.weight));
  const tenantTotal = sum(draft.tenants.map((tenant) => weightOf(draft, tenant)));
  for (const group of active) {
    const inner = sum(group.tenants.map((tenant) => weightOf(draft, tenant)));
    const part = (draft.usable * group.weight) / groupTotal;
    let groupPart = 0;
    for (const tenant of group.tenants) {
      const weight = weightOf(draft, tenant);
      const fair = algorithm === "weighted" ? (draft.usable * weight) / tenantTotal : (part * weight) / inner;
      tenants.set(tenant.id, fair);
      groupPart += fair;
      const keyTotal = sum(tenant.keys.map((key) => key.weight));
      for (const key of tenant.keys) keys.set(key.id, (fair * key.weight) / keyTotal);
    }
    groups.set(group.id, algorithm === "weighted" ? groupPart : part);
  }
  return { groups, tenants, keys };
}

/**
 * Slots once today's demand has settled: each starts with its share or what it can use of it, and spare slots are lent
 * one by one to whoever could use another, in the order of slots per weight: the group first, then its tenant (tenants
 * alone under `weighted`). Slots stand in for the tokens that decide in the engine, a fair guess while requests cost
 * alike. O(slots lent x accounts).
 */
function settledParts(given: Pick<Divided, "draft" | "active" | "busy">, algorithm: Algorithm): Parts {
  const { draft, active, busy } = given;
  const lines = active.map(
    (group): Line => ({
      id: group.id,
      score: group.score,
      weight: group.weight,
      slots: 0,
      takers: group.tenants.map((tenant): Taker => {
        const reach = reachOf(tenant);
        const slots = Math.min(busy.tenants.get(tenant.id) ?? 0, reach);
        return { id: tenant.id, score: tenant.score, weight: weightOf(draft, tenant), slots, reach };
      }),
    }),
  );
  let spare = draft.usable;
  for (const line of lines) {
    line.slots = sum(line.takers.map((taker) => taker.slots));
    spare -= line.slots;
  }
  const everybody = algorithm === "weighted" ? lines.flatMap((line) => line.takers) : [];
  for (; spare > 0; spare--) {
    const line = algorithm === "weighted" ? undefined : leastServed(lines, hasRoom);
    const taker = leastServed(line === undefined ? everybody : line.takers, canTake);
    if (taker === undefined) break;
    taker.slots += 1;
    if (line !== undefined) line.slots += 1;
  }
  const tenants = new Map<string, number>();
  const groups = new Map<string, number>();
  for (const line of lines) {
    let slots = 0;
    for (const taker of line.takers) {
      tenants.set(taker.id, taker.slots);
      slots += taker.slots;
    }
    groups.set(line.id, slots);
  }
  return { groups, tenants, keys: keyParts(draft, tenants) };
}

/** Who spare slots can be lent to, with what it has so far. */
interface Standing {
  readonly id: string;
  readonly score: number;
  readonly weight: number;
  slots: number;
}

/** A tenant that spare slots can be lent to, and the most it could use. */
interface Taker extends Standing {
  readonly reach: number;
}

/** A group with its tenants. */
interface Line extends Standing {
  readonly takers: readonly Taker[];
}

/** Whether a tenant could use one more slot. */
function canTake(taker: Taker): boolean {
  return taker.slots < taker.reach;
}

/** Whether anybody in the group could. */
function hasRoom(line: Line): boolean {
  return line.takers.some(canTake);
}

/** The most slots a tenant could use now: what it has and waits for, within its cap and its keys' caps. */
export function reachOf(tenant: DraftTenant): number {
  let byKeys = 0;
  let listed = 0;
  for (const key of tenant.keys) {
    const wanted = key.inUse + key.queued;
    listed += wanted;
    byKeys += key.cap === null ? wanted : Math.min(wanted, key.cap);
  }
  const wanted = tenant.inUse + tenant.queued;
  const reach = byKeys + Math.max(0, wanted - listed);
  return tenant.cap === null ? reach : Math.min(reach, tenant.cap);
}

/** Each tenant's slots over its keys, as a guide: the engine splits slots no further than tenants. */
function keyParts(draft: Draft, tenants: ReadonlyMap<string, number>): Map<string, number> {
  const keys = new Map<string, number>();
  for (const tenant of draft.tenants) {
    const [only] = tenant.keys;
    if (tenant.keys.length === 1 && only !== undefined) {
      keys.set(only.id, tenants.get(tenant.id) ?? 0);
      continue;
    }
    const parts = splitSlots(tenants.get(tenant.id) ?? 0, keyClaims(tenant));
    tenant.keys.forEach((key, i) => {
      keys.set(key.id, parts[i] ?? 0);
    });
  }
  return keys;
}

/** Of those that may take one, whoever has the fewest slots for its weight; equal ones by score, then id. */
function leastServed<Item extends Standing>(
  items: readonly Item[],
  mayTake: (item: Item) => boolean,
): Item | undefined {
  let best: Item | undefined;
  for (const item of items) {
    if (!mayTake(item)) continue;
    if (best === undefined || comesBefore(item, best)) best = item;
  }
  return best;
}

/** Fewer slots for the weight first, compared crosswise so that nothing is rounded. */
function comesBefore(a: Standing, b: Standing): boolean {
  const distance = a.slots * b.weight - b.slots * a.weight;
  if (distance !== 0) return distance < 0;
  return a.score === b.score ? a.id < b.id : a.score < b.score;
}

/** The sum; 0 of nothing. */
function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
