"use client";

import { useCallback, useEffect, useState } from "react";
import { type Begun, type Kept, keepTouched, withoutSaved } from "./draft";

/** What is being typed about one object, as forms use it. */
export interface DraftOf<Draft extends object> {
  /** The object as it would be. */
  readonly shown: Draft;
  readonly kept: Kept<Draft> | null;
  /** Null gives the draft up. */
  readonly change: (next: Draft | null) => void;
  /** What was saved is no draft any more. */
  readonly settle: (saved: Partial<Draft>) => void;
}

/**
 * What is being typed about one object, kept in this tab so that it survives polls, refusals and a new sign-in. Nothing
 * secret may be put here.
 */
export function useDraft<Draft extends object>(key: string, begun: Begun<Draft>): DraftOf<Draft> {
  const storageKey = `obleth.draft.${key}`;
  const [kept, setKept] = useState<Kept<Draft> | null>(null);
  const { initial, etag } = begun;
  useEffect(() => setKept(read<Draft>(storageKey)), [storageKey]);
  const update = useCallback(
    (become: (before: Kept<Draft> | null) => Kept<Draft> | null) =>
      setKept((before) => {
        const after = become(before);
        write(storageKey, after);
        return after;
      }),
    [storageKey],
  );
  return {
    shown: { ...initial, ...kept?.touched },
    kept,
    change: (next) => update((before) => (next === null ? null : keepTouched(before, next, { initial, etag }))),
    settle: (saved) => update((before) => withoutSaved(before, saved)),
  };
}

function write(storageKey: string, kept: object | null): void {
  try {
    if (kept === null) sessionStorage.removeItem(storageKey);
    else sessionStorage.setItem(storageKey, JSON.stringify(kept));
  } catch {
    // Without storage the draft lasts as long as the page.
  }
}

function read<Draft extends object>(storageKey: string): Kept<Draft> | null {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? "null");
    return typeof stored === "object" && stored !== null && "touched" in stored ? (stored as Kept<Draft>) : null;
  } catch {
    return null;
  }
}
