"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../components/ui/button";
import { Dialog } from "../../components/ui/dialog";
import { api, errorMessage } from "../../lib/api";
import { plural } from "../../lib/format";
import { useSave } from "../../lib/use-save";

/** Models from a file: first what it would do, then doing it. */
export function ImportModels({ onClose }: Readonly<{ onClose: () => void }>) {
  const [file, setFile] = useState<{ name: string; body: never } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const check = useMutation({
    mutationFn: async (body: never) => (await api.call("importModels", { body, query: { dry_run: true } })).data,
  });
  const save = useSave();
  const choose = async (chosen: File | undefined) => {
    setProblem(null);
    setFile(null);
    check.reset();
    if (chosen === undefined) return;
    try {
      const body = JSON.parse(await chosen.text()) as never;
      setFile({ name: chosen.name, body });
      check.mutate(body);
    } catch {
      setProblem("This file is not JSON.");
    }
  };
  const result = check.data;
  const error = check.error ?? save.error;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Import models"
      description="A file as Export writes it. Known names are changed, others are made. Nothing is written before you say so."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={file === null || result === undefined || result.created + result.updated === 0 || save.isPending}
            onClick={() =>
              file &&
              save.mutate({
                done: `${file.name} imported`,
                send: () => api.call("importModels", { body: file.body, query: { dry_run: false } }),
                onSaved: onClose,
              })
            }
          >
            Import
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        <input
          type="file"
          accept="application/json,.json"
          aria-label="File with models"
          className="text-small"
          onChange={(event) => void choose(event.target.files?.[0])}
        />
        {problem || error ? (
          <p role="alert" className="text-small text-urgent">
            {problem ?? errorMessage(error)}
          </p>
        ) : null}
        {result ? (
          <>
            <p className="text-small">
              Would make {plural(result.created, "model")}, change {result.updated} and leave {result.unchanged} as they
              are.
            </p>
            <ul className="max-h-60 space-y-1 overflow-auto text-small">
              {result.changes
                .filter((change) => change.action !== "unchanged")
                .map((change) => (
                  <li key={`${change.type} ${change.name}`} className="flex gap-2">
                    <span className="w-14 shrink-0 text-text-3">{change.action}</span>
                    <span className="name">
                      {change.type} {change.name}
                    </span>
                    <span className="text-text-3">{change.fields.join(", ")}</span>
                  </li>
                ))}
            </ul>
          </>
        ) : null}
      </div>
    </Dialog>
  );
}
