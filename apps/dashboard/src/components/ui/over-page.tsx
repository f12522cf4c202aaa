"use client";

/**
 * Lays a panel over the page as modal without touching the body. The library's own modal mode sets styles on the body
 * that every element inherits, several times per opening, and a page of long tables then works out all its styles again.
 */
import { hideOthers } from "aria-hidden";
import { useCallback } from "react";
import { cn } from "../../lib/cn";

/** To be spread on the panel, whose root is given `modal={false}` and which stands after a `Scrim`. */
export function useOverPage(given: (panel: HTMLElement | null) => void) {
  const ref = useCallback(
    (panel: HTMLElement | null) => {
      given(panel);
      if (panel === null) return undefined;
      const show = hidePageBelow(panel);
      return () => {
        show();
        given(null);
      };
    },
    [given],
  );
  return { ref, "aria-modal": true, onInteractOutside: closeByScrim };
}

/** A press on the scrim closes; one on a toast, or focus that goes there, does not. */
function closeByScrim(event: CustomEvent<{ originalEvent: Event }>) {
  const { target } = event.detail.originalEvent;
  if (!(target instanceof Element && target.matches("[data-scrim]"))) event.preventDefault();
}

/** From screen readers, once focus has come to the panel: what has the focus must not be hidden. */
function hidePageBelow(panel: HTMLElement): () => void {
  let show: (() => void) | undefined;
  const hide = () => {
    show = hideOthers(panel);
  };
  panel.addEventListener("focusin", hide, { once: true });
  return () => {
    panel.removeEventListener("focusin", hide);
    show?.();
  };
}

/** Dims the page, takes what is pressed and keeps it from scrolling. */
export function Scrim({ isInstant }: Readonly<{ isInstant?: boolean }>) {
  const fades = isInstant ? "" : "animate-in fade-in-0 duration-150";
  return <div data-scrim ref={keepStill} className={cn("fixed inset-0 z-40 bg-(--scrim)", fades)} />;
}

function keepStill(scrim: HTMLElement | null) {
  const refuse = (event: Event) => event.preventDefault();
  for (const kind of ["wheel", "touchmove"]) scrim?.addEventListener(kind, refuse, { passive: false });
}
