/** What every implementation of `TokenBudgets` guarantees. Run by the memory test and by the Redis test. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BudgetBooks, MinuteLimit, Spend, TermLimit } from "../src/budgets/token-budget";

export interface BudgetSystem {
  readonly budgets: BudgetBooks;
  /** Moves the clock that budgets are counted by. */
  advance(ms: number): Promise<void>;
  /** Milliseconds of the epoch on that clock. */
  wallMs(): number;
  close(): Promise<void>;
}

const OK = { kind: "ok" };
const RESERVATION_MS = 15 * 60_000;

export function describeTokenBudgets(name: string, open: () => Promise<BudgetSystem>): void {
  describe(`token budgets in ${name}`, () => {
    let system: BudgetSystem;
    let nextRequest = 0;
    beforeEach(async () => {
      system = await open();
    });
    afterEach(() => system.close());

    const minute = (tokensPerMinute: number): MinuteLimit => ({ subject: "acme", tokensPerMinute });
    const term = (limits: Partial<TermLimit>): TermLimit => ({
      subject: "tenant:acme",
      term: "2026-11",
      endsAtMs: system.wallMs() + 30 * 86_400_000,
      tokens: null,
      costUsd: null,
      ...limits,
    });
    const spend = (parts: Partial<Spend>): Spend => ({
      requestId: `request-${nextRequest++}`,
      minute: null,
      terms: [],
      estimatedTokens: 1,
      estimatedCostUsd: 0,
      ...parts,
    });

    describe("per minute", () => {
      it("starts full and pays its whole size at once, and not one token more", async () => {
        expect(await system.budgets.reserve(spend({ minute: minute(1000), estimatedTokens: 1000 }))).toEqual(OK);
        expect((await system.budgets.reserve(spend({ minute: minute(1000), estimatedTokens: 1 }))).kind).toBe(
          "minute-exhausted",
        );
      });

      it("refills evenly: a tenth of the bucket after a tenth of a minute", async () => {
        await system.budgets.reserve(spend({ minute: minute(1000), estimatedTokens: 1000 }));
        await system.advance(6000);
        expect((await system.budgets.check(spend({ minute: minute(1000), estimatedTokens: 101 }))).kind).toBe(
          "minute-exhausted",
        );
        expect(await system.budgets.reserve(spend({ minute: minute(1000), estimatedTokens: 100 }))).toEqual(OK);
      });

      it("says exactly when it can pay", async () => {
        await system.budgets.reserve(spend({ minute: minute(600), estimatedTokens: 600 }));
        const request = spend({ minute: minute(600), estimatedTokens: 7 });
        expect(await system.budgets.reserve(request)).toEqual({ kind: "minute-exhausted", retryAfterMs: 700 });
        await system.advance(699);
        expect(await system.budgets.reserve(request)).toEqual({ kind: "minute-exhausted", retryAfterMs: 1 });
        await system.advance(1);
        expect(await system.budgets.reserve(request)).toEqual(OK);
      });

      it("never holds more than its size, however long it rests", async () => {
        await system.budgets.reserve(spend({ minute: minute(100), estimatedTokens: 100 }));
        await system.advance(3_600_000);
        await system.budgets.reserve(spend({ minute: minute(100), estimatedTokens: 100 }));
        expect((await system.budgets.reserve(spend({ minute: minute(100) }))).kind).toBe("minute-exhausted");
      });

      it("lets an estimate larger than the bucket pass only when it is full, and then owes the rest", async () => {
        const huge = () => spend({ minute: minute(100), estimatedTokens: 300 });
        await system.budgets.reserve(spend({ minute: minute(100), estimatedTokens: 1 }));
        expect(await system.budgets.reserve(huge())).toEqual({ kind: "minute-exhausted", retryAfterMs: 600 });
        await system.advance(600);
        expect(await system.budgets.reserve(huge())).toEqual(OK);
        const next = spend({ minute: minute(100), estimatedTokens: 1 });
        expect(await system.budgets.reserve(next)).toEqual({ kind: "minute-exhausted", retryAfterMs: 120_600 });
        await system.advance(120_600);
        expect(await system.budgets.reserve(next)).toEqual(OK);
      });

      it("gives back what an estimate had too much, and takes what it had too little", async () => {
        const first = spend({ minute: minute(1000), estimatedTokens: 1000 });
        await system.budgets.reserve(first);
        await system.budgets.settle(first, { tokens: 200, costUsd: 0 });
        const second = spend({ minute: minute(1000), estimatedTokens: 800 });
        expect(await system.budgets.reserve(second)).toEqual(OK);
        await system.budgets.settle(second, { tokens: 1800, costUsd: 0 });
        expect(await system.budgets.check(spend({ minute: minute(1000), estimatedTokens: 1 }))).toEqual({
          kind: "minute-exhausted",
          retryAfterMs: 60_060,
        });
      });

      it("keeps the used part of the bucket when the limit changes", async () => {
        await system.budgets.reserve(spend({ minute: minute(1000), estimatedTokens: 900 }));
        expect((await system.budgets.check(spend({ minute: minute(100), estimatedTokens: 11 }))).kind).toBe(
          "minute-exhausted",
        );
        expect(await system.budgets.check(spend({ minute: minute(100), estimatedTokens: 10 }))).toEqual(OK);
        expect(await system.budgets.check(spend({ minute: minute(10_000), estimatedTokens: 1000 }))).toEqual(OK);
        expect((await system.budgets.check(spend({ minute: minute(10_000), estimatedTokens: 1001 }))).kind).toBe(
          "minute-exhausted",
        );
      });

      it("keeps subjects apart, whatever their names", async () => {
        const names = ["acme", "acme|open", "__proto__", "constructor", "{a}", "a%7Cb", "a|b", "", "日本"];
        for (const subject of names) {
          const own = { subject, tokensPerMinute: 10 };
          expect(await system.budgets.reserve(spend({ minute: own, estimatedTokens: 10 }))).toEqual(OK);
          expect((await system.budgets.reserve(spend({ minute: own }))).kind).toBe("minute-exhausted");
        }
      });

      it("counts to the token at a hundred billion tokens a minute", async () => {
        const large = minute(1e11);
        expect(await system.budgets.reserve(spend({ minute: large, estimatedTokens: 1e11 - 1 }))).toEqual(OK);
        expect((await system.budgets.check(spend({ minute: large, estimatedTokens: 2 }))).kind).toBe(
          "minute-exhausted",
        );
        expect(await system.budgets.reserve(spend({ minute: large, estimatedTokens: 1 }))).toEqual(OK);
      });
    });

    describe("per term", () => {
      it("lets exactly one of two requests pass at the cap minus one", async () => {
        const limit = term({ tokens: 100 });
        const first = spend({ terms: [limit], estimatedTokens: 99 });
        await system.budgets.reserve(first);
        await system.budgets.settle(first, { tokens: 99, costUsd: 0 });
        const answers = await Promise.all([
          system.budgets.reserve(spend({ terms: [limit], estimatedTokens: 50 })),
          system.budgets.reserve(spend({ terms: [limit], estimatedTokens: 50 })),
        ]);
        expect(answers.map((answer) => answer.kind).sort()).toEqual(["ok", "term-exhausted"]);
      });

      it("holds from the very first burst on an account nobody has used", async () => {
        const limit = term({ tokens: 500 });
        const answers = await Promise.all(
          Array.from({ length: 100 }, () => system.budgets.reserve(spend({ terms: [limit], estimatedTokens: 100 }))),
        );
        expect(answers.filter((answer) => answer.kind === "ok")).toHaveLength(5);
      });

      it("names the account that is used up", async () => {
        const terms = [term({ tokens: 1000 }), term({ subject: "key:one", tokens: 10 })];
        await system.budgets.reserve(spend({ terms, estimatedTokens: 10 }));
        expect(await system.budgets.reserve(spend({ terms }))).toEqual({ kind: "term-exhausted", subject: "key:one" });
      });

      it("counts money to a billionth of a dollar", async () => {
        const limit = term({ costUsd: 0.000_000_3 });
        for (let i = 0; i < 3; i++) {
          expect(await system.budgets.reserve(spend({ terms: [limit], estimatedCostUsd: 0.000_000_1 }))).toEqual(OK);
        }
        expect((await system.budgets.reserve(spend({ terms: [limit] }))).kind).toBe("term-exhausted");
      });

      it("takes from no account when one of them refuses", async () => {
        const full = term({ subject: "key:full", tokens: 1 });
        await system.budgets.reserve(spend({ terms: [full] }));
        const open = term({ subject: "tenant:open", tokens: 100 });
        await system.budgets.reserve(spend({ minute: minute(100), terms: [open, full], estimatedTokens: 100 }));
        expect(await system.budgets.check(spend({ minute: minute(100), terms: [open], estimatedTokens: 100 }))).toEqual(
          OK,
        );
        const dry = { subject: "dry", tokensPerMinute: 1 };
        await system.budgets.reserve(spend({ minute: dry }));
        await system.budgets.reserve(spend({ minute: dry, terms: [open], estimatedTokens: 100 }));
        expect(await system.budgets.check(spend({ terms: [open], estimatedTokens: 100 }))).toEqual(OK);
      });

      it("refuses a used-up term before a minute that would refill", async () => {
        const limit = term({ tokens: 10 });
        await system.budgets.reserve(spend({ minute: minute(10), terms: [limit], estimatedTokens: 10 }));
        expect((await system.budgets.reserve(spend({ minute: minute(10), terms: [limit] }))).kind).toBe(
          "term-exhausted",
        );
      });

      it("starts a new term from nothing and leaves the old one as it was", async () => {
        const old = term({ tokens: 10 });
        await system.budgets.reserve(spend({ terms: [old], estimatedTokens: 10 }));
        expect(await system.budgets.reserve(spend({ terms: [term({ term: "2026-12", tokens: 10 })] }))).toEqual(OK);
        expect((await system.budgets.check(spend({ terms: [old] }))).kind).toBe("term-exhausted");
      });

      it("books a request that straddles the boundary in the term it reserved in", async () => {
        const old = term({ tokens: 100 });
        const straddling = spend({ terms: [old], estimatedTokens: 10 });
        await system.budgets.reserve(straddling);
        await system.advance(31 * 86_400_000 - 14 * 60_000);
        await system.budgets.settle(straddling, { tokens: 100, costUsd: 0 });
        expect((await system.budgets.check(spend({ terms: [old] }))).kind).toBe("term-exhausted");
        expect(await system.budgets.check(spend({ terms: [term({ term: "2026-12", tokens: 10 })] }))).toEqual(OK);
      });

      it("tells what a term has used and what is reserved", async () => {
        const limit = term({ tokens: 100, costUsd: 1 });
        const account = { subject: limit.subject, term: limit.term };
        const none = { usedTokens: 0, usedCostUsd: 0, reservedTokens: 0, reservedCostUsd: 0 };
        expect(await system.budgets.usage(account)).toEqual(none);
        const first = spend({ terms: [limit], estimatedTokens: 10, estimatedCostUsd: 0.25 });
        await system.budgets.reserve(first);
        await system.budgets.settle(first, { tokens: 7, costUsd: 0.5 });
        await system.budgets.reserve(spend({ terms: [limit], estimatedTokens: 20, estimatedCostUsd: 0.125 }));
        expect(await system.budgets.usage(account)).toEqual({
          usedTokens: 7,
          usedCostUsd: 0.5,
          reservedTokens: 20,
          reservedCostUsd: 0.125,
        });
      });

      it("never forgets an account without an end", async () => {
        const lifetime = term({ term: "lifetime", endsAtMs: null, tokens: 10 });
        const request = spend({ terms: [lifetime], estimatedTokens: 10 });
        await system.budgets.reserve(request);
        await system.budgets.settle(request, { tokens: 10, costUsd: 0 });
        await system.advance(400 * 86_400_000);
        expect((await system.budgets.check(spend({ terms: [lifetime] }))).kind).toBe("term-exhausted");
      });
    });

    describe("reservations", () => {
      it("changes nothing when only asked", async () => {
        const limits = { minute: minute(10), terms: [term({ tokens: 10 })], estimatedTokens: 10 };
        for (let i = 0; i < 5; i++) expect(await system.budgets.check(spend(limits))).toEqual(OK);
        expect(await system.budgets.reserve(spend(limits))).toEqual(OK);
      });

      it("gives the reservation back when it settles and books what was used", async () => {
        const limit = term({ tokens: 100, costUsd: 1 });
        const request = spend({ terms: [limit], estimatedTokens: 100, estimatedCostUsd: 1 });
        await system.budgets.reserve(request);
        expect((await system.budgets.check(spend({ terms: [limit] }))).kind).toBe("term-exhausted");
        await system.budgets.settle(request, { tokens: 40, costUsd: 0.4 });
        expect(await system.budgets.reserve(spend({ terms: [limit], estimatedTokens: 60 }))).toEqual(OK);
        expect((await system.budgets.check(spend({ terms: [limit] }))).kind).toBe("term-exhausted");
      });

      it("books a settlement once, however often it comes", async () => {
        const limit = term({ tokens: 100 });
        const request = spend({ minute: minute(1000), terms: [limit], estimatedTokens: 10 });
        await system.budgets.reserve(request);
        for (let i = 0; i < 3; i++) await system.budgets.settle(request, { tokens: 50, costUsd: 0 });
        expect(await system.budgets.check(spend({ terms: [limit] }))).toEqual(OK);
        expect(await system.budgets.reserve(spend({ minute: minute(1000), estimatedTokens: 950 }))).toEqual(OK);
      });

      it("takes once for one request, however often it asks", async () => {
        const limit = term({ tokens: 100 });
        const request = spend({ minute: minute(100), terms: [limit], estimatedTokens: 50 });
        await system.budgets.reserve(request);
        await system.budgets.reserve(request);
        expect(await system.budgets.check(spend({ minute: minute(100), terms: [limit], estimatedTokens: 50 }))).toEqual(
          OK,
        );
      });

      it("lets a reservation lapse that nobody settles", async () => {
        const limit = term({ tokens: 100 });
        await system.budgets.reserve(spend({ terms: [limit], estimatedTokens: 100 }));
        await system.advance(RESERVATION_MS - 1);
        expect((await system.budgets.check(spend({ terms: [limit] }))).kind).toBe("term-exhausted");
        await system.advance(1);
        expect(await system.budgets.reserve(spend({ terms: [limit], estimatedTokens: 100 }))).toEqual(OK);
      });

      it("books a request that outlasts its reservation, once", async () => {
        const limit = term({ tokens: 100 });
        const long = spend({ terms: [limit], estimatedTokens: 10 });
        await system.budgets.reserve(long);
        await system.advance(RESERVATION_MS + 1);
        expect(await system.budgets.check(spend({ terms: [limit] }))).toEqual(OK);
        await system.budgets.settle(long, { tokens: 60, costUsd: 0 });
        await system.budgets.settle(long, { tokens: 60, costUsd: 0 });
        const rest = spend({ terms: [limit], estimatedTokens: 40 });
        expect(await system.budgets.reserve(rest)).toEqual(OK);
        expect((await system.budgets.check(spend({ terms: [limit] }))).kind).toBe("term-exhausted");
      });

      it("ignores the settlement of a request that never reserved", async () => {
        const limit = term({ tokens: 10 });
        await system.budgets.settle(spend({ terms: [limit] }), { tokens: 1000, costUsd: 0 });
        expect(await system.budgets.check(spend({ terms: [limit] }))).toEqual(OK);
      });

      it.each([Number.NaN, Number.POSITIVE_INFINITY, -5, 1.5, 1e308, -0])(
        "keeps its books in order when an estimate or a usage is %s",
        async (odd) => {
          const limit = term({ tokens: 1e6, costUsd: 1e6 });
          const request = spend({ minute: minute(1e6), terms: [limit], estimatedTokens: odd, estimatedCostUsd: odd });
          await system.budgets.reserve(request);
          await system.budgets.settle(request, { tokens: 1, costUsd: 0 });
          await system.advance(60_000);
          expect(
            await system.budgets.check(spend({ minute: minute(1e6), terms: [limit], estimatedTokens: 1e6 })),
          ).toEqual(OK);
        },
      );

      it("passes a request that nothing limits", async () => {
        expect(await system.budgets.reserve(spend({ estimatedTokens: 1e9 }))).toEqual(OK);
      });
    });
  });
}
