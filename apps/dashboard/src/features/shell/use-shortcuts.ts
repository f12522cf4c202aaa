"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect, useRef } from "react";
import { createKeybindingsHandler } from "tinykeys";
import { isTyping } from "../../lib/is-typing";
import { togglePause } from "../../lib/pause";
import { usePreferences } from "../../lib/preferences";
import { NAV_LINKS } from "./nav-links";

/** To the first row of the page's list. */
function enterList(): void {
  document.querySelector<HTMLElement>("#content [data-row-link]")?.focus();
}

interface ShellActions {
  openPalette: () => void;
  openSheet: () => void;
}

/** The shortcuts that work on every page. Single keys are ignored in fields and can be turned off. */
export function useShortcuts(actions: ShellActions): void {
  const router = useRouter();
  const client = useQueryClient();
  const { hasShortcuts } = usePreferences();
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const plain = (act: () => void) => (event: KeyboardEvent) => {
      if (!hasShortcuts || isTyping(event.target)) return;
      event.preventDefault();
      act();
    };
    const palette = (event: KeyboardEvent) => {
      event.preventDefault();
      latest.current.openPalette();
    };
    const go = NAV_LINKS.map((link) => [`g ${link.key}`, plain(() => router.push(link.href))] as const);
    const handler = createKeybindingsHandler({
      "$mod+k": palette,
      "Shift+?": plain(() => latest.current.openSheet()),
      "/": plain(() => document.querySelector<HTMLElement>("[data-filter]")?.focus()),
      j: (event) => {
        // In a list the list itself moves.
        if (!event.defaultPrevented && document.activeElement?.closest("tr") == null) plain(enterList)(event);
      },
      p: plain(togglePause),
      r: plain(() => void client.refetchQueries({ type: "active" })),
      ...Object.fromEntries(go),
    });
    window.addEventListener("keydown", handler);
    return () => window.removeEventListener("keydown", handler);
  }, [router, client, hasShortcuts]);
}
