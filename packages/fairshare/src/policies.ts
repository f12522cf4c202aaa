/**
 * Newer weights, caps and groups take hold here, for whoever runs or waits as well as for who arrives. A change keeps
 * every score: raising a weight does not replay history. A cap that was lifted shows in the candidates at once, so that
 * older requests behind it go before a newcomer.
 */
import { refreshGroup, refreshKey, refreshPool, refreshTenant } from "./candidates";
import { refreshAll } from "./counts";
import { rejoinGroup } from "./ledger";
import { capInForce, weightInForce } from "./limits";
import { firstInLine, leaveSplit, splitChanged } from "./line";
import { effectiveWeight, type GroupPolicy, type KeyPolicy, type TenantPolicy } from "./policy";
import { becomeActive, getGroup, isQuiet } from "./pool";
import { compareLevels, FRACTION, type Level, reweigh, type Score } from "./score";
import type { EngineState, Group, Key, Tenant } from "./state";
import { keysOf } from "./tenant-keys";

/** Gives a tenant, and the group it names, the policy as of now. */
export function applyTenantPolicy(state: EngineState, tenant: Tenant, policy: TenantPolicy): void {
  if (tenant.policy !== policy) {
    tenant.policy = policy;
    tenant.cap = capInForce(policy.maxInFlight, state.divisor);
    // The group before the weight, which is compared within the group; candidates last, as all of it decides them.
    if (tenant.group.id !== policy.group.id) moveToGroup(state, tenant, getGroup(state, tenant.pool, policy.group));
    reweighTenant(tenant);
    refreshTenant(state, tenant);
    refreshGroup(tenant.group);
    refreshPool(state, tenant.pool);
  }
  applyGroupPolicy(tenant.group, policy.group);
}

/** Gives a group the weight as of now. */
export function applyGroupPolicy(group: Group, policy: GroupPolicy): void {
  const weight = weightInForce(policy.weight);
  if (weight === group.weight) return;
  const { groupLine } = group.pool;
  const before = group.weight;
  if (group.weightSlot !== -1) groupLine.active.reweigh(group, weight);
  reweighScore(group, { before, weight });
  splitChanged(groupLine);
}

/** Gives a key the policy as of now. */
export function applyKeyPolicy(state: EngineState, key: Key, policy: KeyPolicy): void {
  if (key.policy === policy) return;
  key.policy = policy;
  key.cap = capInForce(policy.maxInFlight, state.divisor);
  reweigh(key, weightInForce(policy.weight));
  refreshAll(state, key);
}

/** Works out a tenant's weight again, for a new policy or a new admission percentage of its pool. */
export function reweighTenant(tenant: Tenant): void {
  const weight = weightInForce(effectiveWeight(tenant.policy, tenant.pool.settings.admissionWeight));
  if (weight === tenant.weight) return;
  const { line } = tenant.group;
  const before = tenant.weight;
  if (tenant.weightSlot !== -1) line.active.reweigh(tenant, weight);
  reweighScore(tenant, { before, weight });
  splitChanged(line);
}

/** Works out all caps of a pool again, for a new divisor. */
export function recapTenant(state: EngineState, tenant: Tenant): void {
  tenant.cap = capInForce(tenant.policy.maxInFlight, state.divisor);
  for (const key of keysOf(tenant)) {
    key.cap = capInForce(key.policy.maxInFlight, state.divisor);
    refreshKey(key);
  }
  refreshTenant(state, tenant);
}

/** The weight heap may have set the weight already, while the score is still told at the one before. */
function reweighScore(score: Score, { before, weight }: { before: number; weight: number }): void {
  score.weight = before;
  reweigh(score, weight);
}

/**
 * Takes a tenant with all its counts from one group to another. Under `hierarchical` its score means something among
 * its siblings only, so it stands as far above the level of the new ones as it stood above the old virtual time. A
 * group that had nothing waiting and gets waiting requests this way rejoins level, as on an arrival.
 */
function moveToGroup(state: EngineState, tenant: Tenant, to: Group): void {
  const from = tenant.group;
  const wasActive = tenant.weightSlot !== -1;
  if (tenant.heap !== null) {
    tenant.heap.remove(tenant);
    tenant.heap = null;
    from.candidates -= 1;
    from.pool.candidates -= 1;
  }
  // The old group must no longer stand among those that could run when the new one looks for the lowest of them.
  if (tenant.queued > 0 && to.queued === 0) {
    refreshGroup(from);
    rejoinGroup(to);
  }
  if (wasActive) {
    leaveSplit(from.line, tenant);
    from.pool.activeTenants -= 1;
  }
  moveCounts(tenant, { from, to });
  if (state.config.algorithm === "hierarchical") {
    // Before it joins the new line: it must not be its own lowest sibling.
    restate(tenant, { old: from.line.level, now: firstInLine(to.line) ?? to.line.level });
  }
  tenant.group = to;
  if (state.config.algorithm === "hierarchical") tenant.line = to.line;
  if (wasActive) becomeActive(state, tenant);
  refreshGroup(from);
  if (wasActive && isQuiet(from)) leaveSplit(from.pool.groupLine, from);
  if (from.members === 0 && isQuiet(from)) from.pool.groups.delete(from.id);
}

/** Moves all that a tenant counts from one group's sums to another's. */
function moveCounts(tenant: Tenant, { from, to }: { from: Group; to: Group }): void {
  from.members -= 1;
  to.members += 1;
  from.queued -= tenant.queued;
  to.queued += tenant.queued;
  from.taken -= tenant.taken;
  to.taken += tenant.taken;
  from.held -= tenant.held;
  to.held += tenant.held;
  from.claiming -= tenant.claiming;
  to.claiming += tenant.claiming;
}

/** Moves a score from one scale to another, keeping its distance above the old level and forgetting one below it. */
function restate(tenant: Tenant, { old, now }: { old: Level; now: Level }): void {
  const isAbove = compareLevels(tenant, old) > 0;
  let hi = now.hi + (isAbove ? tenant.hi - old.hi : 0);
  let lo = now.lo + (isAbove ? tenant.lo - old.lo : 0);
  if (lo < 0) {
    lo += FRACTION;
    hi -= 1;
  } else if (lo >= FRACTION) {
    lo -= FRACTION;
    hi += 1;
  }
  tenant.hi = hi;
  tenant.lo = lo;
  tenant.rest = 0;
}
