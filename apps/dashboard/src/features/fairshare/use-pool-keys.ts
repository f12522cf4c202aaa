"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { isTyping } from "../../lib/is-typing";
import { usePreferences } from "../../lib/preferences";
import { useLiveSummary } from "../../queries/use-live";
import { poolHref } from "./search-params";

/** In a pool: [ and ] for the neighbours, w for why the row under focus waits, e for the weight in an open panel. */
export function usePoolKeys(name: string): void {
  const router = useRouter();
  const { hasShortcuts } = usePreferences();
  const pools = useLiveSummary()?.live.pools;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!hasShortcuts || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      if (event.key === "w") openWhy(document.activeElement);
      if (event.key === "e") {
        const weight = document.querySelector<HTMLElement>("[data-weight]");
        if (weight !== null) event.preventDefault();
        weight?.focus();
      }
      const step = event.key === "[" ? -1 : event.key === "]" ? 1 : 0;
      const names = (pools ?? []).map((pool) => pool.model);
      const next = names[names.indexOf(name) + step];
      if (step !== 0 && next !== undefined) router.push(poolHref(next));
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [name, pools, hasShortcuts, router]);
}

/** Opens the reason of the row under focus, which gets the focus back when it closes. */
function openWhy(from: Element | null): void {
  const tip = from?.closest("tr")?.querySelector<HTMLElement>("[aria-label^='Why ']");
  if (!tip || !(from instanceof HTMLElement)) return;
  tip.click();
  // A popover leaves the focus on its button; who walks to that from a row stays there.
  tip.addEventListener(
    "focus",
    ({ relatedTarget }) => {
      const isWalkedTo = relatedTarget instanceof Element && relatedTarget.closest("tr") !== null;
      if (!isWalkedTo) from.focus();
    },
    { once: true },
  );
}
