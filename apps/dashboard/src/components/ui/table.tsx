"use client";

import { ArrowDown, ArrowUp } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { cn } from "../../lib/cn";

interface TableFrameProps {
  children: ReactNode;
  className?: string;
  /** The table never needs more than its place, so its head can stay in view while the page scrolls. */
  isFitting?: boolean;
}

/** Tables scroll sideways inside themselves; the page never does. Where they fit, their heads stick below the bars. */
export function TableFrame({ children, className, isFitting }: Readonly<TableFrameProps>) {
  return (
    <div
      className={cn(
        "relative",
        isFitting
          ? "overflow-x-clip [--head-top:var(--bars)]"
          : "overflow-x-auto [--head-top:0] lg:overflow-x-clip lg:[--head-top:var(--bars)]",
        className,
      )}
    >
      {children}
    </div>
  );
}

interface TableProps extends ComponentProps<"table"> {
  /** On a phone its rows stand up, each cell beside its label: nothing lies off the screen. `flow`: few cells a row. */
  isStacked?: boolean | "flow";
}

export function Table({ className, isStacked, ...props }: Readonly<TableProps>) {
  return (
    <table
      className={cn(
        "w-full border-collapse text-small",
        isStacked && "stacked",
        isStacked === "flow" && "stacked-flow",
        className,
      )}
      {...props}
    />
  );
}

interface HeadCellProps extends ComponentProps<"th"> {
  isNumber?: boolean;
}

export function HeadCell({ isNumber, className, ...props }: Readonly<HeadCellProps>) {
  return (
    <th
      scope="col"
      className={cn(
        "sticky top-(--head-top) z-10 h-9 whitespace-nowrap border-b bg-card px-3 text-micro text-text-3 first:pl-4 last:pr-4",
        isNumber ? "text-right" : "text-left",
        className,
      )}
      {...props}
    />
  );
}

interface SortCellProps {
  label: string;
  isNumber?: boolean;
  direction: "asc" | "desc" | null;
  onSort: () => void;
  className?: string;
}

/** A column the list can be sorted by. */
export function SortCell({ label, isNumber, direction, onSort, className }: Readonly<SortCellProps>) {
  const sorted = direction === null ? "none" : direction === "asc" ? "ascending" : "descending";
  return (
    <HeadCell isNumber={isNumber ?? false} aria-sort={sorted} className={className}>
      <button
        type="button"
        onClick={onSort}
        className={cn("inline-flex h-6 items-center gap-1 hover:text-text", direction && "text-text")}
      >
        {label}
        {direction === "asc" ? <ArrowUp className="size-3" aria-hidden="true" /> : null}
        {direction === "desc" ? <ArrowDown className="size-3" aria-hidden="true" /> : null}
      </button>
    </HeadCell>
  );
}

interface CellProps extends ComponentProps<"td"> {
  isNumber?: boolean;
  /** The column's word, shown beside the cell where the table is stacked. */
  label?: string;
  /** Where the table is stacked: on a line of its own, in the corner beside the name, or left out. */
  stack?: "wide" | "corner" | "gone" | undefined;
}

const STACKS = { wide: "stacked-wide", corner: "stacked-corner", gone: "stacked-gone" } as const;

export function Cell({ isNumber, label, stack, className, ...props }: Readonly<CellProps>) {
  return (
    <td
      data-label={label}
      className={cn(
        "h-(--row) px-3 first:pl-4 last:pr-4",
        isNumber && "num whitespace-nowrap text-right",
        stack && STACKS[stack],
        className,
      )}
      {...props}
    />
  );
}
