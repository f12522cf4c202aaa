"use client";

import { useQuery } from "@tanstack/react-query";
import { changeSentence } from "../../lib/audit-words";
import { formatAgo } from "../../lib/format";
import { useSession } from "../../lib/session";
import { useNow } from "../../lib/use-now";
import { useUndo } from "../../lib/use-save";
import { lastChangeQuery } from "../../queries/objects";
import { Button } from "../ui/button";

/** Who changed an object last and how, with the way back that does not time out. */
export function LastChange({ objectId }: Readonly<{ objectId: string }>) {
  const { data: row } = useQuery(lastChangeQuery(objectId));
  const { email, isAdmin } = useSession();
  const nowMs = useNow(10_000);
  const undo = useUndo();
  if (!row) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-micro text-text-3" data-testid="last-change">
      <span className="name min-w-0">
        Last change: {row.actor === email ? "you" : row.actor}, {formatAgo(nowMs - row.ts_ms)} ({changeSentence(row)})
      </span>
      {row.reversible && row.reverted_by === null ? (
        <Button size="small" variant="ghost" disabled={!isAdmin} onClick={() => undo(row.id)} className="h-6">
          Revert
        </Button>
      ) : null}
    </p>
  );
}
