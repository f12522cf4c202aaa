"use client";

import { useSyncExternalStore } from "react";
import { serverNowMs } from "./server-clock";

/** Server time in milliseconds, in whole steps; every component with the same step ticks together. 0 before the first paint. */
export function useNow(stepMs = 1000): number {
  return useSyncExternalStore(
    (listener) => subscribe(stepMs, listener),
    () => Math.floor(serverNowMs() / stepMs) * stepMs,
    () => 0,
  );
}

const tickers = new Map<number, { listeners: Set<() => void>; timer: ReturnType<typeof setInterval> }>();

function subscribe(stepMs: number, listener: () => void): () => void {
  let ticker = tickers.get(stepMs);
  if (ticker === undefined) {
    const listeners = new Set<() => void>();
    ticker = { listeners, timer: setInterval(() => notify(listeners), stepMs) };
    tickers.set(stepMs, ticker);
  }
  const joined = ticker;
  joined.listeners.add(listener);
  return () => {
    joined.listeners.delete(listener);
    if (joined.listeners.size > 0) return;
    clearInterval(joined.timer);
    tickers.delete(stepMs);
  };
}

function notify(listeners: Set<() => void>): void {
  if (document.hidden) return;
  for (const listener of listeners) listener();
}
