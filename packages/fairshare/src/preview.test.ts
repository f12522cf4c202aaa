import { describe, expect, it } from "vitest";
import { buildEngine, buildPool, type PoolSpec } from "../test/snapshot-builder";
import {
  type Directory,
  flagWords,
  movementWords,
  nextStepWords,
  type PoolPreview,
  type PreviewChange,
  type PreviewInput,
  previewChanges,
  previewHeadline,
  roughTime,
} from "./preview";

/** One tenant a group, each with plenty to do. */
const groupsOf = (weights: Readonly<Record<string, number>>, size: number): PoolSpec => ({
  size,
  groupWeights: weights,
  tenants: Object.keys(weights).map((group) => ({ id: `${group}-t`, group, queued: 50 })),
});

const preview = (spec: PoolSpec, changes: readonly PreviewChange[], more: Partial<PreviewInput> = {}) =>
  previewChanges({ engine: buildEngine([buildPool(spec)]), changes, ...more });

function only(spec: PoolSpec, changes: readonly PreviewChange[], more: Partial<PreviewInput> = {}): PoolPreview {
  const [pool] = preview(spec, changes, more).pools;
  if (pool === undefined) throw new Error("no pool is touched");
  return pool;
}

const slots = (pool: PoolPreview, level: "groups" | "tenants" | "keys", side: "before" | "after") =>
  pool[level].map((part) => part.slots[side]);

describe("if everyone is busy", () => {
  it.each([
    ["third to 150", { a: 500, b: 200, c: 50 }, 20, ["c", 150], [14, 5, 1], [12, 5, 3]],
    ["second to 400", { a: 500, b: 200, c: 50 }, 20, ["b", 400], [14, 5, 1], [11, 8, 1]],
    ["first to 200", { a: 100, b: 500, c: 300, d: 100 }, 16, ["a", 200], [2, 8, 5, 1], [3, 7, 4, 2]],
  ] as const)("splits anew with the %s", (_name, weights, size, [id, value], before, after) => {
    const pool = only(groupsOf(weights, size), [{ kind: "group_weight", id, value }]);
    expect(slots(pool, "groups", "before")).toEqual(before);
    expect(slots(pool, "groups", "after")).toEqual(after);
  });

  it("lets the first pay for both when the third goes to 150", () => {
    const pool = only(groupsOf({ a: 500, b: 200, c: 50 }, 20), [{ kind: "group_weight", id: "c", value: 150 }]);
    expect(pool.groupDonors).toEqual([{ id: "a", slots: 2 }]);
    expect(pool.groupGainers).toEqual([{ id: "c", slots: 2 }]);
    expect(pool.moved).toBe(2);
  });

  it("shows a third party that gains too", () => {
    const pool = only(groupsOf({ a: 100, b: 500, c: 300, d: 100 }, 16), [
      { kind: "group_weight", id: "a", value: 200 },
    ]);
    expect(pool.groupGainers).toEqual([
      { id: "a", slots: 1 },
      { id: "d", slots: 1 },
    ]);
  });

  it("says that takers who outnumber the slots take turns", () => {
    const pool = only(groupsOf({ a: 1, b: 1, c: 1, d: 1, e: 1 }, 3), [{ kind: "group_weight", id: "a", value: 1 }]);
    expect(pool.flags).toContainEqual({ flag: "takers_outnumber_slots", slots: 3, takers: 5 });
  });

  it("rounds effective weights before it splits", () => {
    const spec: PoolSpec = {
      size: 9,
      tenants: [
        { id: "a", weight: 1, queued: 9 },
        { id: "b", weight: 2, queued: 9 },
      ],
    };
    const pool = only(spec, [{ kind: "admission_weight", id: "llama", value: 25 }]);
    expect(slots(pool, "tenants", "before")).toEqual([3, 6]);
    expect(slots(pool, "tenants", "after")).toEqual([5, 4]);
    expect(pool.tenants.map((tenant) => tenant.weight.after)).toEqual([1, 1]);
  });

  it("splits over tenants directly under the weighted algorithm", () => {
    const spec = groupsOf({ a: 500, b: 50 }, 8);
    const engine = buildEngine([buildPool(spec)], { algorithm: "weighted" });
    const [pool] = previewChanges({ engine, changes: [{ kind: "tenant_weight", id: "a-t", value: 300 }] }).pools;
    expect(pool?.tenants.map((tenant) => tenant.slots)).toEqual([
      { before: 4, after: 6 },
      { before: 4, after: 2 },
    ]);
    expect(pool?.groupDonors).toEqual([]);
  });

  it("splits a tenant's slots over its keys", () => {
    const keys = [
      { id: "mobile", weight: 100, queued: 5 },
      { id: "site", weight: 100, queued: 5 },
    ];
    const spec: PoolSpec = { size: 8, tenants: [{ id: "a", queued: 10, keys }] };
    const pool = only(spec, [{ kind: "key_weight", id: "mobile", value: 300 }]);
    expect(slots(pool, "keys", "before")).toEqual([4, 4]);
    expect(slots(pool, "keys", "after")).toEqual([6, 2]);
    expect(previewHeadline(preview(spec, []), [])).toBe("Nothing moves: what changes has no work in any pool.");
  });

  it("moves a tenant to another group and previews both", () => {
    const spec: PoolSpec = {
      size: 12,
      groupWeights: { a: 100, b: 100 },
      tenants: [
        { id: "x", group: "a", queued: 9 },
        { id: "y", group: "a", queued: 9 },
        { id: "z", group: "b", queued: 9 },
      ],
    };
    const pool = only(spec, [{ kind: "tenant_group", id: "y", value: "b" }]);
    expect(slots(pool, "tenants", "before")).toEqual([3, 3, 6]);
    expect(slots(pool, "tenants", "after")).toEqual([6, 3, 3]);
    expect(pool.tenants[1]?.group).toEqual({ before: "a", after: "b" });
  });

  it("takes the weight of an idle group from the directory", () => {
    const directory: Directory = { groups: [{ id: "idle", weight: 300 }], tenants: [], keys: [] };
    const spec = groupsOf({ a: 100, b: 100 }, 8);
    const pool = only(spec, [{ kind: "tenant_group", id: "b-t", value: "idle" }], { directory });
    expect(pool.groups.map((group) => [group.id, group.slots.after])).toEqual([
      ["a", 2],
      ["b", 0],
      ["idle", 6],
    ]);
    expect(pool.flags).toEqual([]);
  });

  it("weighs a boost before rounding, in its model's pool only", () => {
    const spec: PoolSpec = {
      size: 8,
      tenants: [
        { id: "a", queued: 9 },
        { id: "b", queued: 9 },
      ],
    };
    const boost = { kind: "boost", id: "a", value: 3 } as const;
    expect(slots(only(spec, [boost]), "tenants", "after")).toEqual([6, 2]);
    expect(preview(spec, [{ ...boost, model: "other" }]).pools).toEqual([]);
    const directory: Directory = {
      groups: [],
      keys: [],
      tenants: [{ id: "a", group: "default", weight: 100, maxInFlight: null, modelCaps: [], boostedModels: ["llama"] }],
    };
    expect(preview(spec, [boost], { directory }).pools).toEqual([]);
  });
});

describe("pool size", () => {
  it("changes the sum by the difference", () => {
    const pool = only(groupsOf({ a: 500, b: 50 }, 8), [{ kind: "pool_size", id: "llama", value: 12 }]);
    expect(slots(pool, "groups", "after").reduce((x, y) => x + y)).toBe(12);
    expect(pool.usable).toEqual({ before: 8, after: 12 });
  });

  it("divides the new size over gateways that cannot share", () => {
    const pool = only(groupsOf({ a: 1 }, 8), [{ kind: "pool_size", id: "llama", value: 32 }], { splitOver: 3 });
    expect(pool.size.after).toBe(11);
  });

  it("warns below what is in use and above the ceiling", () => {
    const spec: PoolSpec = { size: 8, tenants: [{ id: "a", inFlight: 6, queued: 4 }] };
    const smaller = only(spec, [{ kind: "pool_size", id: "llama", value: 4 }]);
    expect(smaller.flags).toContainEqual({ flag: "size_under_use", size: 4, inUse: 6 });
    const engine = buildEngine([buildPool(spec)], { ceiling: 10 });
    const change = { kind: "pool_size", id: "llama", value: 11 } as const;
    const [larger] = previewChanges({ engine, changes: [change] }).pools;
    expect(larger?.flags).toContainEqual({ flag: "pools_over_ceiling", sum: 11, ceiling: 10 });
    expect(larger?.usable.after).toBe(10);
  });
});

describe("with today's demand", () => {
  it("lends what is spare to whoever has the fewest slots for its weight", () => {
    const spec: PoolSpec = {
      size: 12,
      groupWeights: { a: 300, b: 100, c: 100 },
      tenants: [
        { id: "x", group: "a", queued: 2 },
        { id: "y", group: "b", queued: 20 },
        { id: "z", group: "c", queued: 20 },
      ],
    };
    const pool = only(spec, [{ kind: "group_weight", id: "b", value: 300 }]);
    expect(pool.tenants.map((tenant) => tenant.settled)).toEqual([
      { before: 2, after: 2 },
      { before: 5, after: 7 },
      { before: 5, after: 3 },
    ]);
  });

  it("stops at caps of tenants and of keys", () => {
    const keys = [
      { id: "k1", cap: 2, queued: 20 },
      { id: "k2", queued: 1 },
    ];
    const spec: PoolSpec = {
      size: 12,
      tenants: [
        { id: "a", queued: 21, keys },
        { id: "b", queued: 3 },
      ],
    };
    const pool = only(spec, [{ kind: "tenant_cap", id: "b", value: 2 }]);
    expect(pool.tenants.map((tenant) => tenant.settled)).toEqual([
      { before: 3, after: 3 },
      { before: 3, after: 2 },
    ]);
  });

  it("counts what must finish first and names a time only with enough finishes", () => {
    const spec: PoolSpec = {
      size: 8,
      tenants: [
        { id: "a", inFlight: 8, queued: 9 },
        { id: "b", queued: 9 },
      ],
    };
    const change = { kind: "tenant_weight", id: "b", value: 100 } as const;
    expect(only(spec, [change])).toMatchObject({ toFinish: 4, finishEstimateMs: null });
    const paced = only({ ...spec, finishes5m: 300 }, [change]);
    expect(paced).toMatchObject({ toFinish: 4, finishEstimateMs: 4000 });
    expect(movementWords(paced)).toBe("Nothing running is cut. About 4 requests have to finish first: about 5 s.");
  });
});

describe("caps", () => {
  const directory: Directory = {
    groups: [],
    keys: [],
    tenants: [
      {
        id: "a",
        group: "default",
        weight: 100,
        maxInFlight: 8,
        modelCaps: [{ model: "llama", maxInFlight: 2 }],
        boostedModels: [],
      },
    ],
  };
  const spec: PoolSpec = {
    size: 12,
    tenants: [
      { id: "a", cap: 2, inFlight: 2, queued: 9 },
      { id: "b", inFlight: 4, queued: 1 },
    ],
  };

  it("leaves a pool alone where the model's own cap replaces the tenant's", () => {
    expect(preview(spec, [{ kind: "tenant_cap", id: "a", value: 1 }], { directory }).pools).toEqual([]);
  });

  it("brings back the tenant's cap when the model's is taken away", () => {
    const change = { kind: "tenant_model_cap", id: "a", model: "llama", value: "tenant" } as const;
    expect(only(spec, [change], { directory }).tenants[0]?.settled).toEqual({ before: 2, after: 7 });
  });

  it("warns of a cap under what is in use and under the share", () => {
    const pool = only(spec, [{ kind: "tenant_model_cap", id: "a", model: "llama", value: 1 }]);
    expect(pool.flags).toEqual([
      { flag: "cap_under_use", level: "tenant", id: "a", cap: 1, inUse: 2 },
      { flag: "cap_under_share", level: "tenant", id: "a", cap: 1, share: 6 },
    ]);
    expect(pool.flags.map((flag) => flagWords(flag, pool))[1]).toBe("5 slots of the share of a would always be lent.");
  });
});

describe("flags", () => {
  it("crosses below share, and down to one", () => {
    const spec: PoolSpec = {
      size: 8,
      groupWeights: { a: 100, b: 100 },
      tenants: [
        { id: "x", group: "a", inFlight: 4, queued: 5 },
        { id: "y", group: "b", inFlight: 4, queued: 5 },
      ],
    };
    const pool = only(spec, [{ kind: "group_weight", id: "a", value: 900 }]);
    expect(pool.flags).toEqual([
      { flag: "crosses_below_share", id: "x" },
      { flag: "share_down_to_one", level: "group", id: "b" },
      { flag: "share_down_to_one", level: "tenant", id: "y" },
    ]);
  });

  it("alone in its group", () => {
    const pool = only(groupsOf({ a: 1, b: 1 }, 8), [{ kind: "tenant_weight", id: "a-t", value: 900 }]);
    expect(pool.flags).toEqual([{ flag: "alone_in_group", id: "a-t", group: "a" }]);
  });

  it("a list that was cut", () => {
    const whole = buildPool(groupsOf({ a: 1, b: 1 }, 8));
    const engine = buildEngine([{ ...whole, queued: whole.queued + 7 }]);
    const [pool] = previewChanges({ engine, changes: [{ kind: "group_weight", id: "a", value: 3 }] }).pools;
    expect(pool?.flags).toContainEqual({ flag: "list_cut" });
  });

  it("no work: nothing moves, and the split is shown as if everyone came back", () => {
    const directory: Directory = {
      groups: [
        { id: "a", weight: 500 },
        { id: "b", weight: 50 },
      ],
      tenants: ["a", "b"].map((group) => ({
        id: `${group}-t`,
        group,
        weight: 100,
        maxInFlight: null,
        modelCaps: [],
        boostedModels: [],
      })),
      keys: [{ id: "k", tenantId: "a-t", weight: 100, maxInFlight: null }],
    };
    const change = { kind: "group_weight", id: "b", value: 500 } as const;
    const result = preview({ size: 8, tenants: [] }, [change], { directory });
    const [pool] = result.pools;
    expect(pool).toMatchObject({ moved: 0, toFinish: 0, flags: [{ flag: "no_work" }] });
    expect(pool?.groups.map((group) => group.slots)).toEqual([
      { before: 7, after: 4 },
      { before: 1, after: 4 },
    ]);
    expect(pool?.keys.map((key) => key.slots)).toEqual([{ before: 7, after: 4 }]);
    expect(previewHeadline(result, [change])).toBe("Nothing moves: llama has no work.");
  });
});

describe("the next step", () => {
  const spec = groupsOf({ a: 500, b: 200, c: 55 }, 20);
  const step = (value: number) => only(spec, [{ kind: "group_weight", id: "c", value }]).nextSteps[0];

  it("is 101 for a third group at 90 beside 500 and 200 on 20 slots, and 90 changes nothing", () => {
    const pool = only(spec, [{ kind: "group_weight", id: "c", value: 90 }]);
    expect(pool.flags).toEqual([{ flag: "no_change_rounding" }]);
    expect(step(90)).toMatchObject({ slots: 2, up: { value: 101, slots: 3 }, down: { value: 50, slots: 1 } });
    expect(nextStepWords(step(90) as never, false)).toBe("90 changes nothing; the next step is 101.");
  });

  it("finds the steps 51, 101 and 158", () => {
    expect([step(1)?.up?.value, step(51)?.up?.value, step(101)?.up?.value]).toEqual([51, 101, 158]);
  });

  it("says of a changed weight from where on it has more, and up to where less", () => {
    const [changed] = only(groupsOf({ a: 500, b: 200, c: 50 }, 20), [
      { kind: "group_weight", id: "c", value: 101 },
    ]).nextSteps;
    expect(nextStepWords(changed as never, true)).toBe("Next steps: 4 slots from 158; 2 slots at 100 or less.");
  });

  it("is null where no weight would change anything", () => {
    const [alone] = only(groupsOf({ a: 1 }, 8), [{ kind: "group_weight", id: "a", value: 7 }]).nextSteps;
    expect(alone).toMatchObject({ up: null, down: null });
    expect(nextStepWords(alone as never, false)).toBe("7 changes nothing, and no larger weight would.");
  });
});

describe("words", () => {
  it("names who gets slots, in slots", () => {
    const spec = groupsOf({ a: 500, b: 200, c: 50 }, 20);
    const gain = [{ kind: "group_weight", id: "c", value: 150 }] as const;
    expect(previewHeadline(preview(spec, gain), gain)).toBe("c gets 2 more slots on llama.");
    const loss = [{ kind: "group_weight", id: "a", value: 100 }] as const;
    expect(previewHeadline(preview(spec, loss), loss)).toBe("a gives up 8 slots on llama.");
  });

  it("says by how much a pool's size changes, which is not what it has then", () => {
    const spec = groupsOf({ a: 500, b: 50 }, 8);
    const sized = (value: number) => {
      const changes = [{ kind: "pool_size", id: "llama", value }] as const;
      return previewHeadline(preview(spec, changes), changes);
    };
    expect(sized(12)).toBe("llama grows by 4 slots.");
    expect(sized(7)).toBe("llama shrinks by 1 slot.");
  });

  it("counts slots and pools when several are touched", () => {
    const engine = buildEngine(
      ["m1", "m2", "m3"].map((pool, i) => buildPool({ ...groupsOf({ a: 1, b: 1 }, i === 2 ? 1 : 8), pool })),
    );
    const changes = [{ kind: "group_weight", id: "a", value: 3 }] as const;
    expect(previewHeadline(previewChanges({ engine, changes }), changes)).toBe("4 slots move in 2 pools.");
  });

  it("says so when nothing is concerned", () => {
    const changes = [{ kind: "tenant_weight", id: "ghost", value: 3 }] as const;
    expect(previewHeadline(preview(groupsOf({ a: 1 }, 8), changes), changes)).toBe(
      "Nothing moves until ghost has work.",
    );
  });

  it.each([
    [900, "about 1 s"],
    [5000, "about 5 s"],
    [15_000, "about 15 s"],
    [60_000, "about 1 min"],
    [200_000, "several minutes"],
  ])("rounds %i ms to %s", (ms, words) => {
    expect(roughTime(ms)).toBe(words);
  });
});
