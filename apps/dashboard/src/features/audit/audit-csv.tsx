"use client";

import { useMutation } from "@tanstack/react-query";
import { Button } from "../../components/ui/button";
import { errorMessage } from "../../lib/api";
import { changeSentence } from "../../lib/audit-words";
import { csvOf, downloadText } from "../../lib/csv";
import { notifyError } from "../../lib/notify";
import { type AuditFilter, readAllChanges } from "./audit-pages";

const HEAD = ["time", "actor", "source", "action", "object type", "object id", "object", "change", "request id"];

/** The changes that match, as a file. */
export function AuditCsv({ filter, isDisabled }: Readonly<{ filter: AuditFilter; isDisabled: boolean }>) {
  const download = useMutation({
    mutationFn: () => readAllChanges(filter),
    onSuccess: (rows) => {
      const lines = rows.map((row) => [
        new Date(row.ts_ms).toISOString(),
        row.actor,
        row.source,
        row.action,
        row.object.type,
        row.object.id,
        row.object.name,
        changeSentence(row),
        row.request_id,
      ]);
      downloadText("audit.csv", csvOf([HEAD, ...lines]));
    },
    onError: (error) => notifyError(`The changes were not read. ${errorMessage(error)}`),
  });
  return (
    <Button disabled={isDisabled || download.isPending} onClick={() => download.mutate()}>
      {download.isPending ? "Reading" : "CSV"}
    </Button>
  );
}
