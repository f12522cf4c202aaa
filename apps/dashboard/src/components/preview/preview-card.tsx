"use client";

import { ArrowRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { cn } from "../../lib/cn";
import { formatExact } from "../../lib/format";
import { changedParts, type PreviewPart, type PreviewRow } from "../../lib/preview-rows";
import { Glyph } from "../ui/glyph";
import { Segmented } from "../ui/segmented";

export type PreviewMode = "busy" | "demand";

interface PreviewCardProps {
  row: PreviewRow;
  /** The group, tenant or key being changed: listed first, even when its slots stay. */
  subject: string;
  /** Whose parts are listed. */
  level: PreviewPart["level"];
  footer?: ReactNode;
}

/** What a draft does in one pool, in whole slots, for everyone concerned. */
export function PreviewCard({ row, subject, level, footer }: Readonly<PreviewCardProps>) {
  const [mode, setMode] = useState<PreviewMode>("busy");
  const parts = level === "group" ? row.groups : level === "key" ? row.keys : row.tenants;
  const shown = changedParts(mode === "busy" ? parts : parts.map(asSettled), subject);
  return (
    <section aria-label={`Preview for ${row.pool}`} className="rounded-control border" data-preview={row.pool}>
      <div className="flex flex-wrap items-center gap-2 border-b px-3 py-2">
        <h3 className="name min-w-0 flex-1 basis-48 text-small font-medium" data-testid="preview-headline">
          {row.summary}
        </h3>
        <Segmented
          label="What the preview assumes"
          value={mode}
          options={[
            { value: "busy", label: "If everyone is busy" },
            { value: "demand", label: "With today's demand" },
          ]}
          onValue={setMode}
        />
      </div>
      <PartList parts={shown} subject={subject} />
      <div className="space-y-1.5 text-pretty px-3 py-2 text-small text-text-2">
        {mode === "demand" ? <p>An estimate of where today's demand settles.</p> : null}
        {row.movement ? <p>{row.movement}</p> : null}
        {row.nextStep ? <p className="num">{row.nextStep}</p> : null}
        {row.warnings.map((warning) => (
          <p key={warning} className="flex gap-2 text-text">
            <Glyph shape="triangle" tone="watch" className="mt-1 size-2.5" />
            <span className="name">{warning}</span>
          </p>
        ))}
        {footer}
      </div>
    </section>
  );
}

const SHOWN = 8;

function PartList({ parts, subject }: Readonly<{ parts: readonly PreviewPart[]; subject: string }>) {
  const shown = parts.slice(0, SHOWN);
  if (shown.length === 0) return null;
  return (
    <ul className="border-b">
      {shown.map((part) => (
        <li
          key={part.id}
          data-part={part.name}
          className={cn(
            "grid h-8 grid-cols-[minmax(0,1fr)_auto_4ch] items-center gap-3 px-3 text-small",
            part.id === subject && "font-medium",
          )}
        >
          <span className="name truncate">{part.name}</span>
          <span className="num flex items-center gap-1.5 whitespace-nowrap">
            <span data-field="slots_before" data-value={part.before}>
              {formatExact(part.before)}
            </span>
            <ArrowRight className="size-3 text-text-3" aria-label="to" />
            <span data-field="slots_after" data-value={part.after}>
              {formatExact(part.after)}
            </span>
          </span>
          <Delta change={part.after - part.before} />
        </li>
      ))}
      {parts.length > SHOWN ? (
        <li className="px-3 pb-2 text-micro text-text-3">and {parts.length - SHOWN} more</li>
      ) : null}
    </ul>
  );
}

function Delta({ change }: Readonly<{ change: number }>) {
  const text = change === 0 ? "same" : change > 0 ? `+${change}` : `−${-change}`;
  return <span className={cn("num text-right text-micro", change === 0 ? "text-text-3" : "text-text")}>{text}</span>;
}

function asSettled(part: PreviewPart): PreviewPart {
  return { ...part, before: part.settledBefore, after: part.settledAfter };
}
