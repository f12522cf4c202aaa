import { describe, expect, it } from "vitest";
import { boostErrors, EMPTY_BOOST, factorOf, isBoostReady, isLargeBoost, minutesOf, strengthOf } from "./boost-draft";

const good = { ...EMPTY_BOOST, tenantId: "t", reason: "incident" };

describe("a boost", () => {
  it("needs a tenant and a reason", () => {
    expect(isBoostReady(good)).toBe(true);
    expect(isBoostReady({ ...good, tenantId: "" })).toBe(false);
    expect(boostErrors({ ...good, reason: "  " }).reason).toContain("Say why");
  });
  it("has a factor from 0.1 to 100, or a weight", () => {
    for (const strength of ["0", "101", "", "x", "-3"])
      expect(isBoostReady({ ...good, strength }), strength).toBe(false);
    expect(factorOf({ ...good, strength: "0.5" }, 100)).toBe(0.5);
    expect(factorOf({ ...good, kind: "weight", strength: "500" }, 100)).toBe(5);
  });
  it("is as strong as it reads, also with commas", () => {
    expect(strengthOf({ ...good, kind: "weight", strength: "1,500" })).toEqual({ value: 1500 });
    for (const strength of ["Infinity", "1e1", "0x10", "0.09", "1,5"])
      expect(strengthOf({ ...good, strength }), strength).toHaveProperty("error");
  });
  it("ends within 24 hours", () => {
    for (const minutes of ["0", "1441", "1.5", ""]) expect(minutesOf({ ...good, minutes }), minutes).toBeNull();
    expect(minutesOf({ ...good, minutes: "1440" })).toBe(1440);
  });
  it("asks twice when strong or long", () => {
    expect(isLargeBoost({ ...good, strength: "5", minutes: "240" }, 100)).toBe(false);
    expect(isLargeBoost({ ...good, strength: "5.1" }, 100)).toBe(true);
    expect(isLargeBoost({ ...good, minutes: "241" }, 100)).toBe(true);
  });
});
