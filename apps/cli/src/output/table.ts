/** Tables and lists of fields as lines of text. Every cell is made safe for the terminal here. */
import { cut, pad, visible, widthOf } from "./plain-text";

export interface Column<Row> {
  readonly title: string;
  /** Numbers stand on the right. */
  readonly align?: "left" | "right";
  readonly cell: (row: Row) => string;
}

/** Cells wider than this push the rest out of sight; only cut where a person looks, never for a program that reads. */
const WIDEST_CELL = 48;
const GAP = "  ";

/** A head and one line a row. `columns` cells at most when given; null when nobody looks, then nothing is cut. */
export function tableLines<Row>(
  rows: readonly Row[],
  table: readonly Column<Row>[],
  screenWidth: number | null,
): string[] {
  const cells = rows.map((row) =>
    table.map(({ cell }) => {
      const text = visible(cell(row));
      return screenWidth === null ? text : cut(text, WIDEST_CELL);
    }),
  );
  const widths = table.map(({ title }, i) => Math.max(title.length, ...cells.map((row) => widthOf(row[i] ?? ""))));
  const lineOf = (row: readonly string[]) => {
    const line = row.map((text, i) => pad(text, widths[i] ?? 0, table[i]?.align ?? "left")).join(GAP);
    return screenWidth === null ? line.trimEnd() : cut(line.trimEnd(), screenWidth);
  };
  return [lineOf(table.map(({ title }) => title)), ...cells.map(lineOf)];
}

/** `name  value`, one line a field. */
export function fieldLines(fields: Readonly<Record<string, unknown>>): string[] {
  const entries = Object.entries(fields).map(([name, value]) => [visible(name), valueText(value)] as const);
  const widest = Math.max(0, ...entries.map(([name]) => widthOf(name)));
  return entries.map(([name, value]) => `${pad(name, widest, "left")}${GAP}${value}`.trimEnd());
}

/** A value on one line: text as it is, the rest as JSON. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "-";
  return visible(typeof value === "string" ? value : JSON.stringify(value));
}
