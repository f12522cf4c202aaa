"use client";

import { type QueryKey, type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import type { Versioned } from "../queries/objects";
import { errorField, isStaleEdit } from "./api";
import { versionToName } from "./draft";
import type { DraftOf } from "./use-draft";
import { type Saved, useSave } from "./use-save";

interface DraftSaveInput<Body, Draft extends object, Key extends QueryKey> {
  readonly object: Versioned<Body>;
  /** Reads the object as it is now. */
  readonly query: UseQueryOptions<Versioned<Body>, Error, Versioned<Body>, Key>;
  readonly draft: DraftOf<Draft>;
  /** What happened, for the toast. */
  readonly done: string;
  /** Sends what was touched as a change of the object given, which the options name. */
  readonly send: (object: Body, given: { touched: Partial<Draft>; options: { ifMatch?: string } }) => Promise<Saved>;
  readonly onSaved?: (touched: Partial<Draft>) => void;
}

export interface DraftSave {
  readonly isPending: boolean;
  readonly error: unknown;
  /** The field that a refusal complains about. */
  readonly field: string | null;
  /** Somebody else changed the object first. */
  readonly isConflict: boolean;
  readonly configVersion: number | null;
  readonly save: () => void;
  readonly keepTheirs: () => void;
  readonly applyMine: () => void;
}

/** Saves the draft of one object, never over a version that its author has not seen. */
export function useDraftSave<Body, Draft extends object, Key extends QueryKey>(
  input: DraftSaveInput<Body, Draft, Key>,
): DraftSave {
  const { object, draft, done, send } = input;
  const { refetch } = useQuery(input.query);
  const mutation = useSave();
  const lastSaved = useRef<string | null>(null);
  const touched = draft.kept?.touched ?? {};
  const run = ({ data, etag }: Versioned<Body>) =>
    mutation.mutate({
      done,
      send: () => send(data, { touched, options: etag === null ? {} : { ifMatch: etag } }),
      onSaved: () => {
        lastSaved.current = etag;
        draft.settle(touched);
        input.onSaved?.(touched);
      },
    });
  return {
    isPending: mutation.isPending,
    error: mutation.error,
    field: errorField(mutation.error),
    isConflict: isStaleEdit(mutation.error),
    configVersion: mutation.data?.configVersion ?? null,
    save: () => run({ ...object, etag: versionToName(draft.kept, { now: object.etag, lastSaved: lastSaved.current }) }),
    keepTheirs: () => {
      draft.change(null);
      mutation.reset();
      void refetch();
    },
    applyMine: () => void refetch().then((fresh) => run(fresh.data ?? object)),
  };
}
