"use client";

import { focusManager } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { serverNowMs } from "./server-clock";

/** Whether the reader stopped the live updates, and since when. One switch for the whole page. */
let pausedAtMs: number | null = null;
const listeners = new Set<() => void>();

export function usePausedAt(): number | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => pausedAtMs,
    () => null,
  );
}

export function togglePause(): void {
  setPaused(pausedAtMs === null);
}

export function setPaused(isPaused: boolean): void {
  pausedAtMs = isPaused ? serverNowMs() : null;
  // Every query that reads again by itself then rests, as in a hidden tab.
  focusManager.setFocused(isPaused ? false : undefined);
  for (const listener of listeners) listener();
}
