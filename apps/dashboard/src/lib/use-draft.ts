"use client";

import { useCallback, useEffect, useState } from "react";

/**
 * What is being typed about one object, kept in this tab so that it survives polls, refusals and a new sign-in. Nothing
 * secret may be put here.
 */
export function useDraft<Draft extends object>(key: string, initial: Draft | null) {
  const storageKey = `obleth.draft.${key}`;
  const [draft, setDraft] = useState<Draft | null>(null);
  useEffect(() => {
    const stored = read<Draft>(storageKey);
    if (stored !== null) setDraft(stored);
  }, [storageKey]);
  const change = useCallback(
    (next: Draft | null) => {
      setDraft(next);
      try {
        if (next === null) sessionStorage.removeItem(storageKey);
        else sessionStorage.setItem(storageKey, JSON.stringify(next));
      } catch {
        // Without storage the draft lasts as long as the page.
      }
    },
    [storageKey],
  );
  return { draft: draft ?? initial, isDirty: draft !== null, change };
}

function read<Draft>(storageKey: string): Draft | null {
  try {
    const text = sessionStorage.getItem(storageKey);
    return text === null ? null : (JSON.parse(text) as Draft);
  } catch {
    return null;
  }
}
