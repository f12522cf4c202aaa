/**
 * The next weight at which a slot moves, found by search. A larger weight never gets fewer slots, so the step can be
 * found by doubling the distance until it is passed, and halving after that.
 */
import type { NextStep, PreviewChange } from "./preview-data";
import type { Draft } from "./preview-draft";
import { activeGroups, busyParts, keyClaims, tenantClaims, weightOf } from "./preview-split";
import { type Claimant, splitSlots } from "./shares";
import type { EngineSnapshot } from "./snapshot";

const MAX_WEIGHT = 1_000_000;

/** A step for each changed weight that takes part in the pool, with all other changes of the draft in force. */
export function nextStepsOf(given: {
  draft: Draft;
  changes: readonly PreviewChange[];
  algorithm: EngineSnapshot["algorithm"];
}): NextStep[] {
  const steps: NextStep[] = [];
  for (const change of given.changes) {
    if (change.kind !== "group_weight" && change.kind !== "tenant_weight" && change.kind !== "key_weight") continue;
    const slotsAt = levelOf({ ...given, kind: change.kind, id: change.id });
    if (slotsAt === null) continue;
    const slots = slotsAt(change.value);
    steps.push({
      kind: change.kind,
      id: change.id,
      value: change.value,
      slots,
      up: stepUp(slotsAt, change.value, slots),
      down: stepDown(slotsAt, change.value, slots),
    });
  }
  return steps;
}

type SlotsAt = (weight: number) => number;

function stepUp(slotsAt: SlotsAt, value: number, slots: number): NextStep["up"] {
  if (value >= MAX_WEIGHT || slotsAt(MAX_WEIGHT) === slots) return null;
  let same = value;
  let more = MAX_WEIGHT;
  for (let distance = 1; value + distance < MAX_WEIGHT; distance *= 2) {
    if (slotsAt(value + distance) > slots) {
      more = value + distance;
      break;
    }
    same = value + distance;
  }
  while (more - same > 1) {
    const middle = Math.floor((same + more) / 2);
    if (slotsAt(middle) > slots) more = middle;
    else same = middle;
  }
  return { value: more, slots: slotsAt(more) };
}

function stepDown(slotsAt: SlotsAt, value: number, slots: number): NextStep["down"] {
  if (value <= 1 || slotsAt(1) === slots) return null;
  let fewer = 1;
  let same = value;
  while (same - fewer > 1) {
    const middle = Math.floor((fewer + same) / 2);
    if (slotsAt(middle) < slots) fewer = middle;
    else same = middle;
  }
  return { value: fewer, slots: slotsAt(fewer) };
}

/** The own slots of one claimant as a function of its weight; null when it does not take part here. */
function levelOf(given: {
  draft: Draft;
  algorithm: EngineSnapshot["algorithm"];
  kind: NextStep["kind"];
  id: string;
}): SlotsAt | null {
  const { draft, algorithm, kind, id } = given;
  const busy = busyParts(draft, algorithm);
  if (kind === "group_weight") {
    if (algorithm === "weighted") return null;
    return slotsWithin({ slots: draft.usable, claims: activeGroups(draft), id, scale: (weight) => weight });
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

function slotsWithin(given: {
  slots: number;
  claims: readonly Claimant[];
  id: string;
  scale: (weight: number) => number;
}): SlotsAt | null {
  const at = given.claims.findIndex((claim) => claim.id === given.id);
  if (at < 0) return null;
  const claims = given.claims.map(({ id, score, weight }) => ({ id, score, weight }));
  return (weight) => {
    const own = claims[at];
    if (own !== undefined) own.weight = given.scale(weight);
    return splitSlots(given.slots, claims)[at] ?? 0;
  };
}
