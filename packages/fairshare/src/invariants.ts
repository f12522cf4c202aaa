/** Every count, heap and list of the state recomputed from the waiters alone; for tests, simulation and incidents. */
import { assert } from "./assert";
import { hasRoom } from "./candidates";
import { type Line, type Member, shareInForce } from "./line";
import { compareLevels } from "./score";
import { splitSlots } from "./shares";
import type { Account, EngineState, Group, Key, Pool, Tenant, Waiter } from "./state";
import { findKey, keysOf, readyKeysOf } from "./tenant-keys";

/** What one account or pool should count, by the requests themselves. */
interface Counts {
  queued: number;
  probing: number;
  taken: number;
  claiming: number;
}

/** Throws an InvariantError that says what is wrong; returns when nothing is. O(everything). */
export function checkInvariants(state: EngineState): void {
  const counts = recount(state);
  const total = { queued: 0, taken: 0, claiming: 0 };
  for (const pool of state.pools.values()) {
    checkPool(state, pool, counts);
    total.queued += pool.queued;
    total.taken += pool.taken;
  }
  assert(state.queued === total.queued, "queued over all pools");
  assert(state.taken === total.taken, "slots in use over all pools");
  assert(state.waiters.size >= state.queued, "every waiting request is known");
  checkReadyList(state);
}

/**
 * Counts every request into its key, tenant, group and pool. A claiming request whose client left still has its slot
 * until the answer.
 */
function recount(state: EngineState): Map<Account | Pool, Counts> {
  const counts = new Map<Account | Pool, Counts>();
  const add = (of: Account | Pool, waiter: Waiter) => {
    const sum = counts.get(of) ?? { queued: 0, probing: 0, taken: 0, claiming: 0 };
    if (waiter.state === "queued" || waiter.state === "probing") sum.queued += 1;
    if (waiter.state === "probing") sum.probing += 1;
    if (waiter.state === "running" || waiter.state === "claiming" || waiter.state === "gone") sum.taken += 1;
    if (waiter.state === "claiming" || waiter.state === "gone") sum.claiming += 1;
    counts.set(of, sum);
  };
  for (const waiter of state.waiters.values()) {
    const { key } = waiter;
    for (const of of [key, key.tenant, key.tenant.group, key.tenant.pool]) add(of, waiter);
  }
  return counts;
}

/**
 * One pool: its counts, its groups, who is in which heap, its split, its holds and its place among the pools that can
 * admit. Ends with the promise that matters most: no slot is free while somebody could take it.
 */
function checkPool(state: EngineState, pool: Pool, counts: ReadonlyMap<Account | Pool, Counts>): void {
  checkCounts(pool, counts, `pool ${pool.id}`);
  const members = new Map<Group, number>();
  for (const tenant of pool.tenants.values()) {
    members.set(tenant.group, (members.get(tenant.group) ?? 0) + 1);
    checkTenant(state, tenant, counts);
  }
  for (const group of pool.groups.values()) {
    const name = `group ${group.id} of ${pool.id}`;
    checkCounts(group, counts, name);
    assert(group.members === (members.get(group) ?? 0), `${name}: members`);
    const candidates = [...pool.tenants.values()].filter((tenant) => tenant.group === group && tenant.heap !== null);
    assert(group.candidates === candidates.length, `${name}: tenants that could run`);
    const { idle, busy, active } = pool.groupLine;
    const wanted = group.candidates === 0 ? null : group.taken === 0 ? idle : busy;
    assert(group.heap === wanted, `${name}: its heap`);
    assert((active.items[group.weightSlot] === group) === hasWork(group), `${name}: active`);
    assert(group.line.active.total === sumOfWeights(group.line.active.items), `${name}: sum of weights`);
    checkSplit(group.line, name);
  }
  const candidates = [...pool.tenants.values()].filter((tenant) => tenant.heap !== null);
  assert(pool.candidates === candidates.length, `pool ${pool.id}: tenants that could run`);
  const active = [...pool.tenants.values()].filter(hasWork);
  assert(pool.activeTenants === active.length, `pool ${pool.id}: tenants with work`);
  assert(pool.held === pool.holds.length, `pool ${pool.id}: held slots`);
  assert(state.holdingPools.has(pool) === pool.holds.length > 0, `pool ${pool.id}: known to hold`);
  for (const { session, key } of pool.holds) {
    assert(session.hold?.session === session && !session.isGone, `session ${session.id}: its hold`);
    assert(
      findKey(key.tenant, key.id) === key && pool.tenants.get(key.tenant.id) === key.tenant,
      `session ${session.id}: its key is known`,
    );
  }
  checkHeads(pool);
  checkSplit(pool.groupLine, `pool ${pool.id}`);
  assert(pool.groupLine.active.total === sumOfWeights(pool.groupLine.active.items), `pool ${pool.id}: sum of weights`);
  const couldRun = pool.groupLine.idle.size + pool.groupLine.busy.size > 0;
  assert(pool.isReady === (couldRun && hasRoom(pool)), `pool ${pool.id}: ready`);
  // Checked after a step, when nothing may be left to admit.
  const isServed = !pool.isReady || state.taken >= state.ceiling || state.isBlocked;
  assert(isServed, `pool ${pool.id}: a slot is free while somebody could take it`);
}

/** One tenant with its keys: counts, whether it could run, and that it stands in the heap that picks look into. */
function checkTenant(state: EngineState, tenant: Tenant, counts: ReadonlyMap<Account | Pool, Counts>): void {
  const name = `tenant ${tenant.id} of ${tenant.pool.id}`;
  checkCounts(tenant, counts, name);
  for (const key of keysOf(tenant)) checkKey(key, counts);
  const couldRun = tenant.nextKey !== null && tenant.taken < tenant.cap && !tenant.isBlocked;
  assert((tenant.heap !== null) === couldRun, `${name}: could run`);
  assert(tenant.heap === null || tenant.heap.has(tenant), `${name}: place in its heap`);
  if (couldRun && state.config.algorithm === "hierarchical") {
    const { idle, busy } = tenant.group.line;
    assert(tenant.heap === (tenant.taken === 0 ? idle : busy), `${name}: its heap`);
  }
  assert((tenant.group.line.active.items[tenant.weightSlot] === tenant) === hasWork(tenant), `${name}: active`);
  assert(tenant.pool.groups.get(tenant.group.id) === tenant.group, `${name}: its group is known`);
}

/** One key: counts, and a queue that is whole, in order of arrival, and holds nobody else's requests. */
function checkKey(key: Key, counts: ReadonlyMap<Account | Pool, Counts>): void {
  const name = `key ${key.id}`;
  checkCounts(key, counts, name);
  const couldRun = key.oldest !== null && key.taken < key.cap && !key.isBlocked;
  assert(key.isReady === couldRun, `${name}: could run`);
  let length = 0;
  for (let waiter = key.oldest; waiter !== null; waiter = waiter.younger) {
    length += 1;
    assert(waiter.state === "queued" && waiter.key === key, `${name}: who stands in its queue`);
    assert(waiter.younger === null ? key.youngest === waiter : waiter.younger.id > waiter.id, `${name}: queue order`);
  }
  const { readyKeys } = key.tenant;
  assert(readyKeys === null || readyKeys.has(key) === key.isReady, `${name}: among the ready keys`);
  assert(length === key.queued - (counts.get(key)?.probing ?? 0), `${name}: length of its queue`);
}

/**
 * A split gives everybody what `splitSlots` does and lists each who may take a second slot. While scores have moved since
 * a tie was decided only the list can be told, and not even that where the whole split will be made again.
 */
function checkSplit<M extends Member>(line: Line<M>, name: string): void {
  const isDecided = line.tieEpoch === -1 || line.tieEpoch === line.epoch;
  if (line.slots === -1 || (!isDecided && line.isTieDeep)) return;
  const members = line.active.items.toSorted(compareLevels);
  let place = 0;
  const claimants = members.map(({ id, weight }, index) => {
    const before = members[index - 1];
    if (before !== undefined && compareLevels(before, members[index] as M) !== 0) place += 1;
    return { id, weight, score: place };
  });
  const parts = splitSlots(line.slots, claimants);
  members.forEach((member, index) => {
    const share = Math.max(1, parts[index] ?? 0);
    const given = Math.max(1, shareInForce(line, member));
    assert(given === share || !isDecided, `${name}: ${member.id} has a share of ${given}, not ${share}`);
    assert(share < 2 || line.multi.includes(member), `${name}: ${member.id} may take a second slot and is not listed`);
  });
  assert(new Set(line.multi).size === line.multi.length, `${name}: somebody is listed twice`);
}

/** The list of oldest requests that could run holds each key that should be in it, and no other. */
function checkHeads(pool: Pool): void {
  let wanted = 0;
  for (const tenant of pool.tenants.values()) {
    for (const key of readyKeysOf(tenant)) {
      if (tenant.heap === null || pool.settings.affinity === null) continue;
      wanted += 1;
      assert(key.sessions !== null && key.sessions.cell !== -1, `key ${key.id}: among the heads`);
      assert(key.sessions.hi === key.oldest?.id, `key ${key.id}: rank among the heads`);
    }
  }
  assert(pool.heads.size === wanted, `pool ${pool.id}: ${pool.heads.size} heads, wanted ${wanted}`);
}

/** Compares an account's or pool's own counts with the recount. */
function checkCounts(
  of: { queued: number; taken: number; held: number; claiming: number },
  counts: ReadonlyMap<object, Counts>,
  name: string,
): void {
  const { queued, taken, claiming } = counts.get(of) ?? { queued: 0, taken: 0, claiming: 0 };
  assert(of.queued === queued, `${name}: queued ${of.queued}, counted ${queued}`);
  assert(of.taken - of.held === taken, `${name}: slots in use ${of.taken - of.held}, counted ${taken}`);
  assert(of.claiming === claiming, `${name}: claiming ${of.claiming}, counted ${claiming}`);
}

/** The list of pools that can admit has every one of them once, linked both ways. */
function checkReadyList(state: EngineState): void {
  let count = 0;
  for (let pool = state.readyFirst; pool !== null; pool = pool.readyAfter) {
    assert(pool.isReady && state.pools.get(pool.id) === pool, `pool ${pool.id}: in turn without being ready`);
    count += 1;
  }
  const ready = [...state.pools.values()].filter((pool) => pool.isReady);
  assert(count === ready.length, "every ready pool is in turn once");
}

/** What makes an account active: something of it runs, waits or is held. */
function hasWork(account: Account): boolean {
  return account.taken > 0 || account.queued > 0;
}

/** The sum that quotas are taken of. */
function sumOfWeights(items: readonly { weight: number }[]): number {
  return items.reduce((sum, item) => sum + item.weight, 0);
}
