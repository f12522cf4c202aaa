import { keyId, poolId, tenantId } from "@obleth/fairshare";
import { describe, expect, it } from "vitest";
import { Holdings, limitFields, poolNamed } from "./slot-fields";

const owner = (pool: string, tenant: string, key: string) => ({
  pool: poolId(pool),
  tenantId: tenantId(tenant),
  keyId: keyId(key),
});

describe("the limits of a request", () => {
  it("are the ceiling, its pool, and its tenant and key within the pool", () => {
    expect(limitFields(owner("chat", "acme", "k1"))).toEqual(["g", "p|chat", "t|chat|acme", "k|chat|k1"]);
  });

  it("cannot collide however names are chosen", () => {
    const names = ["a", "a|b", "|", "a%7C", "", "t", "g"];
    const owners = names.flatMap((pool) => names.flatMap((one) => [owner(pool, one, "x"), owner(pool, "x", one)]));
    const fields = owners.map((who) => limitFields(who).join("\n"));
    expect(new Set(fields).size).toBe(new Set(owners.map((who) => JSON.stringify(who))).size);
  });

  it("give the pool's name back", () => {
    for (const name of ["chat", "a|b", "%", "{x}"]) {
      expect(poolNamed(limitFields(owner(name, "t", "k"))[1].slice(2))).toBe(name);
    }
  });
});

describe("holdings", () => {
  it("count per limit, and forget what is back to none", () => {
    const holdings = new Holdings();
    holdings.add(owner("chat", "acme", "k1"), 2);
    holdings.add(owner("chat", "acme", "k2"), 1);
    expect(holdings.total).toBe(3);
    expect(Object.fromEntries(holdings.counts)).toEqual({
      g: 3,
      "p|chat": 3,
      "t|chat|acme": 3,
      "k|chat|k1": 2,
      "k|chat|k2": 1,
    });
    holdings.add(owner("chat", "acme", "k1"), -2);
    holdings.add(owner("chat", "acme", "k2"), -1);
    expect(holdings.counts.size).toBe(0);
    expect(holdings.total).toBe(0);
  });

  it("never go below none", () => {
    const holdings = new Holdings();
    holdings.add(owner("chat", "acme", "k1"), -1);
    expect(holdings.counts.size).toBe(0);
  });

  it("take nothing for nothing", () => {
    const holdings = new Holdings();
    holdings.add(owner("chat", "acme", "k1"), 0);
    expect(holdings.counts.size).toBe(0);
  });
});
