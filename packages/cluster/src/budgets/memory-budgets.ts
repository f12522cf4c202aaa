/**
 * Budgets inside one process: what a single replica uses without Redis, and the reference that the Redis version is
 * compared with. Nothing survives a restart.
 */
import type { Clock } from "@obleth/clock";
import {
  type Account,
  accountsOf,
  nanoDollars,
  REMEMBER_MS,
  RESERVATION_MS,
  UNITS_PER_TOKEN,
  wholeTokens,
} from "./accounts";
import type { BudgetAnswer, BudgetBooks, Spend, TermUsage } from "./token-budget";

interface Reservation {
  readonly lapsesAtMs: number;
  readonly tokens: number;
  readonly nanos: number;
}

interface Book {
  readonly kind: Account["kind"];
  /** Units used of a minute's bucket, the moment that was true, and the limit it was counted against. */
  usedUnits: number;
  atMs: number;
  tokensPerMinute: number;
  tokens: number;
  nanos: number;
  reservedTokens: number;
  reservedNanos: number;
  /** Not yet settled, by request id, oldest first. */
  readonly open: Map<string, Reservation>;
  /** Request ids whose reservation lapsed, by the moment they are forgotten, oldest first. */
  readonly lapsed: Map<string, number>;
  endsAtMs: number;
  lastUseMs: number;
}

/** Books looked through for expiry after this many calls: rare enough to cost nothing, often enough to stay small. */
const SWEEP_EVERY = 1024;
const TERM_KEPT_MS = 7 * 24 * 3_600_000;

export class MemoryBudgets implements BudgetBooks {
  readonly isAvailable = true;
  readonly #clock: Clock;
  readonly #books = new Map<string, Book>();
  #calls = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async check(spend: Spend): Promise<BudgetAnswer> {
    return this.#answer(spend, this.#load(spend));
  }

  async reserve(spend: Spend): Promise<BudgetAnswer> {
    const loaded = this.#load(spend);
    const answer = this.#answer(spend, loaded);
    if (answer.kind !== "ok") return answer;
    const reservation: Reservation = {
      lapsesAtMs: this.#clock.monotonicMs() + RESERVATION_MS,
      tokens: wholeTokens(spend.estimatedTokens),
      nanos: nanoDollars(spend.estimatedCostUsd),
    };
    for (const { book } of loaded) {
      if (book.open.has(spend.requestId) || book.lapsed.has(spend.requestId)) continue;
      book.open.set(spend.requestId, reservation);
      if (book.kind === "minute") {
        book.usedUnits += reservation.tokens * UNITS_PER_TOKEN;
      } else {
        book.reservedTokens += reservation.tokens;
        book.reservedNanos += reservation.nanos;
      }
    }
    return answer;
  }

  async settle(spend: Spend, actual: { tokens: number; costUsd: number }): Promise<void> {
    const tokens = wholeTokens(actual.tokens);
    const nanos = nanoDollars(actual.costUsd);
    for (const { book } of this.#load(spend)) {
      const reservation = book.open.get(spend.requestId);
      if (reservation === undefined && !book.lapsed.has(spend.requestId)) continue;
      book.open.delete(spend.requestId);
      book.lapsed.delete(spend.requestId);
      if (book.kind === "minute") {
        const paid = reservation?.tokens ?? tokens;
        book.usedUnits = Math.max(0, book.usedUnits + (tokens - paid) * UNITS_PER_TOKEN);
      } else {
        if (reservation !== undefined) giveBack(book, reservation);
        book.tokens += tokens;
        book.nanos += nanos;
      }
    }
  }

  async usage({ subject, term }: { readonly subject: string; readonly term: string }): Promise<TermUsage | null> {
    const book = this.#books.get(JSON.stringify([subject, term]));
    if (book === undefined) return { usedTokens: 0, usedCostUsd: 0, reservedTokens: 0, reservedCostUsd: 0 };
    lapse(book, this.#clock.monotonicMs());
    return {
      usedTokens: book.tokens,
      usedCostUsd: book.nanos / 1e9,
      reservedTokens: book.reservedTokens,
      reservedCostUsd: book.reservedNanos / 1e9,
    };
  }

  #answer(spend: Spend, loaded: readonly { account: Account; book: Book }[]): BudgetAnswer {
    // A used-up term outranks a minute that refills: waiting would not help.
    for (const { account, book } of loaded) {
      if (account.kind !== "term") continue;
      const noTokens = account.tokens >= 0 && book.tokens + book.reservedTokens >= account.tokens;
      const noMoney = account.nanos >= 0 && book.nanos + book.reservedNanos >= account.nanos;
      if (noTokens || noMoney) return { kind: "term-exhausted", subject: account.subject };
    }
    for (const { account, book } of loaded) {
      if (account.kind !== "minute") continue;
      const retryAfterMs = bucketWaitMs(book, account.tokensPerMinute, wholeTokens(spend.estimatedTokens));
      if (retryAfterMs > 0) return { kind: "minute-exhausted", retryAfterMs };
    }
    return { kind: "ok" };
  }

  /** The books of a spend, made when absent, refilled and without lapsed reservations. */
  #load(spend: Spend): { account: Account; book: Book }[] {
    this.#sweep();
    const nowMs = this.#clock.monotonicMs();
    return accountsOf(spend).map((account) => {
      const name = JSON.stringify(account.kind === "minute" ? [account.subject] : [account.subject, account.term]);
      let book = this.#books.get(name);
      if (book === undefined) {
        book = emptyBook(account.kind, nowMs);
        this.#books.set(name, book);
      }
      book.lastUseMs = nowMs;
      if (account.kind === "minute") refill(book, account.tokensPerMinute, nowMs);
      else book.endsAtMs = account.endsAtMs;
      lapse(book, nowMs);
      return { account, book };
    });
  }

  /** Now and then drops books that would read as empty: buckets long full, terms long over. */
  #sweep(): void {
    if (++this.#calls % SWEEP_EVERY !== 0) return;
    const nowMs = this.#clock.monotonicMs();
    const wallMs = this.#clock.wallMs();
    for (const [name, book] of this.#books) {
      const isIdleBucket = book.kind === "minute" && nowMs - book.lastUseMs > REMEMBER_MS;
      const isOver = book.endsAtMs > 0 && wallMs > book.endsAtMs + TERM_KEPT_MS;
      if (isIdleBucket || isOver) this.#books.delete(name);
    }
  }
}

function emptyBook(kind: Account["kind"], nowMs: number): Book {
  return {
    kind,
    usedUnits: 0,
    atMs: nowMs,
    tokensPerMinute: 0,
    tokens: 0,
    nanos: 0,
    reservedTokens: 0,
    reservedNanos: 0,
    open: new Map(),
    lapsed: new Map(),
    endsAtMs: 0,
    lastUseMs: nowMs,
  };
}

/** Refills evenly. A changed limit keeps the used fraction of the bucket. */
function refill(book: Book, tokensPerMinute: number, nowMs: number): void {
  if (book.tokensPerMinute > 0 && book.tokensPerMinute !== tokensPerMinute) {
    book.usedUnits = Math.floor((book.usedUnits / book.tokensPerMinute) * tokensPerMinute);
  }
  // Whole milliseconds only, as on the Redis clock, so that units stay whole.
  const elapsedMs = Math.floor(nowMs) - Math.floor(book.atMs);
  book.usedUnits = Math.max(0, book.usedUnits - elapsedMs * tokensPerMinute);
  book.atMs = nowMs;
  book.tokensPerMinute = tokensPerMinute;
}

/** Milliseconds until the bucket can pay, 0 when it can. More than the whole bucket needs it full. */
function bucketWaitMs(book: Book, tokensPerMinute: number, tokens: number): number {
  const needUnits =
    tokens > tokensPerMinute ? book.usedUnits : book.usedUnits + (tokens - tokensPerMinute) * UNITS_PER_TOKEN;
  return needUnits <= 0 ? 0 : Math.ceil(needUnits / tokensPerMinute);
}

function giveBack(book: Book, reservation: Reservation): void {
  book.reservedTokens -= reservation.tokens;
  book.reservedNanos -= reservation.nanos;
}

/** Takes reservations off whose time has come; their ids stay known for a day. */
function lapse(book: Book, nowMs: number): void {
  for (const [id, forgetAtMs] of book.lapsed) {
    if (forgetAtMs > nowMs) break;
    book.lapsed.delete(id);
  }
  for (const [id, reservation] of book.open) {
    if (reservation.lapsesAtMs > nowMs) break;
    book.open.delete(id);
    book.lapsed.set(id, nowMs + REMEMBER_MS);
    if (book.kind === "term") giveBack(book, reservation);
  }
}
