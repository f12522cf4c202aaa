import { groupCreate, keyCreate, modelCreate, routes, tenantCreate, tenantQuery } from "@obleth/contract";
import { describe, expect, it } from "vitest";
import { check, readQuery } from "./check";
import { expectedVersion } from "./etag";
import { Fault } from "./fault";

function refusal(run: () => unknown): { message: string; field: string | undefined } {
  try {
    run();
  } catch (error) {
    if (error instanceof Fault) return { message: error.message, field: error.more.field };
    throw error;
  }
  throw new Error("it was accepted");
}

describe("a refused value", () => {
  it.each([
    [groupCreate, { name: "a", weight: 0 }, "weight", "weight must be a whole number from 1 to 1,000,000."],
    [groupCreate, { name: "a", weight: 1_000_001 }, "weight", "weight must be a whole number from 1 to 1,000,000."],
    [groupCreate, { name: "a", weight: 1.5 }, "weight", "weight must be a whole number from 1 to 1,000,000."],
    [groupCreate, { name: "a", weight: "5" }, "weight", "weight must be a whole number from 1 to 1,000,000."],
    [groupCreate, { name: "a", weight: 2 ** 53 }, "weight", "weight must be a whole number from 1 to 1,000,000."],
    [groupCreate, { name: null }, "name", "name must be text."],
    [
      tenantCreate,
      { name: "a", max_in_flight: 0 },
      "max_in_flight",
      "max_in_flight must be a whole number from 1 to 1,000,000, or null.",
    ],
    [
      tenantCreate,
      { name: "a", budget_cost_usd: 0 },
      "budget_cost_usd",
      "budget_cost_usd must be a number above 0 and at most 1,000,000,000, or null.",
    ],
    [
      tenantCreate,
      { name: "a", weekly_windows: [{ day: 7, start_min: 0, end_min: 5 }] },
      "weekly_windows.0.day",
      "weekly_windows.0.day must be a whole number from 0 to 6.",
    ],
    [groupCreate, {}, "name", "name is missing; it must be text."],
    [groupCreate, { name: "" }, "name", "name must have 1 to 200 characters."],
    [groupCreate, { name: "a", colour: 1 }, "colour", "colour is not a known field."],
    [tenantCreate, { name: "a", status: "on" }, "status", "status must be one of active, suspended."],
    [
      tenantCreate,
      { name: "a", timezone: "Mars/Base" },
      "timezone",
      "timezone must be a time zone such as UTC or Europe/Berlin.",
    ],
    [
      keyCreate,
      { name: "a", expires_at: "2026-11-30" },
      "expires_at",
      "expires_at must be a time with a zone, such as 2026-11-30T09:00:00Z.",
    ],
    [
      tenantCreate,
      { name: "a", weekly_windows: [{ day: 1, start_min: 5, end_min: 5 }] },
      "weekly_windows.0.end_min",
      "weekly_windows.0.end_min must be later than start_min.",
    ],
    [
      modelCreate,
      { name: "m", session_affinity: { hold_ms: -1 } },
      "session_affinity.hold_ms",
      "session_affinity.hold_ms must be a whole number from 0 to 60,000.",
    ],
    [
      modelCreate,
      { name: "m", api_base: "ftp://x/v1" },
      "api_base",
      "api_base must be an http or https address without user, password, query or fragment.",
    ],
  ])("is named with what is allowed: case %#", (schema, value, field, message) => {
    expect(refusal(() => check(schema, value))).toEqual({ field, message });
  });

  it("that is a list or nothing says that the body must be an object", () => {
    expect(refusal(() => check(groupCreate, []))).toEqual({ field: undefined, message: "The body must be an object." });
  });
});

describe("a query string", () => {
  const read = (text: string) => readQuery(tenantQuery, new URLSearchParams(text));

  it("gives numbers where the schema has numbers, and leaves the rest text", () => {
    expect(read("limit=5&q=5&sort=name")).toEqual({ limit: 5, q: "5", sort: "name" });
  });

  it.each(["limit=", "limit=abc", "limit=1e3", "limit=0x10", "limit= 5", "limit=-1", "limit=501"])(
    "refuses %s",
    (text) => {
      expect(refusal(() => check(tenantQuery, read(text))).field).toBe("limit");
    },
  );

  it("takes a flag with or without a value", () => {
    const query = routes.importModels.query;
    for (const text of ["dry_run", "dry_run=", "dry_run=true", "dry_run=1"]) {
      expect(readQuery(query, new URLSearchParams(text)), text).toEqual({ dry_run: true });
    }
    expect(refusal(() => check(query, readQuery(query, new URLSearchParams("dry_run=yes")))).field).toBe("dry_run");
  });

  it("refuses a parameter given twice rather than choosing one", () => {
    expect(refusal(() => read("limit=5&limit=6")).field).toBe("limit");
  });

  it("names a parameter it does not know as one", () => {
    expect(refusal(() => check(tenantQuery, read("colour=1"), "parameter")).message).toBe(
      "colour is not a known parameter.",
    );
  });

  it("keeps `__proto__` an ordinary, unknown name", () => {
    expect(refusal(() => check(tenantQuery, read("__proto__=1"))).field).toBe("__proto__");
  });
});

describe("If-Match", () => {
  it("is a version, anything, or a refusal", () => {
    expect([
      expectedVersion('"12"'),
      expectedVersion('W/"12"'),
      expectedVersion("*"),
      expectedVersion(undefined),
    ]).toEqual([12, 12, undefined, undefined]);
    expect(refusal(() => expectedVersion("nonsense")).field).toBe("if-match");
  });
});
