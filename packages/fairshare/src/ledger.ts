/**
 * What everybody has been served, and where they rejoin: start-time fair queueing on token cost at three levels.
 *
 * A score is tokens charged over weight. Each line keeps a virtual time, the highest start tag admitted so far. Who had
 * nothing waiting and sends again rejoins at the lowest score of its siblings that could run, or at the virtual time
 * when there is none, unless its own score is higher: silence earns no credit and clears no debt. Whoever goes quiet at
 * or below the virtual time carries no information and is forgotten; one above it keeps its score.
 *
 * Source: Goyal, Vin, Cheng, "Start-time Fair Queueing" (1996), applied per level. There the request r of flow f has
 * start tag S(r) = max(v, F(r - 1)) and finish tag F(r) = S(r) + length / weight; here the length is the estimated
 * tokens, F is the score, and `book` reads S before it adds. Two things differ: with several slots v is the highest
 * start tag admitted, not that of the one request in service; and where siblings wait the lowest of their scores stands
 * for v, as in Sheng et al. (2024), so that who returns joins level with whoever is furthest behind.
 */
import { costInForce } from "./limits";
import { firstInLine } from "./line";
import { charge, compareLevels, type Level, placeAt, REBASE_AT, raiseTo, reweigh, type Score, uncharge } from "./score";
import type { Account, ChargeRecord, EngineState, Group, Key, Pool, Tenant, Waiter } from "./state";
import { keysOf } from "./tenant-keys";

/** Lifts a key that had nothing waiting to the level of its siblings. Call before its first request queues. */
export function rejoinKey(key: Key): void {
  const { tenant } = key;
  rejoin(key, tenant.nextKey ?? undefined, tenant.keyLevel);
}

/** Lifts a tenant that had nothing waiting to the level of its siblings; under `weighted`, of the whole pool. */
export function rejoinTenant(tenant: Tenant): void {
  const { line } = tenant;
  if (rejoin(tenant, firstInLine(line), line.level)) line.epoch += 1;
}

/** Lifts a group that had nothing waiting to the level of its siblings. */
export function rejoinGroup(group: Group): void {
  const line = group.pool.groupLine;
  if (rejoin(group, firstInLine(line), line.level)) line.epoch += 1;
}

/**
 * Books an admission at all three levels: moves virtual times up to the start tags, then adds the cost, `tokens` whole
 * from 0. Heaps are not told: whoever calls refreshes the key's chain. O(1), but for a line whose scores have grown so
 * large that they are brought back to small numbers, once in 2^52 tokens per weight.
 */
export function chargeAdmission(state: EngineState, key: Key, tokens: number): void {
  const { tenant } = key;
  const { group, pool } = tenant;
  const { line } = tenant;
  state.grants += 1;
  book(key, tenant.keyLevel, tokens);
  book(tenant, line.level, tokens);
  book(group, pool.groupLine.level, tokens);
  key.lastGranted = state.grants;
  tenant.lastGranted = state.grants;
  group.lastGranted = state.grants;
  // Scores changed, so ties that were decided by them are to be decided again when a split is next looked at.
  group.line.epoch += 1;
  pool.groupLine.epoch += 1;
  if (key.hi > REBASE_AT) rebase(tenant.keyLevel, keysOf(tenant), tenant.readyKeys === null ? [] : [tenant.readyKeys]);
  if (tenant.hi > REBASE_AT) rebase(line.level, membersOf(state, tenant), [line.idle, line.busy]);
  if (group.hi > REBASE_AT) rebaseGroups(pool);
}

/** What `undoCharge` needs of the next admission of a key; call right before `chargeAdmission`. */
export function recordBefore(state: EngineState, key: Key): ChargeRecord {
  const { tenant } = key;
  const { group } = tenant;
  return {
    grant: state.grants + 1,
    group,
    keyWeight: key.weight,
    keyGranted: key.lastGranted,
    tenantWeight: tenant.weight,
    tenantGranted: tenant.lastGranted,
    groupWeight: group.weight,
    groupGranted: group.lastGranted,
  };
}

/**
 * Takes an admission's charge back at all three levels, and the turn it was, unless a later grant has overwritten it.
 * Virtual times stay: the start tag they moved to was the lowest score that could run.
 */
export function undoCharge(key: Key, before: ChargeRecord, tokens: number): void {
  const { tenant } = key;
  const { group, grant } = before;
  unbook(key, { grant, weight: before.keyWeight, lastGranted: before.keyGranted }, tokens);
  unbook(tenant, { grant, weight: before.tenantWeight, lastGranted: before.tenantGranted }, tokens);
  unbook(group, { grant, weight: before.groupWeight, lastGranted: before.groupGranted }, tokens);
  tenant.group.line.epoch += 1;
  tenant.pool.groupLine.epoch += 1;
  if (group.heap !== null) group.heap.moved(group);
}

/**
 * Corrects an admission's charge to what was really used, at all three levels. A correction downwards stops at the
 * line's virtual time: it gives back what was charged too much, never a head start.
 */
export function correctCharge(waiter: Waiter, actualTokens: number): void {
  const { key, costTokens } = waiter;
  const { tenant } = key;
  const { group, pool } = tenant;
  const excess = costTokens - costInForce(actualTokens);
  if (excess === 0) return;
  correct(key, tenant.keyLevel, excess);
  correct(tenant, tenant.line.level, excess);
  correct(group, pool.groupLine.level, excess);
  group.line.epoch += 1;
  pool.groupLine.epoch += 1;
}

/**
 * Whether an account without work carries no information: it is not above its line's virtual time. It would return
 * exactly as a new one does, so to forget it changes no decision.
 */
export function isForgettable(account: Account, level: Level): boolean {
  return compareLevels(account, level) <= 0;
}

/**
 * One level of a return; says whether the score moved. The account has nothing waiting. `lowest` is the first of its
 * siblings that could run, undefined when none could; `level` the line's virtual time.
 */
function rejoin(account: Account, lowest: Score | undefined, level: Score): boolean {
  // Above the virtual time is a debt, which silence does not clear; below it is credit, which silence does not earn.
  const isAbove = compareLevels(account, level) > 0;
  if (isAbove || account.taken > 0) {
    return isAbove && lowest === undefined ? false : raiseTo(account, lowest ?? level);
  }
  // Nothing runs and no debt is left, so it is as if it had never been: a returning account is treated like a new one.
  account.lastGranted = 0;
  account.served = 0;
  placeAt(account, lowest ?? level);
  return true;
}

/**
 * One level of an admission: the virtual time rises to the account's score, its start tag, if that is higher; then the
 * score rises by tokens over weight, to its finish tag. In this order, or a line's virtual time would run ahead of what
 * was served.
 */
function book(account: Account, level: Score, tokens: number): void {
  if (compareLevels(level, account) < 0) {
    level.hi = account.hi;
    level.lo = account.lo;
    level.rest = account.rest;
    level.weight = account.weight;
  }
  charge(account, tokens);
  account.served += tokens;
}

/**
 * One level of a correction. `excess` is what was charged too much; below 0 the rest is charged now. A score below the
 * virtual time already is left alone: giving back there would be a head start.
 */
function correct(account: Account, level: Score, excess: number): void {
  account.served -= excess;
  if (excess < 0) {
    charge(account, -excess);
    return;
  }
  const isBelow = compareLevels(account, level) < 0;
  if (isBelow) return;
  uncharge(account, excess);
  raiseTo(account, level);
}

/** One level of an undone admission, at the weight it was booked at, which may have changed since. */
function unbook(
  account: Account,
  before: { readonly grant: number; readonly weight: number; readonly lastGranted: number },
  tokens: number,
): void {
  const { weight } = account;
  reweigh(account, before.weight);
  uncharge(account, tokens);
  reweigh(account, weight);
  account.served -= tokens;
  if (account.lastGranted === before.grant) account.lastGranted = before.lastGranted;
}

/** Everybody a tenant's score is compared with, quiet ones included. */
function* membersOf(state: EngineState, tenant: Tenant): Generator<Tenant> {
  for (const other of tenant.pool.tenants.values()) {
    if (state.config.algorithm === "weighted" || other.group === tenant.group) yield other;
  }
}

/** Brings a pool's groups and their virtual time back to small numbers. */
function rebaseGroups({ groups, groupLine }: Pool): void {
  rebase(groupLine.level, groups.values(), [groupLine.idle, groupLine.busy]);
}

/**
 * Takes the same whole amount off a line's virtual time and all its scores; order and distances stay as they were, so
 * no decision changes. O(accounts of the line).
 */
function rebase(level: Level, accounts: Iterable<Account>, heaps: readonly { shifted(): void }[]): void {
  const amount = level.hi;
  level.hi = 0;
  for (const account of accounts) account.hi -= amount;
  for (const heap of heaps) heap.shifted();
}
