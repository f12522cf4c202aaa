/**
 * Budgets that all replicas share, each operation one script call on the Redis clock. While Redis is silent every
 * question is answered `unavailable` at once. Settlements that could not be delivered are kept, up to a bound, and
 * sent again once Redis answers; the scripts book each request once however often it is sent.
 */
import type { Clock } from "@obleth/clock";
import { Breaker } from "../redis/breaker";
import type { RedisClient } from "../redis/connect";
import type { Keys } from "../redis/keys";
import type { ScriptRunner } from "../redis/scripts";
import { type Account, accountsOf, nanoDollars, RESERVATION_MS, wholeTokens } from "./accounts";
import type { BudgetAnswer, BudgetBooks, Spend, TermUsage } from "./token-budget";

/** What budgets in Redis are made with. */
export interface RedisBudgetsOptions {
  readonly scripts: ScriptRunner;
  readonly keys: Keys;
  /** For deadlines and probes; amounts and lapses go by the Redis clock. */
  readonly clock: Clock;
  /** Longest wait for an answer, ms. */
  readonly timeoutMs: number;
  /** Asks Redis for a sign of life; rejects while there is none. */
  readonly ping: () => Promise<unknown>;
  /** For reading accounts. */
  readonly books: Pick<RedisClient, "hmget">;
  /** Told when Redis stops and starts answering, with the reason. */
  readonly onAvailability?: (isAvailable: boolean, reason: unknown) => void;
  /** Told the name of an account whose stored value cannot be read. */
  readonly onUnreadable?: (message: string) => void;
}

/** One settlement on its way to Redis. */
interface Settlement {
  readonly spend: Spend;
  readonly actual: { readonly tokens: number; readonly costUsd: number };
  /** It was admitted while Redis was silent: no account knows it, and it is to be booked all the same. */
  readonly isUnreserved: boolean;
}

/** Settlements kept while Redis is away: about 20 MB. More are dropped and counted; their reservations lapse. */
const MAX_UNSENT = 50_000;
/** Request ids remembered as admitted without a reservation, until they settle. */
const MAX_UNRESERVED = 50_000;
/** Settlements sent again at once, so that a long outage does not end in one burst. */
const RESEND_BATCH = 100;

/**
 * Budgets that the whole fleet shares. Never waits longer than the response timeout: then the answer is
 * `unavailable`.
 */
export class RedisBudgets implements BudgetBooks {
  readonly #options: RedisBudgetsOptions;
  readonly #breaker: Breaker;
  readonly #unreserved = new Set<string>();
  readonly #unsent: Settlement[] = [];
  #resending: Promise<void> | undefined;
  #droppedSettlements = 0;

  constructor(options: RedisBudgetsOptions) {
    this.#options = options;
    this.#breaker = new Breaker({
      clock: options.clock,
      timeoutMs: options.timeoutMs,
      probe: options.ping,
      onChange: (isOpen, reason) => {
        options.onAvailability?.(!isOpen, reason);
        if (!isOpen) void this.#resend();
      },
    });
  }

  /** False while questions are answered `unavailable` without asking Redis. */
  get isAvailable(): boolean {
    return !this.#breaker.isOpen;
  }

  /** Settlements waiting for Redis to come back. */
  get unsentCount(): number {
    return this.#unsent.length;
  }

  /** Settlements given up because too many were waiting. */
  get droppedSettlements(): number {
    return this.#droppedSettlements;
  }

  /** One script call that changes nothing; none when the spend touches no account. Never rejects. */
  check(spend: Spend): Promise<BudgetAnswer> {
    return this.#spend("check", spend);
  }

  /**
   * One script call for all accounts. After `unavailable` it is remembered that the request may run without a
   * reservation, so that its settlement is booked and not taken for one that was booked already.
   */
  async reserve(spend: Spend): Promise<BudgetAnswer> {
    const answer = await this.#spend("reserve", spend);
    if (answer.kind === "unavailable" && this.#unreserved.size < MAX_UNRESERVED) this.#unreserved.add(spend.requestId);
    return answer;
  }

  /** Resolves when it is booked, or kept to be sent once Redis answers again. */
  async settle(spend: Spend, actual: { tokens: number; costUsd: number }): Promise<void> {
    const isUnreserved = this.#unreserved.delete(spend.requestId);
    if (spend.minute === null && spend.terms.length === 0) return;
    await this.#send({ spend, actual, isUnreserved });
  }

  /** Reads one hash as it stands: reservations that lapsed since its last booking are still among the reserved. */
  async usage({ subject, term }: { readonly subject: string; readonly term: string }): Promise<TermUsage | null> {
    const { books, keys } = this.#options;
    const [book] = keys.termBudget(subject, term);
    try {
      const read = () => books.hmget(book, "tokens", "nanos", "rtokens", "rnanos");
      const values = (await this.#breaker.run(read, isUnreadable)).map((value) => Number(value ?? 0));
      const [usedTokens = 0, usedNanos = 0, reservedTokens = 0, reservedNanos = 0] = values;
      if (!values.every(Number.isFinite)) return null;
      return { usedTokens, usedCostUsd: usedNanos / 1e9, reservedTokens, reservedCostUsd: reservedNanos / 1e9 };
    } catch {
      return null;
    }
  }

  /** Delivers what is waiting if Redis answers, then stops. For shutdown. */
  async close(): Promise<void> {
    await this.#resend();
    this.#breaker.close();
  }

  /** Asks the script; whatever goes wrong on the way is `unavailable`, as nothing is known then. */
  async #spend(operation: "check" | "reserve", spend: Spend): Promise<BudgetAnswer> {
    const accounts = accountsOf(spend);
    if (accounts.length === 0) return { kind: "ok" };
    const args: (string | number)[] = [
      operation,
      spend.requestId,
      wholeTokens(spend.estimatedTokens),
      nanoDollars(spend.estimatedCostUsd),
      RESERVATION_MS,
    ];
    for (const account of accounts) {
      if (account.kind === "minute") args.push("minute", account.tokensPerMinute, -1, 0);
      else args.push("term", account.tokens, account.nanos, account.endsAtMs);
    }
    try {
      const reply = await this.#run("spend", accounts, args);
      return decodeAnswer(reply, accounts);
    } catch {
      return { kind: "unavailable" };
    }
  }

  /** Sends one settlement. An account that cannot be read loses it: to send it again would fail again. */
  async #send(settlement: Settlement): Promise<void> {
    const { spend, actual, isUnreserved } = settlement;
    const accounts = accountsOf(spend);
    const args: (string | number)[] = [
      spend.requestId,
      wholeTokens(actual.tokens),
      nanoDollars(actual.costUsd),
      isUnreserved ? 1 : 0,
    ];
    for (const account of accounts) {
      if (account.kind === "minute") args.push("minute", account.tokensPerMinute, 0);
      else args.push("term", -1, account.endsAtMs);
    }
    try {
      await this.#run("settle", accounts, args);
    } catch (error) {
      if (!isUnreadable(error)) this.#keep(settlement);
    }
  }

  /** Keeps a settlement for later, within the bound. */
  #keep(settlement: Settlement): void {
    if (this.#unsent.length < MAX_UNSENT) this.#unsent.push(settlement);
    else this.#droppedSettlements++;
  }

  /** Delivers what is waiting, oldest first, until Redis is silent again. Calls while it runs share its end. */
  #resend(): Promise<void> {
    this.#resending ??= this.#resendAll().finally(() => {
      this.#resending = undefined;
    });
    return this.#resending;
  }

  /** In batches, each awaited: a failure opens the breaker and so ends the loop with the rest kept. */
  async #resendAll(): Promise<void> {
    while (this.#unsent.length > 0 && !this.#breaker.isOpen) {
      await Promise.all(this.#unsent.splice(0, RESEND_BATCH).map((settlement) => this.#send(settlement)));
    }
  }

  /** One script over the accounts' keys, in their order. Rejects while Redis is known to be silent, without sending. */
  async #run(name: "spend" | "settle", accounts: readonly Account[], args: (string | number)[]): Promise<unknown> {
    const { scripts, keys, onUnreadable } = this.#options;
    const names = accounts.flatMap((account) =>
      account.kind === "minute" ? keys.minuteBudget(account.subject) : keys.termBudget(account.subject, account.term),
    );
    try {
      return await this.#breaker.run(() => scripts.run(name, names, args), isUnreadable);
    } catch (error) {
      if (isUnreadable(error)) onUnreadable?.(error instanceof Error ? error.message : String(error));
      throw error;
    }
  }
}

/** One account's stored value is damaged: the server answers, so nobody else's requests are affected. */
function isUnreadable(error: unknown): boolean {
  return error instanceof Error && (error.message.startsWith("UNREADABLE") || error.message.includes("WRONGTYPE"));
}

/** The script's reply as an answer; a term is named by its account's number, from 1. Throws for any other reply. */
function decodeAnswer(reply: unknown, accounts: readonly Account[]): BudgetAnswer {
  const [kind, value] = Array.isArray(reply) ? reply : [];
  switch (kind) {
    case "ok":
      return { kind: "ok" };
    case "minute":
      return { kind: "minute-exhausted", retryAfterMs: Number(value) };
    case "term":
      return { kind: "term-exhausted", subject: accounts[Number(value) - 1]?.subject ?? "" };
    default:
      throw new Error(`unexpected reply of spend: ${JSON.stringify(reply)}`);
  }
}
