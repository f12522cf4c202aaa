/**
 * When denied claims are tried again: at once when a freed slot is announced, and at a random moment 100 to 250 ms after
 * the denial in case the announcement is lost. Random, so that replicas do not ask in step. Knows from that how often in
 * a row a tenant's claim was too late for a slot that another replica got.
 */
import type { Clock, Timer } from "@obleth/clock";
import type { ClaimOutcome, PoolId, TenantId } from "@obleth/fairshare";
import type { SlotAnswer } from "./slot-store";

/** Shortest and longest pause before a try that nobody announced, ms. Shorter asks too often, longer leaves slots idle. */
export const RETRY_MIN_MS = 100;
export const RETRY_MAX_MS = 250;

/** What retries are made with. */
export interface RetriesOptions {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly rng: () => number;
  /** A denied claim may be tried again; null: in every pool. */
  readonly retry: (pool: PoolId | null) => void;
}

type ClaimReply = Pick<Extract<SlotAnswer, { kind: "claim" }>, "answer" | "retryMs">;

interface Claimant {
  readonly pool: PoolId;
  readonly tenantId: TenantId;
}

/** Denials that wait for another try: one timer a pool, one for the ceiling. */
export class Retries {
  readonly #options: RetriesOptions;
  readonly #pools = new Map<PoolId, Timer>();
  #ceiling: Timer | undefined;
  /** Limits, null the ceiling, whose latest try followed an announcement. */
  readonly #announced = new Set<PoolId | null>();
  readonly #lost = new Map<PoolId, { readonly tenantId: TenantId; inRow: number }>();

  constructor(options: RetriesOptions) {
    this.#options = options;
  }

  /** A claim was answered. @returns how it ended for the scheduler. */
  answered(claim: Claimant, { answer, retryMs }: ClaimReply): ClaimOutcome {
    switch (answer) {
      case "granted":
      case "redeemed":
        this.granted(claim.pool);
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

  /**
   * A claim was denied in the pool, or by the ceiling (null). `keptMs`: the slot is only kept for another until then.
   * `claimant`: who asked; null when a limit of its own was in the way.
   */
  denied(pool: PoolId | null, keptMs: number | null, claimant: Claimant | null): void {
    const { clock, rng } = this.#options;
    if (this.#announced.delete(pool) || keptMs !== null) this.#lose(claimant);
    if (pool === null ? this.#ceiling !== undefined : this.#pools.has(pool)) return;
    const randomMs = RETRY_MIN_MS + rng() * (RETRY_MAX_MS - RETRY_MIN_MS);
    const delayMs = keptMs === null ? randomMs : Math.min(randomMs, keptMs + 1);
    const timer = clock.setTimer(delayMs, () => this.#fire(pool));
    if (pool === null) this.#ceiling = timer;
    else this.#pools.set(pool, timer);
  }

  /** A claim in the pool was granted. */
  granted(pool: PoolId): void {
    this.#announced.delete(pool);
    this.#announced.delete(null);
    this.#lost.delete(pool);
  }

  /** Slots that were free but went to other replicas while this tenant was first to claim here, in a row. */
  lostInRow(pool: PoolId, tenantId: TenantId): number {
    const lost = this.#lost.get(pool);
    return lost?.tenantId === tenantId ? lost.inRow : 0;
  }

  /** A slot of the pool (null: of any) is free: tries at once what was denied. Does nothing when nothing was. */
  announced(pool: PoolId | null): void {
    if (this.#ceiling !== undefined) {
      this.#ceiling.cancel();
      this.#announced.add(null);
      this.#fire(null);
    } else if (pool !== null) {
      this.#wake(pool);
    } else {
      for (const denied of [...this.#pools.keys()]) this.#wake(denied);
    }
  }

  /** Forgets all denials and losses: in another mode they mean nothing. */
  clear(): void {
    this.#lost.clear();
    this.#announced.clear();
    this.#forget();
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

  #wake(pool: PoolId): void {
    const timer = this.#pools.get(pool);
    if (timer === undefined) return;
    timer.cancel();
    this.#announced.add(pool);
    this.#fire(pool);
  }

  #fire(pool: PoolId | null): void {
    if (pool === null) this.#forget();
    else this.#pools.delete(pool);
    this.#options.retry(pool);
  }
}
