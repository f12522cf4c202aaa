import { type PreviewChange, previewChanges } from "@obleth/fairshare/preview";
import { describe, expect, it } from "vitest";
import { fixtureLive } from "../../test/live-fixture";
import type { Live, LiveGroup, LivePool, LiveTenant } from "../queries/wire";
import { previewInput } from "./preview-input";
import { rowsOfPreview } from "./preview-rows";

const sample = fixtureLive({ pools: 1, tenants: 8, seed: 3 }, 0);
const [samplePool] = sample.pools;
const [sampleGroup] = samplePool?.groups ?? [];
const [sampleTenant] = samplePool?.tenants ?? [];

interface Busy {
  readonly slots: number;
  /** Weights of tenants by group and name. */
  readonly tenants: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly groups: Readonly<Record<string, number>>;
}

/** One full pool in which every tenant has more waiting than it could ever run. */
function liveOf({ slots, groups, tenants }: Busy): Live {
  if (samplePool === undefined || sampleGroup === undefined || sampleTenant === undefined) throw new Error("no sample");
  const rows: LiveGroup[] = Object.entries(groups).map(([name, weight]) => ({ ...sampleGroup, name, weight }));
  const people: LiveTenant[] = Object.entries(tenants).flatMap(([group, members]) =>
    Object.entries(members).map(([name, weight]) => ({
      ...sampleTenant,
      tenant_id: name,
      name,
      group,
      weight,
      effective_weight: weight,
      boost: null,
      max_in_flight: null,
      in_flight: 0,
      held: 0,
      queued: 100,
    })),
  );
  const pool: LivePool = {
    ...samplePool,
    model: "m",
    cap: slots,
    configured_cap: slots,
    usable: slots,
    groups: rows,
    tenants: people,
    keys: [],
  };
  return { ...sample, pools: [pool] };
}

/** Slots of each after the change, before and after the change, by name. */
function slotsAfter(busy: Busy, change: PreviewChange, level: "groups" | "tenants") {
  const live = liveOf(busy);
  const [row] = rowsOfPreview(
    previewChanges(previewInput(live, { changes: [change], pool: "m" })),
    [change],
    (id) => id,
  );
  const parts = row?.[level] ?? [];
  const moved = Object.fromEntries(parts.map((part) => [part.name, [part.before, part.after]]));
  return { moved, sum: parts.reduce((sum, part) => sum + part.after - part.before, 0) };
}

const alone = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, { [`${name}'s`]: 100 }]));
const three = { slots: 20, groups: { a: 500, b: 200, c: 50 }, tenants: alone(["a", "b", "c"]) };

describe("the page's preview of a full pool", () => {
  it.each([
    [three, { kind: "group_weight", id: "c", value: 150 }, { a: [14, 12], b: [5, 5], c: [1, 3] }],
    [three, { kind: "group_weight", id: "b", value: 400 }, { a: [14, 11], b: [5, 8], c: [1, 1] }],
    [
      { slots: 16, groups: { a: 100, b: 500, c: 300, d: 100 }, tenants: alone(["a", "b", "c", "d"]) },
      { kind: "group_weight", id: "a", value: 200 },
      { a: [2, 3], b: [8, 7], c: [5, 4], d: [1, 2] },
    ],
  ] as const)(
    "gives groups the slots that a hand count gives, and takes as many as it gives (%#)",
    (busy, change, moved) => {
      expect(slotsAfter(busy, change, "groups")).toEqual({ moved, sum: 0 });
    },
  );

  it("moves slots inside a group when a tenant's weight changes", () => {
    const busy = { slots: 8, groups: { a: 100 }, tenants: { a: { x: 100, y: 100 } } };
    const change = { kind: "tenant_weight", id: "x", value: 300 } as const;
    expect(slotsAfter(busy, change, "tenants")).toEqual({ moved: { x: [4, 6], y: [4, 2] }, sum: 0 });
  });

  it("without shared slots divides the part of this gateway", () => {
    const live: Live = { ...liveOf(three), mode: "fallback", replicas: 3 };
    const size: PreviewChange = { kind: "pool_size", id: "m", value: 32 };
    const [pool] = previewChanges(previewInput(live, { changes: [size], pool: "m" })).pools;
    expect(pool?.size.after).toBe(11);
  });
});
