"use client";

import { type ReactNode, useMemo } from "react";
import { cn } from "../../lib/cn";
import { useIsNarrow } from "../../lib/use-is-narrow";
import { useRowKeys } from "../../lib/use-row-keys";
import { useVirtualRows } from "../../lib/use-virtual-rows";
import { SpacerRow } from "../ui/spacer-row";
import { Cell, HeadCell, SortCell, Table, TableFrame } from "../ui/table";

export interface Column<Row> {
  readonly key: string;
  readonly label: string;
  readonly isNumber?: boolean;
  /** Makes the column sortable. */
  readonly sortBy?: (row: Row) => number | string;
  /** The first press sorts this way; numbers start with the largest. */
  readonly firstDirection?: "asc" | "desc";
  readonly render: (row: Row) => ReactNode;
  readonly className?: string;
  /** Left out on a phone: the row's own page has it. */
  readonly isDetail?: boolean;
  /** Takes a line of its own on a phone. */
  readonly isWide?: boolean;
}

export interface Sorting {
  readonly key: string;
  readonly direction: "asc" | "desc";
}

interface ObjectTableProps<Row> {
  label: string;
  rows: readonly Row[];
  /** The first column names the row. */
  columns: readonly Column<Row>[];
  idOf: (row: Row) => string;
  sorting: Sorting;
  onSorting: (sorting: Sorting) => void;
}

/** A list of objects: sortable, navigable by keyboard, drawn only where it is in view when it is long. */
export function ObjectTable<Row>(props: Readonly<ObjectTableProps<Row>>) {
  const { label, rows, idOf, sorting, onSorting } = props;
  const isNarrow = useIsNarrow();
  const columns = isNarrow ? props.columns.filter((column) => column.isDetail !== true) : props.columns;
  const isFlow = columns.length <= MOST_IN_FLOW;
  const sorted = useMemo(() => sortRows(rows, props.columns, sorting), [rows, props.columns, sorting]);
  const view = useVirtualRows(sorted.length, isNarrow ? stackedRowPx(columns) : undefined);
  const rowKeys = useRowKeys();
  return (
    <div {...rowKeys}>
      <TableFrame isFitting={isNarrow}>
        <Table aria-label={label} aria-rowcount={sorted.length + 1} isStacked={isFlow ? "flow" : true}>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((column) => (
                <Head key={column.key} column={column} sorting={sorting} onSorting={onSorting} />
              ))}
            </tr>
          </thead>
          <tbody ref={view.ref}>
            <SpacerRow heightPx={view.topPx} />
            {sorted.slice(view.first, view.last).map((row, offset) => (
              <ObjectRow
                key={idOf(row)}
                row={row}
                id={idOf(row)}
                columns={columns}
                rowIndex={view.first + offset + 2}
              />
            ))}
            <SpacerRow heightPx={view.bottomPx} />
          </tbody>
        </Table>
      </TableFrame>
    </div>
  );
}

/** Columns, the name's among them, that follow each other on one line of a phone; more stand in pairs. */
const MOST_IN_FLOW = 5;

/** The name's line, then the cells', with the space around them. */
function stackedRowPx<Row>(columns: readonly Column<Row>[]): number {
  const wide = columns.filter((column, place) => place > 0 && column.isWide === true).length;
  const cells = columns.length <= MOST_IN_FLOW ? 1 : Math.ceil((columns.length - 1 - wide) / 2);
  const lines = wide + cells;
  return 37 + lines * 26;
}

interface HeadProps<Row> {
  column: Column<Row>;
  sorting: Sorting;
  onSorting: (sorting: Sorting) => void;
}

function Head<Row>({ column, sorting, onSorting }: Readonly<HeadProps<Row>>) {
  const { key, label, isNumber, sortBy } = column;
  const className = column.className ?? "";
  if (sortBy === undefined) {
    return (
      <HeadCell isNumber={isNumber ?? false} className={className}>
        {label}
      </HeadCell>
    );
  }
  const first = column.firstDirection ?? (isNumber ? "desc" : "asc");
  const isSorted = sorting.key === key;
  const next = isSorted && sorting.direction === first ? (first === "asc" ? "desc" : "asc") : first;
  return (
    <SortCell
      label={label}
      isNumber={isNumber ?? false}
      className={className}
      direction={isSorted ? sorting.direction : null}
      onSort={() => onSorting({ key, direction: next })}
    />
  );
}

interface ObjectRowProps<Row> {
  row: Row;
  id: string;
  columns: readonly Column<Row>[];
  rowIndex: number;
}

function ObjectRow<Row>({ row, id, columns, rowIndex }: Readonly<ObjectRowProps<Row>>) {
  const [name, ...rest] = columns;
  return (
    <tr data-row={id} aria-rowindex={rowIndex} className="border-b last:border-b-0 hover:bg-subtle">
      <th scope="row" className={cn("h-(--row) min-w-28 max-w-80 px-3 pl-4 text-left font-medium", name?.className)}>
        {name?.render(row)}
      </th>
      {rest.map((column) => (
        <Cell
          key={column.key}
          label={column.label}
          stack={column.isWide ? "wide" : undefined}
          isNumber={column.isNumber ?? false}
          className={column.className ?? ""}
        >
          {column.render(row)}
        </Cell>
      ))}
    </tr>
  );
}

function sortRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sorting: Sorting): readonly Row[] {
  const sortBy = columns.find((column) => column.key === sorting.key)?.sortBy;
  if (sortBy === undefined) return rows;
  const sign = sorting.direction === "asc" ? 1 : -1;
  return [...rows].sort((a, b) => {
    const [left, right] = [sortBy(a), sortBy(b)];
    return left < right ? -sign : left > right ? sign : 0;
  });
}
