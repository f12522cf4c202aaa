"use client";

import { hashKey, type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { api, errorMessage, isStaleEdit } from "./api";
import { notifyError, notifySuccess } from "./notify";

export interface Saved {
  readonly auditId: number | null;
  readonly configVersion: number | null;
}

interface SaveInput<Answer extends Saved> {
  /** What happened, for the toast: "nightly weight 50 to 120". */
  readonly done: string;
  readonly send: () => Promise<Answer>;
  /** What is deleted: its page is still there for a moment, and must not read it again. */
  readonly gone?: QueryKey;
  readonly onSaved?: (answer: Answer) => void;
  /** The control has no place beside it that says why it was refused; a toast does. */
  readonly isUnplaced?: boolean;
}

const UNDO_MS = 10_000;
/** Everything but the live state, which is read again and again by itself. */
const CONFIGURATION = { predicate: ({ queryKey }: { queryKey: QueryKey }) => queryKey[0] !== "live" };

/**
 * Sends a change, says that it happened with a way back, and has everything that shows it read again. What it waits
 * for and what was refused stay with the caller, beside the control. Refused because somebody else was first, everything is
 * read again as well: what is shown and previewed is theirs, and another try is made from it.
 */
export function useSave<Answer extends Saved>() {
  const client = useQueryClient();
  const undo = useUndo();
  return useMutation({
    mutationFn: ({ send }: SaveInput<Answer>) => send(),
    onSuccess: (answer, { done, gone, onSaved }) => {
      const { auditId } = answer;
      notifySuccess(done, {
        durationMs: UNDO_MS,
        ...(auditId === null ? {} : { action: { label: "Undo", onClick: () => undo(auditId) } }),
      });
      onSaved?.(answer);
      const isGone = ({ queryKey }: { queryKey: QueryKey }) =>
        gone !== undefined && hashKey(queryKey) === hashKey(gone);
      return client.invalidateQueries({ predicate: (query) => CONFIGURATION.predicate(query) && !isGone(query) });
    },
    onError: (error, { isUnplaced }) => {
      if (isUnplaced) notifyError(`Not changed. ${errorMessage(error)}`);
      if (isStaleEdit(error)) void client.invalidateQueries(CONFIGURATION);
    },
  });
}

/** Changes being put back, or put back: a second press of either way back is the same wish, and not a failure. */
const undone = new Set<number>();

/** Puts a change back by its audit row, and says so. */
export function useUndo(): (auditId: number) => void {
  const client = useQueryClient();
  return useCallback(
    (auditId) => {
      if (undone.has(auditId)) return;
      undone.add(auditId);
      api
        .call("revertAudit", { params: { id: auditId } })
        .then(() => {
          notifySuccess("Put back");
          return client.invalidateQueries(CONFIGURATION);
        })
        .catch((error: unknown) => {
          undone.delete(auditId);
          notifyError(`Not put back. ${errorMessage(error)}`);
        });
    },
    [client],
  );
}
