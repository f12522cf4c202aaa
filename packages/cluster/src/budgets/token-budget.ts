/**
 * Token and money limits per minute and per term. Checked read-only before admission and reserved in one atomic step
 * after it, so a waiter holds no reservation. Memory and Redis versions satisfy one contract suite.
 */

/**
 * Tokens per minute of one tenant, as a token bucket: it starts full and refills evenly. An estimate larger than the
 * whole bucket is let through when it is full, and leaves a debt that later requests wait for.
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
  /** Most tokens in the term, from 0; null for no limit. */
  readonly tokens: number | null;
  /** Most US dollars in the term, from 0; null for no limit. */
  readonly costUsd: number | null;
}

/** One request's wish: its estimate and everything it is booked on. Amounts are from 0. */
export interface Spend {
  /** What reservation and settlement know each other by; one that was seen before is booked no second time. */
  readonly requestId: string;
  /** null: its tenant has no limit per minute. */
  readonly minute: MinuteLimit | null;
  /** The key's and the tenant's, as far as they have one. With none and no minute every answer is `ok`. */
  readonly terms: readonly TermLimit[];
  /** Rounded up to whole tokens. */
  readonly estimatedTokens: number;
  /** Rounded to billionths of a dollar. */
  readonly estimatedCostUsd: number;
}

/** How a wish was answered; every refusal is a value, none an error. */
export type BudgetAnswer =
  | { readonly kind: "ok" }
  /** The minute's bucket cannot pay; it can in `retryAfterMs`. */
  | { readonly kind: "minute-exhausted"; readonly retryAfterMs: number }
  /** Nothing is left of the term of `subject`, what others have reserved included. Outranks an exhausted minute. */
  | { readonly kind: "term-exhausted"; readonly subject: string }
  /** The store did not answer; the caller decides by `OBLETH_FAIL_OPEN`. */
  | { readonly kind: "unavailable" };

/** Answers at once where it can: a request whose budgets are in this process never waits for a promise. */
export interface TokenBudgets {
  /** Would `reserve` pass now? Changes nothing. */
  check(spend: Spend): BudgetAnswer | Promise<BudgetAnswer>;
  /** Takes the estimate from every account in one step, or from none. */
  reserve(spend: Spend): BudgetAnswer | Promise<BudgetAnswer>;
  /**
   * Gives the reservation back and books what was really used, once however often it is called. Never rejects; a
   * reservation that nobody settles lapses after fifteen minutes, and a settlement within the day after still counts.
   */
  settle(spend: Spend, actual: { tokens: number; costUsd: number }): void | Promise<void>;
}

/** What a term's account holds. */
export interface TermUsage {
  /** Of settled requests, as they really were. */
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
