/** Tables and lists of fields as lines of text. Every cell is made safe for the terminal here. */
import { cut, pad, visible, widthOf } from "./plain-text";

export interface Column<Row> {
  readonly title: string;
  /** Numbers stand on the right. */
  readonly align?: "left" | "right";
  readonly cell: (row: Row) => string;
  /** Cells it may be cut to before others are left out; without it, it keeps its width. */
  readonly narrowest?: number;
  /** Left out where the screen is too narrow, the highest first; without it, never. */
  readonly leaves?: number;
}

/** Cells wider than this push the rest out of sight; only cut where a person looks, never for a program that reads. */
const WIDEST_CELL = 48;
const GAP = "  ";

/**
 * A head and one line a row. On a screen of `screenWidth` cells what has room to give is cut first, then columns are left
 * out, so that the important ones stay; null when nobody looks, then nothing is cut.
 */
export function tableLines<Row>(
  rows: readonly Row[],
  table: readonly Column<Row>[],
  screenWidth: number | null,
): string[] {
  const full = table.map((column) => {
    const cells = rows.map((row) => visible(column.cell(row)));
    const shown = screenWidth === null ? cells : cells.map((text) => cut(text, WIDEST_CELL));
    return { ...column, cells: shown, width: Math.max(column.title.length, ...shown.map(widthOf)) };
  });
  const columns = screenWidth === null ? full : fitted(full, screenWidth);
  const lineOf = (texts: readonly string[]) => {
    const cells = texts.map((text, i) => {
      const { width, align = "left" } = columns[i] ?? { width: 0 };
      return pad(cut(text, width), width, align);
    });
    const line = cells.join(GAP).trimEnd();
    return screenWidth === null ? line : cut(line, screenWidth);
  };
  const head = lineOf(columns.map(({ title }) => title));
  return [head, ...rows.map((_, row) => lineOf(columns.map(({ cells }) => cells[row] ?? "")))];
}

type Sized = Pick<Column<never>, "narrowest" | "leaves"> & { readonly width: number };

/** The columns that stay, each with the width it gets. */
function fitted<Laid extends Sized>(columns: readonly Laid[], screenWidth: number): Laid[] {
  let excess = columns.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length) - screenWidth;
  if (excess <= 0) return [...columns];
  const give = columns.reduce((sum, column) => sum + roomOf(column), 0);
  const last = columns.toSorted((a, b) => (b.leaves ?? 0) - (a.leaves ?? 0))[0];
  if (give < excess && last?.leaves !== undefined) {
    return fitted(
      columns.filter((column) => column !== last),
      screenWidth,
    );
  }
  // Who has most to give gives first, so that short columns stay whole.
  const widths = new Map(columns.map((column) => [column, column.width]));
  for (; excess > 0; excess--) {
    const room = (column: Laid) => roomOf({ ...column, width: widths.get(column) ?? 0 });
    const widest = columns.toSorted((a, b) => room(b) - room(a))[0];
    if (widest === undefined || room(widest) === 0) break;
    widths.set(widest, (widths.get(widest) ?? 0) - 1);
  }
  return columns.map((column) => ({ ...column, width: widths.get(column) ?? column.width }));
}

const roomOf = ({ width, narrowest = width }: Sized) => Math.max(0, width - narrowest);

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
