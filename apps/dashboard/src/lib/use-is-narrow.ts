"use client";

import { useSyncExternalStore } from "react";

/** Below the first breakpoint: tables show two-line rows there, so that nothing that matters lies off the screen. */
const NARROW = "(max-width: 639.98px)";

/** Whether the window is a phone's. False on the server: what it draws with wide rows is hidden on phones until they are known. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = window.matchMedia(NARROW);
      query.addEventListener("change", listener);
      return () => query.removeEventListener("change", listener);
    },
    () => window.matchMedia(NARROW).matches,
    () => false,
  );
}
