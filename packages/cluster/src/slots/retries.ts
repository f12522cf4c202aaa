/**
 * When denied claims are tried again: at once when a freed slot is announced, and at a random moment 100 to 250 ms after
 * the denial in case the announcement is lost. Random, so that replicas do not ask in step. An announcement that comes
 * while claims are under way counts for the denial that one of them may yet get: it was sent before the slot was free.
 * Knows from that how often in a row a tenant's claim was too late for a slot that another replica got, and tells the
 * books when a slot is announced that they may keep for this replica and that it has nothing to claim for.
 */
import type { Clock, Timer } from "@obleth/clock";
import type { ClaimOutcome, PoolId, TenantId } from "@obleth/fairshare";
import { TURN_MS, WAIT_MS } from "./marks";
import type { SlotAnswer } from "./slot-store";

/** Shortest and longest pause before a try that nobody announced, ms. Shorter asks too often, longer leaves slots idle. */
export const RETRY_MIN_MS = 100;
export const RETRY_MAX_MS = 250;

/** What retries are made with. */
export interface RetriesOptions {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly rng: () => number;
  /** A denied claim may be tried again, and one more than are under way be sent; null: in every pool. */
  readonly retry: (pool: PoolId | null) => void;
  /** Nothing is claimed in the pool (null: in any): the books should keep no slot for this replica. */
  readonly withdraw: (pool: PoolId | null) => void;
}

type ClaimReply = Pick<Extract<SlotAnswer, { kind: "claim" }>, "answer" | "retryMs">;

interface Claimant {
  readonly pool: PoolId;
  readonly tenantId: TenantId;
  readonly othersWaiting?: number;
}

/** Denials that wait for another try: one timer a pool, one for the ceiling. */
export class Retries {
  readonly #options: RetriesOptions;
  readonly #pools = new Map<PoolId, Timer>();
  #ceiling: Timer | undefined;
  /** Limits, null the ceiling, whose latest try followed an announcement. */
  readonly #announced = new Set<PoolId | null>();
  /** Limits that had a slot announced while claims were under way, and none could be sent for it. */
  readonly #missed = new Set<PoolId | null>();
  /** Claims under way, by pool and (null) in all. */
  readonly #underWay = new Map<PoolId | null, number>();
  /** Claims ever sent. */
  #sent = 0;
  /** Limits at which the books may know this replica as waiting, and until when at the latest. */
  readonly #marked = new Map<PoolId | null, number>();
  readonly #lost = new Map<PoolId, { readonly tenantId: TenantId; inRow: number }>();

  constructor(options: RetriesOptions) {
    this.#options = options;
  }

  /** A claim is on its way; `answered` or `unanswered` ends that. */
  sent(pool: PoolId): void {
    this.#sent++;
    for (const limit of [pool, null]) this.#underWay.set(limit, (this.#underWay.get(limit) ?? 0) + 1);
  }

  /** A claim will not be answered any more. @returns how it ended for the scheduler. */
  unanswered(pool: PoolId): ClaimOutcome {
    this.#ended(pool);
    return "unavailable";
  }

  /** A claim was answered. @returns how it ended for the scheduler. */
  answered(claim: Claimant, reply: ClaimReply): ClaimOutcome {
    const outcome = this.#outcome(claim, reply);
    // Only then: it was under way when what has been announced meanwhile was.
    this.#ended(claim.pool);
    return outcome;
  }

  /**
   * A claim was denied in the pool, or by the ceiling (null). `keptMs`: the slot is only kept for another until then.
   * `claimant`: who asked; null when a limit of its own was in the way.
   */
  denied(pool: PoolId | null, keptMs: number | null, claimant: Claimant | null): void {
    const { clock, rng } = this.#options;
    this.#marked.set(pool, clock.monotonicMs() + WAIT_MS + TURN_MS);
    if (this.#announced.delete(pool) || keptMs !== null) this.#lose(claimant);
    if (pool === null ? this.#ceiling !== undefined : this.#pools.has(pool)) return;
    const isMissed = this.#missed.delete(pool);
    const randomMs = RETRY_MIN_MS + rng() * (RETRY_MAX_MS - RETRY_MIN_MS);
    const delayMs = isMissed ? 0 : keptMs === null ? randomMs : Math.min(randomMs, keptMs + 1);
    const timer = clock.setTimer(delayMs, () => {
      if (isMissed) this.#announced.add(pool);
      this.#fire(pool);
    });
    if (pool === null) this.#ceiling = timer;
    else this.#pools.set(pool, timer);
  }

  /** Slots that were free but went to other replicas while this tenant was first to claim here, in a row. */
  lostInRow(pool: PoolId, tenantId: TenantId): number {
    const lost = this.#lost.get(pool);
    return lost?.tenantId === tenantId ? lost.inRow : 0;
  }

  /** A slot of the pool (null: of any) is free: tries at once what was denied. Does nothing when nothing was. */
  announced(pool: PoolId | null): void {
    const pools = pool === null ? new Set([...this.#pools.keys(), ...this.#marked.keys()]) : [pool];
    if (this.#ceiling !== undefined) {
      this.#ceiling.cancel();
      this.#announced.add(null);
      this.#try(null);
    } else {
      for (const each of pools) if (each !== null) this.#try(each);
    }
  }

  /** Forgets all denials and losses: in another mode they mean nothing. */
  clear(): void {
    this.#lost.clear();
    this.#announced.clear();
    this.#missed.clear();
    this.#marked.clear();
    this.#underWay.clear();
    this.#forget();
  }

  #outcome(claim: Claimant, { answer, retryMs }: ClaimReply): ClaimOutcome {
    switch (answer) {
      case "granted":
      case "redeemed":
        this.#granted(claim);
        return answer;
      case "none":
        return "pool";
      case "ceiling":
        this.denied(null, retryMs, claim);
        return answer;
      default:
        this.denied(claim.pool, retryMs, answer === "pool" ? claim : null);
        return answer;
    }
  }

  #ended(pool: PoolId): void {
    for (const limit of [pool, null]) {
      const left = (this.#underWay.get(limit) ?? 0) - 1;
      if (left > 0) {
        this.#underWay.set(limit, left);
      } else {
        this.#underWay.delete(limit);
        this.#missed.delete(limit);
      }
    }
  }

  #granted({ pool, othersWaiting = 0 }: Claimant): void {
    this.#lost.delete(pool);
    for (const limit of [pool, null]) {
      this.#announced.delete(limit);
      // It was the last to wait here, and the books know.
      if (othersWaiting === 0 && this.#underWay.get(limit) === 1) this.#marked.delete(limit);
    }
  }

  #forget(): void {
    for (const timer of this.#pools.values()) timer.cancel();
    this.#pools.clear();
    this.#ceiling?.cancel();
    this.#ceiling = undefined;
  }

  #lose(claimant: Claimant | null): void {
    if (claimant === null) return;
    const { pool, tenantId } = claimant;
    const lost = this.#lost.get(pool);
    if (lost?.tenantId === tenantId) lost.inRow++;
    else this.#lost.set(pool, { tenantId, inRow: 1 });
  }

  /** Sends what can be claimed for an announced slot; when that is nothing, remembers the slot or leaves it to others. */
  #try(pool: PoolId | null): void {
    const timer = pool === null ? undefined : this.#pools.get(pool);
    timer?.cancel();
    if (timer !== undefined) this.#announced.add(pool);
    const before = this.#sent;
    if (pool === null || timer !== undefined || this.#underWay.has(pool)) this.#fire(pool);
    if (this.#sent > before) return;
    for (const limit of new Set([pool, null])) {
      if (this.#underWay.has(limit)) this.#missed.add(limit);
      else if (this.#isMarked(limit)) this.#options.withdraw(limit);
    }
  }

  #isMarked(limit: PoolId | null): boolean {
    const untilMs = this.#marked.get(limit);
    this.#marked.delete(limit);
    return untilMs !== undefined && untilMs > this.#options.clock.monotonicMs();
  }

  #fire(pool: PoolId | null): void {
    if (pool === null) this.#forget();
    else this.#pools.delete(pool);
    this.#options.retry(pool);
  }
}
