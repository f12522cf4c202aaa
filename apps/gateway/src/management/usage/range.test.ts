import { describe, expect, it } from "vitest";
import { questionSql } from "./question-sql";
import { bucketWidth, usageFilter } from "./range";

const NOW = Date.UTC(2026, 10, 30, 9);
const HOUR = 3_600_000;

describe("the span of a usage question", () => {
  it("is the last hour when nothing is said, this millisecond included", () => {
    expect(usageFilter({}, NOW)).toMatchObject({ fromMs: NOW + 1 - HOUR, toMs: NOW + 1 });
  });

  it("reads offsets as instants", () => {
    const filter = usageFilter({ from: "2026-11-30T05:45:00+05:45", to: "2026-11-30T00:00:00-03:00" }, NOW);
    expect(filter).toMatchObject({ fromMs: Date.UTC(2026, 10, 30), toMs: Date.UTC(2026, 10, 30, 3) });
  });

  it.each([
    ["2026-11-30T09:00:00Z", "2026-11-30T09:00:00Z"],
    ["2026-11-30T09:00:01Z", "2026-11-30T09:00:00Z"],
    ["2020-01-01T00:00:00Z", "2026-11-30T09:00:00Z"],
  ])("is refused from %s to %s", (from, to) => {
    expect(() => usageFilter({ from, to }, NOW)).toThrow(/from must be/);
  });
});

describe("the width of a bucket", () => {
  it.each([
    [HOUR, 60, 60_000],
    [24 * HOUR, 60, 1_800_000],
    [7 * 24 * HOUR, 60, 3 * HOUR],
    [1, 500, 1000],
    [400 * 24 * HOUR, 1, 58 * 168 * HOUR],
  ])("over %i ms in about %i is the round %i ms", (span, buckets, width) => {
    expect(bucketWidth(span, buckets)).toBe(width);
    expect(span / width).toBeLessThanOrEqual(buckets);
  });
});

describe("the question as SQL", () => {
  it("names every filter and cannot be broken out of", () => {
    const text = questionSql({ fromMs: 1, toMs: 2, model: "o'brien", group: "g" }, ["tenant", "admission"]);
    expect(text).toContain("model = 'o''brien'");
    expect(text).toContain("groups.name = 'g'");
    expect(text).toContain("GROUP BY tenant_id, admission");
    expect(text).toContain("JOIN groups");
  });
});
