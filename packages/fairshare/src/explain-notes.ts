/**
 * What else is true of a wait beside its reason: things that would surprise somebody who looks at the numbers alone. A
 * note never replaces the reason, and needs no action of its own.
 */
import type { CappedKey, Note, PoolFacts, WaitNumbers } from "./explain-data";
import type { KeySnapshot, TenantSnapshot, WaitReason } from "./snapshot";

/** Every note that holds for a waiting tenant, most important first. Empty when nothing waits. */
export function notesFor(input: {
  facts: PoolFacts;
  tenant: TenantSnapshot;
  reason: WaitReason;
  numbers: WaitNumbers;
  cappedKey: CappedKey | null;
}): Note[] {
  const { facts, tenant, reason, numbers, cappedKey } = input;
  const { context, pool } = facts;
  if (reason === "not_waiting") return [];
  const notes: Note[] = [];
  if (numbers.poolInUse > pool.size) {
    // One more than the excess: the last of them frees a slot that may be given out.
    const mustFinish = numbers.poolInUse - pool.size + 1;
    notes.push({ note: "over_size", size: pool.size, inUse: numbers.poolInUse, mustFinish });
  }
  notes.push(...affinityNotes(facts, tenant, reason));
  const configuredCap = context.configuredCap(tenant.tenantId);
  if (reason === "tenant_cap" && tenant.maxInFlight !== null && configuredCap !== null) {
    if (configuredCap > tenant.maxInFlight) {
      notes.push({ note: "split_cap", cap: configuredCap, replicas: context.replicas, here: tenant.maxInFlight });
    }
  }
  const heldInCap = reason === "tenant_cap" ? tenant.held : (cappedKey?.held ?? 0);
  if (heldInCap > 0) notes.push({ note: "held_in_cap", held: heldInCap });
  // A pool smaller than its groups cannot give each a slot; shares of nothing then look like a fault.
  const groups = pool.groups.filter((group) => group.inFlight + group.queued + group.held > 0).length;
  if (groups > pool.usable) notes.push({ note: "more_takers", slots: pool.usable, groups });
  pushBoostNote(notes, facts, tenant);
  if (context.isPartialView) notes.push({ note: "partial_view" });
  return notes;
}

/**
 * What session affinity does to the tenant's requests just now, where it does anything. Past the bypass limit nothing
 * passes any more, so how often that happened is left out; behind a cap nobody could run, and the limit does not count.
 */
function affinityNotes(facts: PoolFacts, tenant: TenantSnapshot, reason: WaitReason): Note[] {
  const affinity = facts.context.affinity(tenant.tenantId);
  if (affinity === null) return [];
  const isCapped = reason === "tenant_cap" || reason === "key_cap";
  if (!isCapped && tenant.oldestWaitMs !== null && tenant.oldestWaitMs >= affinity.maxBypassMs) {
    return [{ note: "bypass_limit", oldestWaitMs: tenant.oldestWaitMs }];
  }
  let passed: KeySnapshot | undefined;
  for (const key of facts.keysOf.get(tenant.tenantId) ?? []) if (key.jumps > (passed?.jumps ?? 0)) passed = key;
  if (passed === undefined) return [];
  const { keyId, jumps } = passed;
  return [{ note: "passed_by_warm", keyName: facts.context.keyName(keyId), jumps, maxJumps: affinity.maxJumps }];
}

/** A boost of the biggest holder beside it, else its own. */
function pushBoostNote(notes: Note[], facts: PoolFacts, tenant: TenantSnapshot): void {
  const others = facts.above.filter((other) => other.tenantId !== tenant.tenantId);
  for (const { tenantId } of [...others, tenant]) {
    const boost = facts.context.boost(tenantId);
    if (boost === null) continue;
    const tenantName = facts.context.tenantName(tenantId);
    notes.push({ note: "boosted", tenantName, factor: boost.factor, expiresTsMs: boost.expiresTsMs });
    return;
  }
}
