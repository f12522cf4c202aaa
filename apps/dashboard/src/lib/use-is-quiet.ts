"use client";

import { useEffect, useState } from "react";

/** Longer than this nobody waits for a chart, however busy the page is. */
const PATIENCE_MS = 2000;

/** Whether the page has loaded and the browser has time for what can come later; stays true from then on. */
export function useIsQuiet(): boolean {
  const [isQuiet, setIsQuiet] = useState(false);
  useEffect(() => {
    let cancel: () => void = () => undefined;
    const settle = () => setIsQuiet(true);
    const whenIdle = () => {
      if (typeof window.requestIdleCallback === "function") {
        const id = window.requestIdleCallback(settle, { timeout: PATIENCE_MS });
        cancel = () => window.cancelIdleCallback(id);
      } else {
        const id = setTimeout(settle, 200);
        cancel = () => clearTimeout(id);
      }
    };
    if (document.readyState === "complete") whenIdle();
    else {
      window.addEventListener("load", whenIdle, { once: true });
      cancel = () => window.removeEventListener("load", whenIdle);
    }
    return () => cancel();
  }, []);
  return isQuiet;
}
