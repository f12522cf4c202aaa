"use client";

import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/ui/button";
import { changeSentence, fieldChanges } from "../../lib/audit-words";
import { cn } from "../../lib/cn";
import { formatClock } from "../../lib/format";
import { usePreferences } from "../../lib/preferences";
import { useSession } from "../../lib/session";
import { useUndo } from "../../lib/use-save";
import type { AuditRow } from "../../queries/wire";

const SOURCES: Readonly<Record<string, string>> = {
  dashboard: "dashboard",
  api: "API",
  import: "import",
  boost: "boost",
};

interface AuditEntryProps {
  row: AuditRow;
  /** By the row's id, why it cannot be put back any more. */
  changed: ReadonlyMap<number, string>;
}

/** One change: a sentence, and opened, field by field. */
export function AuditEntry({ row, changed }: Readonly<AuditEntryProps>) {
  const [isOpen, setIsOpen] = useState(false);
  const { clock } = usePreferences();
  const { email } = useSession();
  return (
    <li data-audit={row.id} data-action={row.action}>
      <div className="flex min-h-(--row) flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1 text-small">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={`Details of ${changeSentence(row)}`}
          onClick={() => setIsOpen(!isOpen)}
          className="grid size-6 shrink-0 place-items-center rounded-control text-text-3 hover:text-text"
        >
          <ChevronRight className={cn("size-4", isOpen && "rotate-90")} aria-hidden="true" />
        </button>
        <time className="num w-16 shrink-0 text-text-3" dateTime={new Date(row.ts_ms).toISOString()}>
          {formatClock(row.ts_ms, clock)}
        </time>
        <span className="name min-w-0 flex-1 basis-56">{changeSentence(row)}</span>
        <span className="name text-micro text-text-3">
          {row.actor === email ? "you" : row.actor}
          {row.source === row.actor ? "" : `, ${SOURCES[row.source] ?? row.source}`}
        </span>
        <RevertButton row={row} obstacle={changed.get(row.id) ?? null} />
      </div>
      {isOpen ? <Details row={row} obstacle={row.reversible ? (changed.get(row.id) ?? null) : null} /> : null}
    </li>
  );
}

interface ObstacleProps {
  row: AuditRow;
  obstacle: string | null;
}

function RevertButton({ row, obstacle }: Readonly<ObstacleProps>) {
  const { isAdmin } = useSession();
  const undo = useUndo();
  if (row.reverted_by !== null) return <span className="w-20 text-right text-micro text-text-3">put back</span>;
  if (!row.reversible) return <span className="w-20" />;
  return (
    <Button
      size="small"
      variant="ghost"
      className="w-20"
      disabled={!isAdmin || obstacle !== null}
      title={obstacle ?? undefined}
      onClick={() => undo(row.id)}
    >
      Revert
    </Button>
  );
}

function Details({ row, obstacle }: Readonly<ObstacleProps>) {
  const changes = fieldChanges(row);
  return (
    <div className="space-y-2 bg-subtle px-4 py-3 pl-14 text-small">
      <dl className="grid grid-cols-[fit-content(50%)_minmax(0,1fr)] gap-x-6 gap-y-1">
        {changes.map((change) => (
          <div key={change.field} className="contents">
            <dt className="text-text-2">{change.field}</dt>
            <dd className="name num">
              {change.from} to {change.to}
            </dd>
          </div>
        ))}
      </dl>
      {obstacle === null ? null : <p className="text-text-2">It cannot be put back: {obstacle}.</p>}
      <p className="font-mono text-micro text-text-3">
        {row.action}, {row.object.type} {row.object.id}
        {row.request_id === null ? "" : `, request ${row.request_id}`}
      </p>
    </div>
  );
}
