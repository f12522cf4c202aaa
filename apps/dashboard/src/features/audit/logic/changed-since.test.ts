import { describe, expect, it } from "vitest";
import { changedSince } from "./changed-since";

const change = (id: number, name: string, fields: Record<string, readonly [from: unknown, to: unknown]>) => ({
  id,
  action: "tenant.update",
  object: { type: "tenant", id: name, name },
  before: Object.fromEntries(Object.entries(fields).map(([field, [from]]) => [field, from])),
  after: Object.fromEntries(Object.entries(fields).map(([field, [, to]]) => [field, to])),
  reverts: null,
});

describe("a change that cannot be put back", () => {
  it("is one whose field has another value now, and says which", () => {
    const rows = [change(3, "web", { weight: [150, 200] }), change(2, "web", { weight: [50, 150] })];
    expect([...changedSince(rows)]).toEqual([[2, "weight is 200 now, not 150"]]);
  });

  it("is not one of another object or of another field", () => {
    const rows = [
      change(4, "api", { weight: [1, 2] }),
      change(3, "web", { max_in_flight: [null, 8] }),
      change(2, "web", { weight: [50, 150] }),
    ];
    expect(changedSince(rows).size).toBe(0);
  });

  it("is not one that was put back to: what it made stands again", () => {
    const rows = [
      change(4, "web", { weight: [200, 150] }),
      change(3, "web", { weight: [150, 200] }),
      change(2, "web", { weight: [50, 150] }),
    ];
    expect([...changedSince(rows).keys()]).toEqual([3]);
  });
});
