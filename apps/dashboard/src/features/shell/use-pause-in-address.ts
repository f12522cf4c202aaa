"use client";

import { parseAsBoolean, useQueryState } from "nuqs";
import { useEffect, useState } from "react";
import { setPaused, usePausedAt } from "../../lib/pause";

/**
 * Keeps the pause in the address, through every page: a reload or a link then shows a page that stands still as well. A
 * page that begins so reads once first.
 */
export function usePauseInAddress(hasData: boolean): void {
  const [isInAddress, setInAddress] = useQueryState("paused", parseAsBoolean.withOptions({ history: "replace" }));
  const isPaused = usePausedAt() !== null;
  const [isAwaited, setIsAwaited] = useState(isInAddress === true);
  useEffect(() => {
    if (!isAwaited || !hasData) return;
    setIsAwaited(false);
    setPaused(true);
  }, [isAwaited, hasData]);
  useEffect(() => {
    if (!isAwaited && isPaused !== (isInAddress === true)) void setInAddress(isPaused ? true : null);
  }, [isAwaited, isPaused, isInAddress, setInAddress]);
}
