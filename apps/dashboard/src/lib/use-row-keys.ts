"use client";

import type { KeyboardEvent } from "react";
import { isTyping } from "./is-typing";
import { usePreferences } from "./preferences";

/** Moves between the rows of a table with j and k or the arrows, from link to link. */
export function useRowKeys(): { onKeyDown: (event: KeyboardEvent<HTMLElement>) => void } {
  const { hasShortcuts } = usePreferences();
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = stepOf(event.key, hasShortcuts);
    if (step === 0 || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const links = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row-link]")];
    const row = document.activeElement?.closest("tr");
    const at = links.findIndex((link) => link.closest("tr") === row);
    const next = links[at === -1 ? 0 : at + step];
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  return { onKeyDown };
}

function stepOf(key: string, hasShortcuts: boolean): -1 | 0 | 1 {
  if (key === "ArrowDown" || (hasShortcuts && key === "j")) return 1;
  return key === "ArrowUp" || (hasShortcuts && key === "k") ? -1 : 0;
}
