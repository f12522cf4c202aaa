"use client";

import { ArrowRight } from "lucide-react";
import { INPUT } from "../../components/ui/field";
import { GroupMark } from "../../components/ui/group-mark";
import { Cell, HeadCell, Table, TableFrame } from "../../components/ui/table";
import { Value } from "../../components/ui/value";
import { cn } from "../../lib/cn";
import { formatExact } from "../../lib/format";
import { useSession } from "../../lib/session";
import { stepWeight } from "../../lib/weight";
import { GroupMenu } from "./group-menu";
import type { GroupRow } from "./logic/group-rows";

interface GroupsTableProps {
  rows: readonly GroupRow[];
  colors: ReadonlyMap<string, number | null>;
  onDraft: (name: string, weight: string) => void;
}

export function GroupsTable({ rows, colors, onDraft }: Readonly<GroupsTableProps>) {
  return (
    <TableFrame>
      <Table aria-label="Groups" isStacked>
        <thead>
          <tr>
            <HeadCell>Group</HeadCell>
            <HeadCell isNumber>Tenants</HeadCell>
            <HeadCell>Weight</HeadCell>
            <HeadCell isNumber>Slots now, after</HeadCell>
            <HeadCell isNumber>In use</HeadCell>
            <HeadCell isNumber>Waiting</HeadCell>
            <HeadCell isNumber>Borrowed</HeadCell>
            <HeadCell>
              <span className="sr-only">Actions</span>
            </HeadCell>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <GroupLine key={row.name} row={row} color={colors.get(row.name)} onDraft={onDraft} />
          ))}
        </tbody>
      </Table>
    </TableFrame>
  );
}

interface GroupLineProps {
  row: GroupRow;
  color: number | null | undefined;
  onDraft: GroupsTableProps["onDraft"];
}

function GroupLine({ row, color, onDraft }: Readonly<GroupLineProps>) {
  return (
    <tr data-group={row.name} className="border-t align-top">
      <th scope="row" className="px-3 py-2.5 pl-4 text-left font-medium">
        <span className="flex items-center gap-2">
          <GroupMark color={color} />
          <span className="name">{row.name}</span>
        </span>
      </th>
      <Cell isNumber label="Tenants" stack="gone" className="py-2.5">
        {formatExact(row.tenantCount)}
      </Cell>
      <Cell label="Weight" className="py-1.5">
        <WeightInput row={row} onDraft={onDraft} />
      </Cell>
      <Cell isNumber label="Slots" className="py-2.5">
        <SlotsChange row={row} />
      </Cell>
      <Cell isNumber label="In use" className="py-2.5">
        <Value field="in_use" value={row.inUse} isExact />
      </Cell>
      <Cell isNumber label="Waiting" className="py-2.5">
        <Value field="queued" value={row.queued} className={row.queued > 0 ? "font-medium" : "text-text-3"} />
      </Cell>
      <Cell isNumber label="Borrowed" className="py-2.5">
        <Value field="borrowed" value={row.borrowed} isExact className={row.borrowed > 0 ? "" : "text-text-3"} />
      </Cell>
      <Cell stack="corner" className="w-10 py-1.5 text-right">
        <GroupMenu group={row} />
      </Cell>
    </tr>
  );
}

function WeightInput({ row, onDraft }: Readonly<{ row: GroupRow; onDraft: GroupsTableProps["onDraft"] }>) {
  const { isAdmin } = useSession();
  const noteId = `weight-note-${encodeURIComponent(row.name)}`;
  const note = row.error ?? (row.isChanged ? `was ${formatExact(row.weight)}` : null);
  return (
    <span>
      <input
        inputMode="numeric"
        aria-label={`Weight of ${row.name}`}
        aria-invalid={row.error ? true : undefined}
        aria-describedby={note === null ? undefined : noteId}
        disabled={!isAdmin}
        value={row.draft}
        onChange={(event) => onDraft(row.name, event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
          event.preventDefault();
          onDraft(row.name, stepWeight(row.draft, event.key === "ArrowUp" ? 1 : -1, event.shiftKey));
        }}
        className={cn(INPUT, "num w-20 sm:w-28", row.isChanged && "border-text font-medium")}
      />
      {note ? (
        <span id={noteId} className={cn("mt-0.5 block max-w-56 text-micro", row.error ? "text-urgent" : "text-text-3")}>
          {note}
        </span>
      ) : null}
    </span>
  );
}

function SlotsChange({ row }: Readonly<{ row: GroupRow }>) {
  if (row.before === null || row.after === null)
    return (
      <span className="text-text-3">idle, would get {row.wouldGet === null ? "-" : formatExact(row.wouldGet)}</span>
    );
  return (
    <span className="inline-flex items-center gap-1.5">
      <span data-field="slots_before" data-value={row.before}>
        {formatExact(row.before)}
      </span>
      <ArrowRight className="size-3 text-text-3" aria-label="to" />
      <span data-field="slots_after" data-value={row.after} className={cn(row.before !== row.after && "font-semibold")}>
        {formatExact(row.after)}
      </span>
    </span>
  );
}
