"use client";

import { useSyncExternalStore } from "react";

/** False while the server's markup is taken over, true after: for what only the browser knows. */
export function useIsMounted(): boolean {
  return useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  );
}
