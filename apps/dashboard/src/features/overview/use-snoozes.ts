"use client";

import { useCallback, useEffect, useMemo, useState } from "react";
import { serverNowMs } from "../../lib/server-clock";
import { useNow } from "../../lib/use-now";
import { parseSnoozes, type Snoozes, tidySnoozes } from "./logic/snooze";

const STORAGE_KEY = "obleth.snoozes";
const CHECK_MS = 10_000;

/** What this browser's reader has put aside. */
export function useSnoozes(present: readonly string[]) {
  const [stored, setStored] = useState<Snoozes>({});
  const nowMs = useNow(CHECK_MS);
  useEffect(() => setStored(parseSnoozes(localStorage.getItem(STORAGE_KEY))), []);
  const names = present.join("\n");
  const snoozes = useMemo(() => tidySnoozes(stored, names.split("\n"), nowMs), [stored, names, nowMs]);
  const write = useCallback((next: Snoozes) => {
    setStored(next);
    localStorage.setItem(STORAGE_KEY, JSON.stringify(next));
  }, []);
  return {
    isSnoozed: (key: string) => Object.hasOwn(snoozes, key),
    snooze: (key: string, forMs: number | null) =>
      write({ ...snoozes, [key]: { untilMs: forMs === null ? null : serverNowMs() + forMs, hasCleared: false } }),
    clear: () => write({}),
  };
}
