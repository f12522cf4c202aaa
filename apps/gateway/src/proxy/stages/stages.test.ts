import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import type { TermBudget } from "../../policy-cache/records";
import { ADMISSION_OUTCOMES } from "../../scheduler/admission-outcome";
import { type CallFields, scanCall } from "../body/scan-call";
import { heapBytes } from "../testing/heap";
import { key, model, tenant } from "../testing/rig";
import { admissionRefusal } from "./admit";
import { TermCalendar, termOf } from "./budget-terms";
import { isInsideWindows } from "./check-access";
import { budgetRefusal, spendOf } from "./check-budget";
import { resolveSession } from "./resolve-session";

const at = (iso: string): number => Date.parse(iso);
const monthly: TermBudget = { tokens: 100, costUsd: null, period: "monthly", startedAtMs: null };

describe("a month of a budget", () => {
  it.each([
    ["2026-01-31T23:59:59.999Z", "UTC", "2026-01", "2026-02-01T00:00:00Z"],
    ["2026-02-01T00:00:00Z", "UTC", "2026-02", "2026-03-01T00:00:00Z"],
    ["2028-02-29T12:00:00Z", "UTC", "2028-02", "2028-03-01T00:00:00Z"],
    ["2026-12-31T12:00:00Z", "Pacific/Kiritimati", "2027-01", "2027-01-31T10:00:00Z"],
    ["2026-12-31T09:59:59Z", "Pacific/Kiritimati", "2026-12", "2026-12-31T10:00:00Z"],
    ["2027-01-01T10:00:00Z", "Pacific/Pago_Pago", "2026-12", "2027-01-01T11:00:00Z"],
    ["2026-03-28T12:00:00Z", "Europe/Berlin", "2026-03", "2026-03-31T22:00:00Z"],
    ["2026-10-31T23:30:00Z", "Europe/Berlin", "2026-11", "2026-11-30T23:00:00Z"],
    ["2026-11-15T00:00:00Z", "America/New_York", "2026-11", "2026-12-01T05:00:00Z"],
    // Midnight of the first is left out there, comes twice, and is half an hour off.
    ["2023-09-30T12:00:00Z", "America/Asuncion", "2023-09", "2023-10-01T04:00:00Z"],
    ["2023-10-01T04:00:00Z", "America/Asuncion", "2023-10", "2023-11-01T03:00:00Z"],
    ["2015-10-31T12:00:00Z", "America/Havana", "2015-10", "2015-11-01T04:00:00Z"],
    ["2015-11-01T04:30:00Z", "America/Havana", "2015-11", "2015-12-01T05:00:00Z"],
    ["2015-11-01T05:30:00Z", "America/Havana", "2015-11", "2015-12-01T05:00:00Z"],
    ["2017-09-30T13:00:00Z", "Australia/Lord_Howe", "2017-09", "2017-09-30T13:30:00Z"],
    ["2026-05-05T00:00:00Z", "Not/AZone", "2026-05", "2026-06-01T00:00:00Z"],
  ])("that holds %s in %s is %s and ends at %s", (moment, zone, label, end) => {
    expect(termOf(monthly, zone, at(moment))).toEqual({ label, endsAtMs: at(end) });
  });

  it("is followed by the next without a gap or an overlap, all year, in every zone there is", () => {
    for (const zone of Intl.supportedValuesOf("timeZone")) {
      let moment = at("2023-01-15T00:00:00Z");
      for (let month = 0; month < 13; month++) {
        const { label, endsAtMs } = termOf(monthly, zone, moment);
        const end = endsAtMs ?? 0;
        expect([zone, termOf(monthly, zone, end - 1).label]).toEqual([zone, label]);
        expect(termOf(monthly, zone, end).label).not.toBe(label);
        moment = end;
      }
      expect([zone, termOf(monthly, zone, moment).label]).toEqual([zone, "2024-02"]);
    }
  });
});

describe("a remembered month", () => {
  it("gives way to the next at the very millisecond, and to an earlier one when the clock steps back", () => {
    const calendar = new TermCalendar();
    const budgeted = key({ tenant: tenant({ budget: monthly, timezone: "Europe/Berlin" }) });
    const labelAt = (moment: number) => calendar.limitsOf(budgeted, moment)[0]?.term;
    const end = at("2026-03-31T22:00:00Z");
    expect([end - 1, end, end + 5, end - 100_000].map(labelAt)).toEqual(["2026-03", "2026-04", "2026-04", "2026-03"]);
  });
});

describe("other terms", () => {
  it("last from their start until another, or for ever", () => {
    const start = at("2026-03-01T00:00:00Z");
    expect(termOf({ ...monthly, period: "term", startedAtMs: start }, "UTC", at("2030-01-01T00:00:00Z"))).toEqual({
      label: `from-${start}`,
      endsAtMs: null,
    });
    expect(termOf({ ...monthly, period: "lifetime" }, "UTC", 0)).toEqual({ label: "lifetime", endsAtMs: null });
  });

  it("are accounts of tenant and key, each only where there is a cap and it has begun", () => {
    const future: TermBudget = { ...monthly, period: "term", startedAtMs: 1000 };
    const both = key({ budget: { ...monthly, period: "lifetime" }, tenant: tenant({ budget: future }) });
    expect(new TermCalendar().limitsOf(both, 999).map((limit) => limit.subject)).toEqual(["key:k1"]);
    expect(new TermCalendar().limitsOf(both, 1000).map((limit) => limit.subject)).toEqual(["tenant:t1", "key:k1"]);
    expect(new TermCalendar().limitsOf(key({ budget: { ...monthly, tokens: null } }), 0)).toEqual([]);
  });
});

describe("what a request draws on budgets", () => {
  const fields: CallFields = {
    model: "m",
    modelAt: { start: 0, end: 0 },
    stream: false,
    streamOptionsAt: null,
    outputLimit: 10,
    inputTokens: 5,
    clientSession: null,
    systemText: [],
    firstUserText: [],
  };
  const route = {
    kind: "call",
    protocol: "openai",
    upstreamPath: "/x",
    body: "json",
    generates: true,
    spends: true,
    answers: "json",
    hasStreamOptions: false,
  } as const;

  it("is nothing for callers without limits", () => {
    expect(
      spendOf({
        requestId: "r",
        key: key(),
        model: model([]),
        fields,
        route,
        estimatedTokens: 15,
        wallMs: 0,
        calendar: new TermCalendar(),
      }),
    ).toBeNull();
  });

  it("is the estimate in tokens and money, from every account", () => {
    const limited = key({ tenant: tenant({ tokensPerMinute: 1000, budget: monthly }) });
    const priced = model([], { inputCostPerToken: 2, outputCostPerToken: 3 });
    expect(
      spendOf({
        requestId: "r",
        key: limited,
        model: priced,
        fields,
        route,
        estimatedTokens: 15,
        wallMs: 0,
        calendar: new TermCalendar(),
      }),
    ).toMatchObject({
      minute: { subject: "t1", tokensPerMinute: 1000 },
      terms: [{ subject: "tenant:t1", tokens: 100 }],
      estimatedTokens: 15,
      estimatedCostUsd: 5 * 2 + 10 * 3,
    });
  });

  it("refuses with whole seconds, from 1", () => {
    expect(budgetRefusal({ kind: "minute-exhausted", retryAfterMs: 1 }, { failOpen: true })?.retryAfterSecs).toBe(1);
    expect(budgetRefusal({ kind: "minute-exhausted", retryAfterMs: 1001 }, { failOpen: true })?.retryAfterSecs).toBe(2);
    expect(budgetRefusal({ kind: "term-exhausted", subject: "key:k" }, { failOpen: true })?.message).toContain("key's");
  });
});

describe("weekly windows", () => {
  const mondayNineToFive = { weeklyWindows: [{ day: 1, startMin: 540, endMin: 1020 }], timezone: "Europe/Berlin" };
  it.each([
    ["2026-11-30T08:00:00Z", true],
    ["2026-11-30T07:59:59Z", false],
    ["2026-11-30T15:59:59Z", true],
    ["2026-11-30T16:00:00Z", false],
    ["2026-07-06T07:00:00Z", true],
    ["2026-07-06T06:59:59Z", false],
    ["2026-12-01T09:00:00Z", false],
  ])("are kept by the tenant's own clock, summer time included: %s", (moment, inside) => {
    expect(isInsideWindows(mondayNineToFive, at(moment))).toBe(inside);
  });
});

describe("every way an admission can end without a slot", () => {
  it("has words for the client, except when there is nobody to tell", () => {
    for (const kind of ADMISSION_OUTCOMES) {
      if (kind === "admitted-fast" || kind === "admitted-queued") continue;
      expect(admissionRefusal(kind) === null).toBe(kind === "client-gone");
    }
    expect(admissionRefusal("timed-out")).toEqual({
      code: "admission_timeout",
      message: "timed out waiting for model capacity",
      retryAfterSecs: 5,
    });
  });
});

describe("a session", () => {
  const source = (body: object, headers: Record<string, string> = {}) => {
    const bytes = Buffer.from(JSON.stringify({ model: "m", ...body }));
    const scan = scanCall(bytes, { wantsSessionText: true });
    if (scan.kind === "invalid") throw new Error(scan.message);
    return { req: { headers } as unknown as IncomingMessage, body: bytes, fields: scan.fields };
  };
  const turn = (...texts: string[]) => ({
    messages: [
      { role: "system", content: "s" },
      ...texts.map((content, i) => ({ role: i % 2 === 0 ? "user" : "assistant", content })),
    ],
  });

  it("is the client's own, from the header first, trimmed and at most 200 characters", () => {
    expect(resolveSession(source({ session_id: "b" }, { "x-session-id": " h " }), "k")).toEqual({
      id: "h",
      source: "client",
    });
    expect(
      resolveSession(source({ session_id: "b" }, { "x-session-id": "h", "x-obleth-session-id": "o" }), "k"),
    ).toEqual({ id: "o", source: "client" });
    expect(resolveSession(source({ session_id: "b" }, { "x-session-id": "  " }), "k")).toEqual({
      id: "b",
      source: "client",
    });
    expect(resolveSession(source({ session_id: "x".repeat(500) }), "k").id).toHaveLength(200);
  });

  it("keeps nothing of what was sent beyond its characters", () => {
    const before = heapBytes();
    const kept = Array.from({ length: 1000 }, (_, i) => {
      const header = Buffer.alloc(60_000, `session ${i} `).toString();
      return resolveSession(source({}, { "x-session-id": header }), "k").id;
    });
    expect(heapBytes() - before).toBeLessThan(10_000_000);
    expect(new Set(kept).size).toBe(1000);
  });

  it("is derived so that later turns agree and other conversations differ", () => {
    const first = resolveSession(source(turn("hi")), "k");
    expect(first.source).toBe("derived");
    expect(resolveSession(source(turn("hi", "hello", "more")), "k")).toEqual(first);
    expect(resolveSession(source(turn("hi there")), "k").id).not.toBe(first.id);
    const long = "p".repeat(50_000);
    const withPrompt = (text: string) => source({ system: long, messages: [{ role: "user", content: text }] });
    expect(resolveSession(withPrompt("a"), "k").id).not.toBe(resolveSession(withPrompt("b"), "k").id);
  });

  it("tells nothing about the text to who does not know the key", () => {
    const first = resolveSession(source(turn("hi")), "k");
    expect(resolveSession(source(turn("hi")), "other").id).not.toBe(first.id);
    expect(first.id).not.toContain(createHash("sha256").update("hi").digest("base64url").slice(0, 10));
  });

  it("is none without text or when none may be derived; a user is no session", () => {
    expect(resolveSession(source(turn("hi")), null)).toEqual({ id: null, source: "none" });
    expect(resolveSession(source({ user: "u" }), "k")).toEqual({ id: null, source: "none" });
  });
});
