import { describe, expect, it } from "vitest";
import { canonical, difference, toJson, toRow } from "./json-record";

describe("rows and the API's JSON", () => {
  it("turn into each other, names and instants, and leave deeper values alone", () => {
    const row = {
      maxInFlight: 5,
      expiresAt: new Date("2026-11-30T09:00:00Z"),
      activeFrom: null,
      sessionAffinity: { hold_ms: 5 },
      inputCostPerToken: 0.1,
    };
    const json = {
      max_in_flight: 5,
      expires_at: "2026-11-30T09:00:00.000Z",
      active_from: null,
      session_affinity: { hold_ms: 5 },
      input_cost_per_token: 0.1,
    };
    expect(toJson(row)).toEqual(json);
    expect(toRow(json)).toEqual(row);
  });

  it("keep `undefined` as it is and treat no text as an instant but those of time fields", () => {
    expect(toRow({ name: "2026-11-30T09:00:00Z", group: undefined })).toEqual({
      name: "2026-11-30T09:00:00Z",
      group: undefined,
    });
  });
});

describe("the difference of two states", () => {
  it("is null when nothing differs, whatever the order of keys", () => {
    expect(difference({ a: { x: 1, y: [1, 2] } }, { a: { y: [1, 2], x: 1 } })).toBeNull();
    expect(difference({ a: undefined }, { a: null })).toBeNull();
  });

  it("holds what differs, as both had it", () => {
    expect(difference({ a: 1, b: [1], c: 3 }, { a: 2, b: [2], c: 3 })).toEqual({
      before: { a: 1, b: [1] },
      after: { a: 2, b: [2] },
    });
  });

  it("tells apart what JSON tells apart", () => {
    expect(canonical({ a: 1 })).not.toBe(canonical({ a: "1" }));
    expect(canonical([1, 2])).not.toBe(canonical([2, 1]));
    expect(canonical(JSON.parse('{"__proto__": 1}'))).toBe('{"__proto__":1}');
  });
});
