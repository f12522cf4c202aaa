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

/** One request's estimate, set aside until it settles or lapses. Times here are monotonic, ms. */
interface Reservation {
  readonly lapsesAtMs: number;
  readonly tokens: number;
  readonly nanos: number;
}

/** One account: a minute's bucket, in units, or a term's sums. The fields of the other kind stay 0. */
interface Book {
  /** The limits it was last used with. */
  account: Account;
  /** Units used of a minute's bucket, the moment that was true, and the limit it was counted against. */
  usedUnits: number;
  atMs: number;
  tokensPerMinute: number;
  /** Settled in the term, and reserved by `open`. */
  tokens: number;
  nanos: number;
  reservedTokens: number;
  reservedNanos: number;
  /** Not yet settled, by request id, oldest first. */
  readonly open: Map<string, Reservation>;
  /** Request ids whose reservation lapsed, by the moment they are forgotten, oldest first. */
  readonly lapsed: Map<string, number>;
  /** Before this nothing in `open` lapses and nothing in `lapsed` is forgotten. */
  quietUntilMs: number;
  lastUseMs: number;
}

/** Books looked through for expiry after this many calls: rare enough to cost nothing, often enough to stay small. */
const SWEEP_EVERY = 1024;
/** How long a term's book outlives the term, for settlements of answers that ran over its end. */
const TERM_KEPT_MS = 7 * 24 * 3_600_000;
const NEVER = Number.POSITIVE_INFINITY;

const OK: BudgetAnswer = { kind: "ok" };

/** Budgets of one gateway alone. Lost with the process; refuses and books exactly as those in Redis do. */
export class MemoryBudgets implements BudgetBooks {
  readonly isAvailable = true;
  readonly #clock: Clock;
  /** Minutes' buckets by subject. */
  readonly #buckets = new Map<string, Book>();
  /** Terms' accounts by subject, then by term. */
  readonly #terms = new Map<string, Map<string, Book>>();
  #calls = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Reads as `reserve` would, without taking anything. O(accounts of the spend). */
  check(spend: Spend): BudgetAnswer {
    return answerOf(spend, this.#load(spend));
  }

  /** All accounts or none. A request id that is open or has lapsed is let through and reserves nothing more. */
  reserve(spend: Spend): BudgetAnswer {
    const books = this.#load(spend);
    const answer = answerOf(spend, books);
    if (answer.kind !== "ok") return answer;
    const reservation: Reservation = {
      lapsesAtMs: this.#clock.monotonicMs() + RESERVATION_MS,
      tokens: wholeTokens(spend.estimatedTokens),
      nanos: nanoDollars(spend.estimatedCostUsd),
    };
    for (const book of books) {
      if (book.open.has(spend.requestId) || book.lapsed.has(spend.requestId)) continue;
      book.open.set(spend.requestId, reservation);
      if (reservation.lapsesAtMs < book.quietUntilMs) book.quietUntilMs = reservation.lapsesAtMs;
      if (book.account.kind === "minute") {
        book.usedUnits += reservation.tokens * UNITS_PER_TOKEN;
      } else {
        book.reservedTokens += reservation.tokens;
        book.reservedNanos += reservation.nanos;
      }
    }
    return answer;
  }

  /**
   * Books what was used on each account that knows the request. After a lapse a term has had the estimate given back
   * and is charged what was used; a minute's bucket has paid the estimate, and that stands.
   */
  settle(spend: Spend, actual: { tokens: number; costUsd: number }): void {
    const tokens = wholeTokens(actual.tokens);
    const nanos = nanoDollars(actual.costUsd);
    for (const book of this.#load(spend)) {
      const reservation = book.open.get(spend.requestId);
      if (reservation === undefined && !book.lapsed.delete(spend.requestId)) continue;
      book.open.delete(spend.requestId);
      if (book.account.kind === "minute") {
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
    const book = this.#terms.get(subject)?.get(term);
    if (book === undefined) return { usedTokens: 0, usedCostUsd: 0, reservedTokens: 0, reservedCostUsd: 0 };
    lapse(book, this.#clock.monotonicMs());
    return {
      usedTokens: book.tokens,
      usedCostUsd: book.nanos / 1e9,
      reservedTokens: book.reservedTokens,
      reservedCostUsd: book.reservedNanos / 1e9,
    };
  }

  /** The books of a spend, made when absent, refilled and without lapsed reservations. */
  #load(spend: Spend): Book[] {
    this.#sweep();
    const nowMs = this.#clock.monotonicMs();
    const books: Book[] = [];
    for (const account of accountsOf(spend)) {
      const book = this.#bookOf(account, nowMs);
      book.account = account;
      book.lastUseMs = nowMs;
      if (account.kind === "minute") refill(book, account.tokensPerMinute, nowMs);
      lapse(book, nowMs);
      books.push(book);
    }
    return books;
  }

  /** The account's book, made empty when there is none: a bucket full, a term with nothing used. */
  #bookOf(account: Account, nowMs: number): Book {
    if (account.kind === "minute") {
      const known = this.#buckets.get(account.subject);
      if (known !== undefined) return known;
      const bucket = emptyBook(account, nowMs);
      this.#buckets.set(account.subject, bucket);
      return bucket;
    }
    const terms = this.#terms.get(account.subject) ?? new Map<string, Book>();
    const known = terms.get(account.term);
    if (known !== undefined) return known;
    const book = emptyBook(account, nowMs);
    terms.set(account.term, book);
    this.#terms.set(account.subject, terms);
    return book;
  }

  /** Now and then drops books that would read as empty: buckets long full, terms long over. */
  #sweep(): void {
    if (++this.#calls % SWEEP_EVERY !== 0) return;
    const nowMs = this.#clock.monotonicMs();
    const wallMs = this.#clock.wallMs();
    for (const [subject, bucket] of this.#buckets) {
      if (nowMs - bucket.lastUseMs > REMEMBER_MS) this.#buckets.delete(subject);
    }
    for (const [subject, terms] of this.#terms) {
      for (const [term, book] of terms) if (isOver(book, wallMs)) terms.delete(term);
      if (terms.size === 0) this.#terms.delete(subject);
    }
  }
}

/** Whether a term ended so long ago, by the wall clock, that nothing more will be booked on it. */
function isOver({ account }: Book, wallMs: number): boolean {
  return account.kind === "term" && account.endsAtMs > 0 && wallMs > account.endsAtMs + TERM_KEPT_MS;
}

/**
 * The first refusal by any of the books, else `ok`. A term is judged by what is used and reserved already, not by the
 * estimate: the request that reaches the cap still runs. A bucket must be able to pay the estimate.
 */
function answerOf(spend: Spend, books: readonly Book[]): BudgetAnswer {
  // A used-up term outranks a minute that refills: waiting would not help.
  for (const { account, tokens, nanos, reservedTokens, reservedNanos } of books) {
    if (account.kind !== "term") continue;
    const noTokens = account.tokens >= 0 && tokens + reservedTokens >= account.tokens;
    const noMoney = account.nanos >= 0 && nanos + reservedNanos >= account.nanos;
    if (noTokens || noMoney) return { kind: "term-exhausted", subject: account.subject };
  }
  for (const book of books) {
    if (book.account.kind !== "minute") continue;
    const retryAfterMs = bucketWaitMs(book, book.account.tokensPerMinute, wholeTokens(spend.estimatedTokens));
    if (retryAfterMs > 0) return { kind: "minute-exhausted", retryAfterMs };
  }
  return OK;
}

/** A book nothing has been booked on. */
function emptyBook(account: Account, nowMs: number): Book {
  return {
    account,
    usedUnits: 0,
    atMs: nowMs,
    tokensPerMinute: 0,
    tokens: 0,
    nanos: 0,
    reservedTokens: 0,
    reservedNanos: 0,
    open: new Map(),
    lapsed: new Map(),
    quietUntilMs: NEVER,
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

/** Takes a reservation's amounts off a term's sums. */
function giveBack(book: Book, reservation: Reservation): void {
  book.reservedTokens -= reservation.tokens;
  book.reservedNanos -= reservation.nanos;
}

/** Takes reservations off whose time has come; their ids stay known for a day. */
function lapse(book: Book, nowMs: number): void {
  if (nowMs < book.quietUntilMs) return;
  for (const [id, forgetAtMs] of book.lapsed) {
    if (forgetAtMs > nowMs) break;
    book.lapsed.delete(id);
  }
  for (const [id, reservation] of book.open) {
    if (reservation.lapsesAtMs > nowMs) break;
    book.open.delete(id);
    book.lapsed.set(id, nowMs + REMEMBER_MS);
    if (book.account.kind === "term") giveBack(book, reservation);
  }
  const [oldest] = book.open.values();
  const [firstLapsed] = book.lapsed.values();
  book.quietUntilMs = Math.min(oldest?.lapsesAtMs ?? NEVER, firstLapsed ?? NEVER);
}
