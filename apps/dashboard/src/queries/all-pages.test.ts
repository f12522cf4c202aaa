import { describe, expect, it } from "vitest";
import { allPages, type PageAsked } from "./all-pages";

/** A list of so many numbers, read as the API gives it: the cursor is where the next page begins. */
function listOf(length: number) {
  const asked: PageAsked[] = [];
  const read = async (page: PageAsked) => {
    asked.push(page);
    const from = Number(page.cursor ?? 0);
    const to = Math.min(length, from + page.limit);
    return {
      items: Array.from({ length: to - from }, (_, index) => from + index),
      next_cursor: to < length ? String(to) : null,
      total: length,
    };
  };
  return { asked, read };
}

describe("a list", () => {
  it.each([0, 1, 500, 501, 2000])("is read whole: %d objects", async (length) => {
    const { read, asked } = listOf(length);
    const { items, next_cursor, total } = await allPages(read);
    expect(items).toEqual(Array.from({ length }, (_, index) => index));
    expect([next_cursor, total]).toEqual([null, length]);
    expect(asked).toHaveLength(Math.max(1, Math.ceil(length / 500)));
  });

  it("ends after 10,000, and says that there is more", async () => {
    const { items, next_cursor, total } = await allPages(listOf(10_001).read);
    expect([items.length, next_cursor, total]).toEqual([10_000, "10000", 10_001]);
  });
});
