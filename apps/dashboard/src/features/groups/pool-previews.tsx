"use client";

import { ArrowRight } from "lucide-react";
import { GroupMark, groupColor } from "../../components/ui/group-mark";
import { cn } from "../../lib/cn";
import { formatExact, slotCount } from "../../lib/format";
import { changedParts, type PreviewPart, type PreviewRow } from "../../lib/preview-rows";

interface PoolPreviewsProps {
  rows: readonly PreviewRow[];
  colors: ReadonlyMap<string, number | null>;
  hasDraft: boolean;
}

/** Every pool's split between its groups, now and under the draft. */
export function PoolPreviews({ rows, colors, hasDraft }: Readonly<PoolPreviewsProps>) {
  if (rows.length === 0) {
    return (
      <p className="p-4 text-small text-text-2">No pool has work, so nothing moves. The trial pool shows the split.</p>
    );
  }
  return (
    <ul className="divide-y">
      {hasDraft ? <li className="px-4 py-2 text-micro text-text-3">Thin: now. Thick: with your changes.</li> : null}
      {rows.map((row) => (
        <li key={row.pool} data-preview={row.pool} className="space-y-2 px-4 py-3">
          <p className="flex items-baseline gap-3 text-small">
            <span className="name min-w-0 flex-1 truncate font-medium">{row.pool}</span>
            <span className="num text-micro text-text-3">{slotCount(row.sizeAfter)}</span>
          </p>
          <SplitBar parts={row.groups} side="before" colors={colors} label={`${row.pool} now`} />
          {hasDraft ? (
            <>
              <SplitBar parts={row.groups} side="after" colors={colors} label={`${row.pool} after`} />
              <Changes row={row} colors={colors} />
            </>
          ) : (
            <Shares parts={row.groups} colors={colors} />
          )}
        </li>
      ))}
    </ul>
  );
}

interface SplitBarProps {
  parts: readonly PreviewPart[];
  side: "before" | "after";
  colors: ReadonlyMap<string, number | null>;
  label: string;
}

function SplitBar({ parts, side, colors, label }: Readonly<SplitBarProps>) {
  const total = Math.max(
    1,
    parts.reduce((sum, part) => sum + part[side], 0),
  );
  const words = parts.map((part) => `${part.name} ${part[side]}`).join(", ");
  return (
    <div
      role="img"
      aria-label={`${label}: ${words}`}
      className={cn("flex h-4 gap-px overflow-hidden rounded-sm", side === "before" && "h-2 opacity-60")}
    >
      {parts.map((part) => (
        <span
          key={part.id}
          title={`${part.name} ${part[side]}`}
          className="block h-full"
          style={{ width: `${(part[side] / total) * 100}%`, background: groupColor(colors.get(part.id)) }}
        />
      ))}
    </div>
  );
}

/** What the bar shows, in words. */
function Shares({ parts, colors }: Readonly<Pick<SplitBarProps, "parts" | "colors">>) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-micro text-text-2">
      {parts.map((part) => (
        <li key={part.id} className="num flex min-w-0 items-center gap-1.5">
          <GroupMark color={colors.get(part.id)} />
          <span className="name truncate">{part.name}</span>
          <span className="font-medium text-text">{formatExact(part.before)}</span>
        </li>
      ))}
    </ul>
  );
}

function Changes({ row, colors }: Readonly<{ row: PreviewRow; colors: SplitBarProps["colors"] }>) {
  const changed = changedParts(row.groups);
  if (changed.length === 0) return <p className="text-micro text-text-3">{row.nextStep ?? "No slot moves here."}</p>;
  return (
    <>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-small">
        {changed.map((part) => (
          <li key={part.id} data-part={part.name} className="num flex min-w-0 items-center gap-1">
            <GroupMark color={colors.get(part.id)} className="mr-0.5" />
            <span className="name text-text-2">{part.name}</span>
            <span data-field="slots_before" data-value={part.before}>
              {formatExact(part.before)}
            </span>
            <ArrowRight className="size-3 text-text-3" aria-label="to" />
            <span data-field="slots_after" data-value={part.after} className="font-medium">
              {formatExact(part.after)}
            </span>
          </li>
        ))}
      </ul>
      <p className="text-micro text-text-3">{row.movement}</p>
      {row.warnings.map((warning) => (
        <p key={warning} className="text-micro text-text-2">
          {warning}
        </p>
      ))}
    </>
  );
}
