"use client";

import { useQuery } from "@tanstack/react-query";
import { changeSentence } from "../../lib/audit-words";
import { formatMinute } from "../../lib/format";
import { usePreferences } from "../../lib/preferences";
import { lastChangeQuery } from "../../queries/objects";
import { Button } from "../ui/button";
import { Notice } from "../ui/notice";

interface ConflictNoteProps {
  objectId: string;
  onKeepTheirs: () => void;
  onApplyMine: () => void;
}

/** Somebody else changed the object while it was being edited: whose version shall hold? */
export function ConflictNote({ objectId, onKeepTheirs, onApplyMine }: Readonly<ConflictNoteProps>) {
  const { data: row } = useQuery({ ...lastChangeQuery(objectId), staleTime: 0 });
  const { clock } = usePreferences();
  const who = row
    ? `${row.actor} changed it at ${formatMinute(row.ts_ms, clock)} (${changeSentence(row)})`
    : "Someone changed it";
  return (
    <Notice
      role="alert"
      tone="watch"
      shape="triangle"
      actions={
        <>
          <Button size="small" onClick={onKeepTheirs}>
            Keep theirs
          </Button>
          <Button size="small" variant="primary" onClick={onApplyMine}>
            Apply mine over it
          </Button>
        </>
      }
    >
      {who} while you were editing.
    </Notice>
  );
}
