/**
 * What the memory and the Redis version agree on: which accounts a request touches, and its amounts as whole numbers.
 * Money is counted in billionths of a US dollar, so that sums are exact.
 */
import type { Spend } from "./token-budget";

/**
 * A reservation that nobody settles lapses after this; long enough for all but the longest answers, which are still
 * booked when they settle. Longer would let crashed replicas block a term for longer.
 */
export const RESERVATION_MS = 15 * 60_000;
/** How long a lapsed or settled request id is remembered, so that a late settlement is booked once. */
export const REMEMBER_MS = 24 * 3_600_000;
/** A bucket counts in 1/60000 of a token: each millisecond refills a whole number of units. */
export const UNITS_PER_TOKEN = 60_000;

/** Most tokens of one amount: in units, 6 x 10^15, it stays below 2^53. */
const MAX_TOKENS = 1e11;
/** Most billionths of a dollar of one amount, 9 million dollars: just below 2^53. */
const MAX_NANOS = 9e15;

/** What one request is booked on: the minute of its tenant, or a term of tenant or key. */
export type Account =
  | { readonly kind: "minute"; readonly subject: string; readonly tokensPerMinute: number }
  | {
      readonly kind: "term";
      readonly subject: string;
      readonly term: string;
      /** Caps in tokens and in billionths of a dollar; -1 for none. */
      readonly tokens: number;
      readonly nanos: number;
      /** Milliseconds of the Unix epoch; 0 for a term without end. */
      readonly endsAtMs: number;
    };

/** The accounts of a spend, the minute's first, then the terms in their order. Empty when nothing is limited. */
export function accountsOf(spend: Spend): Account[] {
  const accounts: Account[] = [];
  if (spend.minute !== null) {
    const tokensPerMinute = Math.max(1, wholeTokens(spend.minute.tokensPerMinute));
    accounts.push({ kind: "minute", subject: spend.minute.subject, tokensPerMinute });
  }
  for (const term of spend.terms) {
    accounts.push({
      kind: "term",
      subject: term.subject,
      term: term.term,
      tokens: term.tokens === null ? -1 : wholeTokens(term.tokens),
      nanos: term.costUsd === null ? -1 : nanoDollars(term.costUsd),
      endsAtMs: term.endsAtMs ?? 0,
    });
  }
  return accounts;
}

/** Whole tokens from 0 to 10^11, rounded up; anything that is no number is 0. */
export function wholeTokens(tokens: number): number {
  return Number.isNaN(tokens) ? 0 : Math.min(MAX_TOKENS, Math.max(0, Math.ceil(tokens)));
}

/** Billionths of a dollar from 0 to 9 million dollars, rounded; anything that is no number is 0. */
export function nanoDollars(usd: number): number {
  return Number.isNaN(usd) ? 0 : Math.min(MAX_NANOS, Math.max(0, Math.round(usd * 1e9)));
}
