import { describe, expect, it } from "vitest";
import { fixtureLive, summaryOf } from "../../test/live-fixture";
import { keepUnchanged } from "./keep-unchanged";

const SHAPE = { pools: 12, tenants: 60, seed: 3 };

describe("a newer live state", () => {
  it("says what was answered, field for field", () => {
    const [before, after] = [fixtureLive(SHAPE, 0), fixtureLive(SHAPE, 1)];
    expect(keepUnchanged(before, after)).toEqual(after);
    expect(keepUnchanged(undefined, after)).toEqual(after);
  });

  it("keeps the pools that did not change and no other", () => {
    const [before, after] = [summaryOf(fixtureLive(SHAPE, 0)), summaryOf(fixtureLive(SHAPE, 1))];
    const changed = new Set(
      after.pools
        .filter((pool) => JSON.stringify(pool) !== JSON.stringify(before.pools.find((old) => old.model === pool.model)))
        .map((pool) => pool.model),
    );
    expect(changed.size).toBeGreaterThan(0);
    expect(changed.size).toBeLessThan(after.pools.length);
    for (const pool of keepUnchanged(before, after).pools) {
      expect(before.pools.includes(pool), pool.model).toBe(!changed.has(pool.model));
    }
  });

  it("keeps the tenants and keys of a pool whose others changed, in the new order", () => {
    const before = fixtureLive({ ...SHAPE, pools: 1 }, 0);
    const [pool] = before.pools;
    if (pool?.tenants === undefined || pool.keys === undefined) throw new Error("no pool in the fixture");
    const tenants = pool.tenants.map((tenant, index) => ({ ...tenant, queued: tenant.queued + (index === 0 ? 1 : 0) }));
    const keys = pool.keys.map((key) => ({ ...key }));
    const after = { ...before, pools: [{ ...pool, tenants: tenants.toReversed(), keys }] };
    const [kept] = keepUnchanged(before, after).pools;
    expect(kept?.tenants?.at(-1)).toBe(tenants[0]);
    expect(kept?.tenants?.slice(0, -1)).toEqual(pool.tenants.slice(1).toReversed());
    expect(kept?.tenants?.slice(0, -1).every((tenant) => pool.tenants?.includes(tenant))).toBe(true);
    expect(kept?.keys?.every((key) => pool.keys?.includes(key))).toBe(true);
  });

  it("takes a field that came or went for a change", () => {
    const before = summaryOf(fixtureLive({ ...SHAPE, pools: 1 }, 0));
    const [pool] = before.pools;
    if (pool === undefined) throw new Error("no pool in the fixture");
    const after = { ...before, pools: [{ ...pool, tenants: [] }] };
    expect(keepUnchanged(before, after).pools[0]).toEqual(after.pools[0]);
    expect(keepUnchanged(after, before).pools[0]).toEqual(pool);
  });
});
