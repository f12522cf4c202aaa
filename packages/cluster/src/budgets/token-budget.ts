/**
 * Token and money limits per minute and per term. Checked read-only before admission and reserved in one atomic step
 * after it, so a waiter holds no reservation. Memory and Redis versions satisfy one contract suite.
 */
export interface MinuteLimit {
  /** Whose bucket: a tenant's id. */
  readonly subject: string;
  /** Bucket size and refill per 60 s, from 1. */
  readonly tokensPerMinute: number;
}

/** What a tenant or key may use in one term; whichever cap is reached first ends it. */
export interface TermLimit {
  /** Whose account, for example `tenant:<id>` or `key:<id>`. */
  readonly subject: string;
  /** Which term, so that a new one starts from nothing; the caller works it out from calendar and timezone. */
  readonly term: string;
  /** When that term ends, milliseconds of the Unix epoch; null when never. */
  readonly endsAtMs: number | null;
  readonly tokens: number | null;
  readonly costUsd: number | null;
}

/** One request's wish: its estimate and everything it is booked on. Amounts are from 0. */
export interface Spend {
  readonly requestId: string;
  readonly minute: MinuteLimit | null;
  readonly terms: readonly TermLimit[];
  readonly estimatedTokens: number;
  readonly estimatedCostUsd: number;
}

/** How a wish was answered; every refusal is a value, none an error. */
export type BudgetAnswer =
  | { readonly kind: "ok" }
  /** The minute's bucket cannot pay; it can in `retryAfterMs`. */
  | { readonly kind: "minute-exhausted"; readonly retryAfterMs: number }
  | { readonly kind: "term-exhausted"; readonly subject: string }
  /** The store did not answer; the caller decides by `OBLETH_FAIL_OPEN`. */
  | { readonly kind: "unavailable" };

/** Answers at once where it can: a request whose budgets are in this process never waits for a promise. */
export interface TokenBudgets {
  /** Would `reserve` pass now? Changes nothing. */
  check(spend: Spend): BudgetAnswer | Promise<BudgetAnswer>;
  /** Takes the estimate from every account in one step, or from none. */
  reserve(spend: Spend): BudgetAnswer | Promise<BudgetAnswer>;
  /** Gives the reservation back and books what was really used. Never rejects; a lost one expires by itself. */
  settle(spend: Spend, actual: { tokens: number; costUsd: number }): void | Promise<void>;
}

/** What a term's account holds. */
export interface TermUsage {
  readonly usedTokens: number;
  readonly usedCostUsd: number;
  /** Reserved by requests that have not settled. */
  readonly reservedTokens: number;
  readonly reservedCostUsd: number;
}

/** Budgets that can also be looked at. */
export interface BudgetBooks extends TokenBudgets {
  /** False while budgets cannot be asked and every answer is `unavailable`. */
  readonly isAvailable: boolean;
  /** What an account has used in a term; zeros for one never used, null when it cannot be read. Never rejects. */
  usage(account: { readonly subject: string; readonly term: string }): Promise<TermUsage | null>;
}
