/**
 * The next weight at which a slot moves, found by search. A larger weight never gets fewer slots, so a step lies
 * between any weight that has the slots and any that has others. Quotas say where to look: without a lift a part is its
 * quota rounded down or up. What they suggest is tried before it is believed; then the distance is halved.
 */
import { LARGEST_WEIGHT } from "./policy";
import type { NextStep, PreviewChange } from "./preview-data";
import { type Divided, keyClaims, tenantClaims, weightOf } from "./preview-split";
import { type Claimant, splitSlots } from "./shares";
import type { EngineSnapshot } from "./snapshot";

/** A step for each changed weight that takes part in the pool, with all other changes of the draft in force. */
export function nextStepsOf(given: {
  after: Divided;
  changes: readonly PreviewChange[];
  algorithm: EngineSnapshot["algorithm"];
}): NextStep[] {
  const steps: NextStep[] = [];
  for (const change of given.changes) {
    if (change.kind !== "group_weight" && change.kind !== "tenant_weight" && change.kind !== "key_weight") continue;
    const { kind, id, value } = change;
    const level = levelOf({ after: given.after, algorithm: given.algorithm, kind, id });
    if (level === null) continue;
    const slots = level.slotsAt(value);
    steps.push({ kind, id, value, slots, up: stepUp(level, value, slots), down: stepDown(level, value, slots) });
  }
  return steps;
}

/** One claimant's slots as a function of its weight, the others' weights standing. */
interface LevelOf {
  readonly slotsAt: (weight: number) => number;
  /** The weight at which its quota is `slots`; above LARGEST_WEIGHT or Infinity where none is. */
  readonly weightFor: (slots: number) => number;
}

/** The smallest larger weight that gets more slots, and how many; null when none does. O(log weights) splits. */
function stepUp({ slotsAt, weightFor }: LevelOf, value: number, slots: number): NextStep["up"] {
  if (value >= LARGEST_WEIGHT || slotsAt(LARGEST_WEIGHT) === slots) return null;
  let same = value;
  let more = LARGEST_WEIGHT;
  for (const suggested of [Math.floor(weightFor(slots)), Math.ceil(weightFor(slots + 1))]) {
    if (suggested <= same || suggested >= more) continue;
    if (slotsAt(suggested) > slots) more = suggested;
    else same = suggested;
  }
  while (more - same > 1) {
    const middle = Math.floor((same + more) / 2);
    if (slotsAt(middle) > slots) more = middle;
    else same = middle;
  }
  return { value: more, slots: slotsAt(more) };
}

/** The largest smaller weight that gets fewer slots, and how many; null when none does. O(log weights) splits. */
function stepDown({ slotsAt, weightFor }: LevelOf, value: number, slots: number): NextStep["down"] {
  if (value <= 1 || slotsAt(1) === slots) return null;
  let fewer = 1;
  let same = value;
  for (const suggested of [Math.floor(weightFor(slots - 1)), Math.ceil(weightFor(slots))]) {
    if (suggested <= fewer || suggested >= same) continue;
    if (slotsAt(suggested) < slots) fewer = suggested;
    else same = suggested;
  }
  while (same - fewer > 1) {
    const middle = Math.floor((fewer + same) / 2);
    if (slotsAt(middle) < slots) fewer = middle;
    else same = middle;
  }
  return { value: fewer, slots: slotsAt(fewer) };
}

/** Null when the claimant does not take part here. */
function levelOf(given: {
  after: Divided;
  algorithm: EngineSnapshot["algorithm"];
  kind: NextStep["kind"];
  id: string;
}): LevelOf | null {
  const { after, algorithm, kind, id } = given;
  const { draft, active, busy } = after;
  if (kind === "group_weight") {
    if (algorithm === "weighted" || !busy.groups.has(id)) return null;
    return slotsWithin({ slots: draft.usable, claims: active, id, scale: (weight) => weight });
  }
  if (kind === "tenant_weight") {
    const tenant = draft.tenants.find((candidate) => candidate.id === id);
    if (tenant === undefined) return null;
    const isFlat = algorithm === "weighted";
    const siblings = isFlat ? draft.tenants : draft.tenants.filter((other) => other.group === tenant.group);
    const slots = isFlat ? draft.usable : (busy.groups.get(tenant.group) ?? 0);
    const scale = (weight: number) => weightOf(draft, { ...tenant, weight });
    return slotsWithin({ slots, claims: tenantClaims(draft, siblings), id, scale });
  }
  const tenant = draft.tenants.find((candidate) => candidate.keys.some((key) => key.id === id));
  if (tenant === undefined) return null;
  const slots = busy.tenants.get(tenant.id) ?? 0;
  return slotsWithin({ slots, claims: keyClaims(tenant), id, scale: (weight) => weight });
}

/** One claimant among its siblings; null when it is not among them. */
function slotsWithin(given: {
  slots: number;
  claims: readonly Claimant[];
  id: string;
  scale: (weight: number) => number;
}): LevelOf | null {
  const at = given.claims.findIndex((claim) => claim.id === given.id);
  if (at < 0) return null;
  const claims = given.claims.map(({ id, score, weight }) => ({ id, score, weight }));
  const others = claims.reduce((sum, claim, index) => (index === at ? sum : sum + claim.weight), 0);
  const perWeight = given.scale(LARGEST_WEIGHT) / LARGEST_WEIGHT;
  return {
    slotsAt: (weight) => {
      const own = claims[at];
      if (own !== undefined) own.weight = given.scale(weight);
      return splitSlots(given.slots, claims)[at] ?? 0;
    },
    weightFor: (slots) =>
      slots < given.slots ? (slots * others) / (given.slots - slots) / perWeight : Number.POSITIVE_INFINITY,
  };
}
