"use client";

import { useEffect } from "react";

/**
 * Gives focus a place when what had it is taken off the page, such as the row of a boost that was ended: the panel over
 * the page if there is one, else the page's content, so that the next Tab goes on there and not at the top.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: Element | null = null;
    const remember = (event: FocusEvent) => {
      last = event.target instanceof Element ? event.target : null;
    };
    const observer = new MutationObserver(() => {
      if (last === null || last.isConnected || document.activeElement !== document.body) return;
      last = null;
      const layer = [...document.querySelectorAll<HTMLElement>("[role=dialog][aria-modal]")].at(-1);
      (layer ?? document.getElementById("content"))?.focus({ preventScroll: true });
    });
    document.addEventListener("focusin", remember);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener("focusin", remember);
      observer.disconnect();
    };
  }, []);
}
