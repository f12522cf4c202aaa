"use client";

import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { changeSentence } from "../../lib/audit-words";
import { cn } from "../../lib/cn";
import { formatClock } from "../../lib/format";
import { usePreferences } from "../../lib/preferences";
import { useSession } from "../../lib/session";
import type { AuditRow } from "../../queries/wire";
import { AuditEntry } from "./audit-entry";

interface AuditFoldProps {
  rows: readonly AuditRow[];
  /** By the row's id, why it cannot be put back any more. */
  changed: ReadonlyMap<number, string>;
}

/** Many changes of one actor in a minute, as one line until it is opened. */
export function AuditFold({ rows, changed }: Readonly<AuditFoldProps>) {
  const [isOpen, setIsOpen] = useState(false);
  const { clock } = usePreferences();
  const { email } = useSession();
  const [newest] = rows;
  if (newest === undefined) return null;
  const who = newest.actor === email ? "you" : newest.actor;
  const words = `${rows.length} changes within a minute: ${changeSentence(newest)} and ${rows.length - 1} more`;
  return (
    <>
      <li
        data-fold={rows.length}
        className="flex min-h-(--row) flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1 text-small"
      >
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? "Fold" : "Show"} ${rows.length} changes by ${who}`}
          onClick={() => setIsOpen(!isOpen)}
          className="grid size-6 shrink-0 place-items-center rounded-control text-text-3 hover:text-text"
        >
          <ChevronRight className={cn("size-4", isOpen && "rotate-90")} aria-hidden="true" />
        </button>
        <time className="num w-16 shrink-0 text-text-3" dateTime={new Date(newest.ts_ms).toISOString()}>
          {formatClock(newest.ts_ms, clock)}
        </time>
        <span className="name min-w-0 flex-1 basis-56">{words}</span>
        <span className="name text-micro text-text-3">{who}</span>
        <span className="w-20" />
      </li>
      {isOpen ? rows.map((row) => <AuditEntry key={row.id} row={row} changed={changed} />) : null}
    </>
  );
}
