import { describe, expect, it } from "vitest";
import { widthOf } from "./plain-text";
import { type Column, fieldLines, tableLines } from "./table";

interface Row {
  readonly name: string;
  readonly n: number;
}
const COLUMNS: readonly Column<Row>[] = [
  { title: "NAME", cell: ({ name }) => name },
  { title: "N", align: "right", cell: ({ n }) => String(n) },
];

describe("a table", () => {
  it("lines up columns, numbers on the right", () => {
    expect(
      tableLines(
        [
          { name: "a", n: 1 },
          { name: "日本", n: 100 },
        ],
        COLUMNS,
        80,
      ),
    ).toEqual(["NAME    N", "a       1", "日本  100"]);
  });

  it("keeps one line a row, whatever a name tries", () => {
    const lines = tableLines([{ name: "a\n\u001b[2Jb", n: 1 }], COLUMNS, 80);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toBe("a\\n\\u{1b}[2Jb  1");
  });

  it("fits the screen, and is not cut when a program reads it", () => {
    const rows = [{ name: "x".repeat(200), n: 7 }];
    for (const line of tableLines(rows, COLUMNS, 40)) expect(widthOf(line)).toBeLessThanOrEqual(40);
    expect(tableLines(rows, COLUMNS, null)[1]).toBe(`${"x".repeat(200)}  7`);
  });
});

describe("a table on a narrow screen", () => {
  const columns: readonly Column<Row>[] = [
    { title: "NAME", narrowest: 6, cell: ({ name }) => name },
    { title: "LUXURY", leaves: 2, cell: () => "luxury" },
    { title: "N", align: "right", cell: ({ n }) => String(n) },
    { title: "COMFORT", leaves: 1, cell: () => "comfort" },
    { title: "WHY", narrowest: 4, cell: () => "because" },
  ];
  const at = (width: number) => tableLines([{ name: "long-name", n: 12 }], columns, width)[1];

  it.each([
    [40, "long-name  luxury  12  comfort  because"],
    [36, "long-n…  luxury  12  comfort  becau…"],
    [33, "long-…  luxury  12  comfort  bec…"],
    [32, "long-name  12  comfort  because"],
    [25, "long-…  12  comfort  bec…"],
    [24, "long-name  12  because"],
    [22, "long-name  12  because"],
    [18, "long-n…  12  beca…"],
    [13, "long-…  12  …"],
  ])("of %d cells cuts what can be cut, then leaves out what matters least", (width, line) => {
    expect(at(width)).toBe(line);
  });
});

describe("a list of fields", () => {
  it("shows text as it is, nothing as a dash, the rest as JSON", () => {
    expect(fieldLines({ name: "a", cap: null, tags: ["x"], weight: 5 })).toEqual([
      "name    a",
      "cap     -",
      'tags    ["x"]',
      "weight  5",
    ]);
  });
});
