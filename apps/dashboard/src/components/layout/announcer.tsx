"use client";

import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from "react";
import { steadyNowMs } from "../../lib/server-clock";

const AnnounceContext = createContext<(message: string) => void>(() => undefined);

/** One announcement in this time at most; the newest of those that waited is spoken. */
const QUIET_MS = 10_000;

/** Holds the page's one polite live region. */
export function AnnouncerProvider({ children }: Readonly<{ children: ReactNode }>) {
  const [message, setMessage] = useState("");
  const pending = useRef<string | null>(null);
  const spokenAt = useRef(Number.NEGATIVE_INFINITY);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  const flush = useCallback(() => {
    timer.current = undefined;
    if (pending.current === null) return;
    setMessage(pending.current);
    pending.current = null;
    spokenAt.current = steadyNowMs();
  }, []);
  const announce = useCallback(
    (next: string) => {
      pending.current = next;
      timer.current ??= setTimeout(flush, Math.max(0, spokenAt.current + QUIET_MS - steadyNowMs()));
    },
    [flush],
  );
  useEffect(() => () => clearTimeout(timer.current), []);

  return (
    <AnnounceContext.Provider value={announce}>
      {children}
      <div role="status" aria-live="polite" className="sr-only" data-testid="announcer">
        {message}
      </div>
    </AnnounceContext.Provider>
  );
}

/** Speaks a change of state to screen readers, seldom. */
export function useAnnounce(): (message: string) => void {
  return useContext(AnnounceContext);
}
